"""Environments that show images: Gymnasium's own wrappers, applied in the usual order.

Screens become what Mnih et al. (2015) made of them: 84 rows and columns of grey, the last four of
them in one observation. Small boards, and images with another number of channels than colours have,
are taken as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import wrappers

from temporl.environments.types import Environment, Space, layers
from temporl.errors import BadInput, require_at_least, require_range
from temporl.types import Element, Record

ATARI_STEP_LIMIT = 10_000
"""Steps of an Atari game, of four frames each. The paper's: 10,000."""
SMALLEST_SCREEN = 36
"""Rows and columns of the smallest image that the Nature network can take."""
INSTALL = "pip install -e '.[atari]'"


@dataclass(frozen=True)
class ImageOptions:
    """How the images of an environment are preprocessed; None for the default of its kind."""

    frame_size: int | None = None
    """Rows and columns to resize to; 84 for screens. 0 leaves images as they are."""
    frame_stack: int | None = None
    """The number of images in an observation; 4 for screens."""
    frame_skip: int | None = None
    """For how many frames of the game an action is played; 4 for Atari."""
    greyscale: bool | None = None
    """Whether colours are dropped; they are for screens."""
    sticky_actions: float | None = None
    """The chance that the last action is played once more; an Atari game has one of its own."""
    noops: int = 0
    """The most frames without action at the start of an Atari game."""
    life_loss: bool = False
    """Whether an Atari game ends with the first life lost, in training."""
    clip_rewards: bool = False
    """Whether rewards are brought between -1 and 1, in training."""

    def __post_init__(self) -> None:
        for name, least in (("frame_size", 0), ("frame_stack", 1), ("frame_skip", 1), ("noops", 0)):
            value = getattr(self, name)
            if value is not None:
                if not isinstance(value, int) or isinstance(value, bool):
                    raise BadInput(name, value, "allowed: a whole number")
                require_at_least(name, value, least)
        if self.sticky_actions is not None:
            require_range("sticky_actions", self.sticky_actions, 0.0, 1.0)
        for name in ("greyscale", "life_loss", "clip_rewards"):
            if getattr(self, name) not in (None, True, False):
                raise BadInput(name, getattr(self, name), "allowed: true or false")

    @classmethod
    def taken_from(cls, options: Record) -> tuple[ImageOptions, Record]:
        """Separate these options from the keyword arguments of the environment."""
        names = {field.name for field in fields(cls)}
        taken = {name: value for name, value in options.items() if name in names}
        return cls(**taken), {name: value for name, value in options.items() if name not in names}

    def given(self) -> Record:
        """The options that differ from their defaults."""
        usual = vars(ImageOptions())
        return {name: value for name, value in vars(self).items() if value != usual[name]}


class ImagesLast(gym.ObservationWrapper[Any, Any, Any]):
    """Rows, columns and channels, in this order: one image, or a stack with the newest last."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        space = environment.observation_space
        assert isinstance(space, gym.spaces.Box)
        self._stacks = isinstance(environment, wrappers.FrameStackObservation)
        self.stack = space.shape[0] if self._stacks else 1
        self.observation_space = gym.spaces.Box(
            self.observation(space.low), self.observation(space.high), dtype=np.uint8
        )

    def observation(self, observation: Element) -> np.ndarray:
        """The same array with its axes in that order."""
        images = np.asarray(observation) if self._stacks else np.asarray(observation)[None]
        if images.ndim == 3:
            images = images[..., None]
        rows, columns = images.shape[1:3]
        return np.moveaxis(images, 0, 2).reshape(rows, columns, -1)


def stack_of(environment: Environment) -> int:
    """Of how many images an observation consists."""
    return next((layer.stack for layer in layers(environment) if isinstance(layer, ImagesLast)), 1)


def shows_images(space: Space) -> bool:
    """Whether observations are images: bytes, in rows and columns, perhaps with channels."""
    return isinstance(space, gym.spaces.Box) and space.dtype == np.uint8 and len(space.shape) > 1


def is_screen(shape: tuple[int, ...]) -> bool:
    """Whether an image is large enough for the Nature network; else it is a board."""
    return min(shape[:2]) >= SMALLEST_SCREEN


def is_atari(name: str) -> bool:
    """Whether an environment is an Atari game."""
    spec = gym.registry.get(name)
    return spec is not None and str(spec.entry_point).startswith("ale_py")


def register_atari() -> None:
    """Make the Atari games known to Gymnasium, if they are installed."""
    if find_spec("ale_py") is not None:
        import ale_py

        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        gym.register_envs(ale_py)


def atari_options(images: ImageOptions) -> Record:
    """What an Atari game is made with: its own frame-skip is off, as Gymnasium's wrapper skips."""
    made: Record = {"frameskip": 1}
    if images.greyscale is not False:
        made["obs_type"] = "grayscale"
    if images.sticky_actions is not None:
        made["repeat_action_probability"] = images.sticky_actions
    return made


def with_images(
    environment: Environment,
    options: ImageOptions,
    *,
    atari: bool = False,
    training: bool = False,
) -> Environment:
    """An environment with images in the form that networks take; any other unchanged."""
    space = environment.observation_space
    if isinstance(environment, wrappers.FrameStackObservation) and shows_images(space):
        return ImagesLast(environment)
    if not shows_images(space):
        for name, value in options.given().items():
            raise BadInput(name, value, "the environment shows no images; leave it out")
        return environment
    assert space.shape is not None
    screen = is_screen(space.shape) and space.shape[2:] in ((), (1,), (3,))
    if atari:
        environment = _atari(environment, options, training=training)
    else:
        environment = _other(environment, options, screen=screen)
    stack = options.frame_stack or (4 if screen else 1)
    if stack > 1:
        environment = wrappers.FrameStackObservation(environment, stack)
    if stack > 1 or len(environment.observation_space.shape or ()) == 2:
        environment = ImagesLast(environment)
    if training and options.clip_rewards:
        environment = wrappers.ClipReward(environment, -1.0, 1.0)
    return environment


def _atari(environment: Environment, options: ImageOptions, *, training: bool) -> Environment:
    return wrappers.AtariPreprocessing(
        environment,
        noop_max=options.noops,
        frame_skip=options.frame_skip or 4,
        screen_size=options.frame_size or 84,
        terminal_on_life_loss=training and options.life_loss,
        grayscale_obs=options.greyscale is not False,
    )


def _other(environment: Environment, options: ImageOptions, *, screen: bool) -> Environment:
    for name in ("noops", "life_loss"):
        if getattr(options, name):
            raise BadInput(name, getattr(options, name), "Atari games only; leave it out")
    if options.sticky_actions:
        environment = wrappers.StickyAction(environment, options.sticky_actions)
    if (options.frame_skip or 1) > 1:
        environment = wrappers.MaxAndSkipObservation(environment, options.frame_skip or 1)
    shape = environment.observation_space.shape or ()
    if (screen if options.greyscale is None else options.greyscale) and shape[2:] == (3,):
        environment = wrappers.GrayscaleObservation(environment)
    if shape[2:] == (1,):  # resizing would lose the axis
        environment = wrappers.ReshapeObservation(environment, shape[:2])
    size = (84 if screen else 0) if options.frame_size is None else options.frame_size
    if size and shape[:2] != (size, size):
        environment = wrappers.ResizeObservation(environment, (size, size))
    return environment
