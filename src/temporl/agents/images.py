"""What agents for numbered actions use where observations are images, unless told otherwise."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from temporl.environments.images import shows_images
from temporl.networks.convolutions import is_screen

SCREENS: dict[str, Any] = {
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

BOARDS: dict[str, Any] = SCREENS | {
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

IMAGE_AGENTS = ("dqn", "t-dqn", "dar", "ez-dqn")


def image_options(agent: str, observations: gym.Space[Any]) -> dict[str, Any]:
    """The hyperparameters for an agent's images; nothing where there are none.

    Examples:
        >>> screen = gym.spaces.Box(0, 255, (84, 84, 4), "uint8")
        >>> image_options("t-dqn", screen)["architecture"]
        'shared'
        >>> image_options("t-dqn", gym.spaces.Box(-1, 1, (4,)))
        {}
    """
    if agent not in IMAGE_AGENTS or not shows_images(observations):
        return {}
    options = SCREENS if is_screen(observations.shape or ()) else BOARDS
    return options | ({"architecture": "shared"} if agent == "t-dqn" else {})
