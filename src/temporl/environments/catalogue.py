"""Environments by name: what the library registers, and what users hand in."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import gymnasium as gym

from temporl.environments.gridmap import GridMap
from temporl.environments.images import (
    ATARI_STEP_LIMIT,
    INSTALL,
    ImageOptions,
    atari_options,
    is_atari,
    register_atari,
    with_images,
)
from temporl.environments.registry import OWN_MAP, WORLDS, register_worlds
from temporl.environments.types import Environment, MakeEnvironment, Space, layers
from temporl.errors import BadInput, require_at_least, unknown_name
from temporl.types import Record

_OBSERVATION_SPACES: dict[str, Space] = {}
"""What was seen of environments that were made, by their specifications."""


@dataclass(frozen=True)
class EnvironmentSpec:
    """How to make an environment: pure data, so that it can be written down and made again.

    `name` is a Gymnasium id, `module:id` for one that a module registers, or the path of a text
    file with a map; the text itself is then part of `options`, so that a results folder stays
    complete when the file changes.
    """

    name: str
    options: Record = field(default_factory=dict)
    step_limit: int | None = None
    by_function: ClassVar[bool] = False
    """Whether a function of the user's makes it, which no file and no other process knows."""

    @classmethod
    def given(
        cls,
        name: str | MakeEnvironment,
        options: Record | None = None,
        step_limit: int | None = None,
    ) -> EnvironmentSpec:
        """Resolve what a user wrote."""
        options = dict(options or {})
        if not isinstance(name, str):
            if options:
                reason = "a function makes its environment by itself"
                raise BadInput("env_options", options, reason)
            label = getattr(name, "__name__", type(name).__name__)  # a function, or any callable
            return FunctionSpec(label.strip("<>"), {}, step_limit, function=name)
        require_at_least("step_limit", step_limit, 1)
        path = Path(name)
        if path.suffix == ".txt" or path.is_file():
            grid = GridMap.read(path)
            height, width = grid.shape
            options["map"] = str(grid)
            return cls(OWN_MAP, options, step_limit or max(100, 2 * height * width))
        return cls(name, options, step_limit)

    def make(self, render_mode: str | None = None, *, training: bool = False) -> Environment:
        """Make the environment; raise `BadInput` with the reason if it cannot be made.

        Only in training may a game end with a life, and its rewards be clipped.
        """
        register_worlds()
        if self.name not in gym.registry:
            register_atari()
        images, options = ImageOptions.taken_from(self.options)
        if render_mode is not None:
            options["render_mode"] = render_mode
        try:
            with warnings.catch_warnings(record=True, action="always") as remarks:
                environment = self._make(images, options, training=training)
        except (gym.error.NameNotFound, gym.error.NamespaceNotFound, gym.error.VersionNotFound):
            raise unknown_environment(self.name) from None
        except gym.error.DependencyNotInstalled as error:
            way_out = missing_extra(self.name, str(error)) or str(error)
            raise BadInput("env", self.name, f"a package is missing: {way_out}") from error
        except (gym.error.Error, ImportError, TypeError, ValueError) as error:
            reason = str(error).partition(" was raised from the environment creator")[0]
            raise BadInput("env", self.name, f"it cannot be made: {reason}") from error
        for remark in remarks:
            if str(remark.message).startswith("builtin type "):
                continue  # a deprecation inside Box2D's bindings, which users cannot change
            warnings.warn_explicit(remark.message, remark.category, remark.filename, remark.lineno)
        _OBSERVATION_SPACES[repr(self)] = environment.observation_space
        return environment

    def observation_space(self) -> Space:
        """What is observed; the environment is made only if that is not known yet."""
        if repr(self) not in _OBSERVATION_SPACES:
            self.make().close()
        return _OBSERVATION_SPACES[repr(self)]

    def to_data(self) -> Record:
        """As pure data."""
        return {"name": self.name, "options": self.options, "step_limit": self.step_limit}

    @property
    def is_gridworld(self) -> bool:
        """Whether it is one of this library's own worlds."""
        return self.name in (*WORLDS, OWN_MAP)

    def require_harmless(self) -> None:
        """Raise if making the environment would import a module because a file names it."""
        texts = [self.name, *map(str, self.options.values())]
        if any(":" in text for text in texts) or self.name.startswith("GymV2"):
            raise BadInput(
                "env",
                self.name,
                "its module would be imported because a file names it; if the file is your own, or"
                " you trust it, add --trust",
            )

    def _make(self, images: ImageOptions, options: Record, *, training: bool) -> Environment:
        atari = is_atari(self.name) and options.get("obs_type") != "ram"
        skip = images.frame_skip or (4 if atari else 1)
        if skip == 1:
            if self.step_limit is not None:
                options["max_episode_steps"] = self.step_limit
            made: Environment = gym.make(self.name, **options)
            return with_images(made, images, atari=atari, training=training)
        # A limit counts steps, and not the frames that a step skips.
        registered = gym.spec(self.name).max_episode_steps
        if atari:
            options, registered = atari_options(images) | options, skip * ATARI_STEP_LIMIT
        made = gym.make(self.name, max_episode_steps=-1, **options)
        environment = with_images(made, images, atari=atari, training=training)
        limit = self.step_limit or (registered and max(1, registered // skip))
        return environment if limit is None else gym.wrappers.TimeLimit(environment, limit)

    @property
    def label(self) -> str:
        """A short name, fit for a folder."""
        if self.name == OWN_MAP:
            return "map"
        return self.name.rpartition(":")[2].removeprefix("temporl/").replace("/", "-")


@dataclass(frozen=True)
class FunctionSpec(EnvironmentSpec):
    """How a function of the user's makes an environment."""

    by_function: ClassVar[bool] = True
    function: MakeEnvironment = field(kw_only=True)

    def make(self, render_mode: str | None = None, *, training: bool = False) -> Environment:  # noqa: ARG002
        """Make the environment."""
        environment = with_images(self.function(), ImageOptions())
        if self.step_limit is None:
            return environment
        return gym.wrappers.TimeLimit(environment, self.step_limit)


def unknown_environment(name: str) -> BadInput:
    """The error for an id that is not registered, with the nearest one that is."""
    if name.startswith("ALE/") and not any(map(is_atari, gym.registry)):
        return BadInput("env", name, f"a package is missing: {INSTALL}")
    error = unknown_name("env", name, gym.registry)
    hint = error.allowed.partition("known:")[0]
    return BadInput("env", name, f"{hint}see 'temporl list environments', or give a map file")


def missing_extra(name: str, reason: str) -> str | None:
    """How to install what an environment of Gymnasium's own needs, if it is in an extra of ours."""
    spec = gym.registry.get(name)
    if spec is not None and "box2d" in str(spec.entry_point):
        return "pip install -e '.[box2d]'"
    return INSTALL if "opencv" in reason else None


def step_limit_of(environment: Environment, name: str) -> int:
    """The number of steps after which an episode is truncated; every environment needs one."""
    limited = (x for x in layers(environment) if isinstance(x, gym.wrappers.TimeLimit))
    limits = [layer._max_episode_steps for layer in limited]
    if not limits:
        raise BadInput(
            "step_limit", None, f"{name!r} has none of its own; give one with --step-limit"
        )
    return int(min(limits))
