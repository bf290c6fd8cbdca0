"""Default hyperparameters of agents with discrete actions where observations are images."""

from __future__ import annotations

from temporl.environments.images import is_screen, shows_images
from temporl.environments.types import Space
from temporl.types import Record

SCREENS: Record = {
    "learning_rate": 1e-4,
    "epsilon": "linear:1:0.01",
    "epsilon_steps": 200_000,
    "batch_size": 32,
    "buffer_size": 50_000,
    "tau": 1.0,
    "target_every": 500,
    "hidden": (512,),
    "loss": "huber",
    "clip_gradient": 40.0,
    "train_every": 4,
    "learning_starts": 10_000,
}
"""For screens: the paper's appendix on Atari."""

BOARDS: Record = SCREENS | {
    "learning_rate": 2.5e-4,
    "epsilon": "linear:1:0.05",
    "epsilon_steps": 100_000,
    "buffer_size": 100_000,
    "target_every": 250,
    "hidden": (128,),
    "learning_starts": 5_000,
}
"""For small boards: what Young and Tian (2019) used for MinAtar, with Adam, epsilon to 0.05 instead
of 0.1, and an update every fourth step as for screens, so that a target lasts 1,000 steps."""


def image_options(observations: Space) -> Record:
    """The hyperparameters for images of some kind; nothing where observations are none.

    Examples:
        >>> import gymnasium as gym
        >>> screen = gym.spaces.Box(0, 255, (84, 84, 4), "uint8")
        >>> image_options(screen)["target_every"]
        500
        >>> image_options(gym.spaces.Box(-1, 1, (4,)))
        {}
    """
    if not shows_images(observations):
        return {}
    return SCREENS if is_screen(observations.shape or ()) else BOARDS
