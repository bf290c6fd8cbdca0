"""Environments by name: what the library registers, and what users hand in."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym

from temporl.environments.gridmap import GridMap
from temporl.environments.gymnax_names import GYMNAX
from temporl.environments.images import (
    ATARI_STEP_LIMIT,
    INSTALL,
    ImageOptions,
    atari_options,
    is_atari,
    register_atari,
    with_images,
)
from temporl.errors import BadInput, require_at_least, unknown_name


class World(NamedTuple):
    """One of the gridworlds that come with the library."""

    map_name: str
    step_limit: int


WORLDS = {
    "temporl/Cliff-v0": World("cliff", 100),
    "temporl/Bridge-v0": World("bridge", 100),
    "temporl/ZigZag-v0": World("zigzag", 100),
    "temporl/Open-v0": World("open", 1000),
}

OWN_MAP = "temporl/Map-v0"


def register_worlds() -> None:
    """Make all environments known to Gymnasium; doing it twice changes nothing."""
    entry_point = "temporl.environments.gridworld:GridWorld"
    for world_id, world in WORLDS.items():
        if world_id not in gym.registry:
            gym.register(
                world_id,
                entry_point=entry_point,
                max_episode_steps=world.step_limit,
                kwargs={"map": str(GridMap.named(world.map_name))},
            )
    for name, known in GYMNAX.items():
        if f"gymnax/{name}" not in gym.registry:
            gym.register(
                f"gymnax/{name}",
                entry_point="temporl.environments.device:GymnaxEnvironment",
                max_episode_steps=known.step_limit,
                kwargs={"name": name},
            )
    if OWN_MAP not in gym.registry:
        gym.register(OWN_MAP, entry_point=entry_point)


@dataclass(frozen=True)
class EnvironmentSpec:
    """How to make an environment: pure data, so that it can be written down and made again.

    `name` is a Gymnasium id, `module:id` for one that a module registers, or the path of a text
    file with a map; the text itself is then part of `options`, so that a results folder stays
    complete when the file changes.
    """

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    step_limit: int | None = None

    @classmethod
    def given(
        cls, name: str, options: dict[str, Any] | None = None, step_limit: int | None = None
    ) -> EnvironmentSpec:
        """Resolve what a user wrote."""
        options = dict(options or {})
        if step_limit is not None:
            require_at_least("step_limit", step_limit, 1)
        path = Path(name)
        if path.suffix == ".txt" or path.is_file():
            grid = GridMap.read(path)
            height, width = grid.shape
            options["map"] = str(grid)
            return cls(OWN_MAP, options, step_limit or max(100, 2 * height * width))
        spec = cls(name, options, step_limit)
        spec.make().close()
        return spec

    def make(self, render_mode: str | None = None, *, training: bool = False) -> gym.Env[Any, Any]:
        """Make the environment, or say why it cannot be made.

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
                continue  # Box2D's wrapper is of another age, which users cannot change
            warnings.warn_explicit(remark.message, remark.category, remark.filename, remark.lineno)
        return environment

    def require_harmless(self) -> None:
        """Raise if making the environment would import a module because a file says so."""
        texts = [self.name, *map(str, self.options.values())]
        if any(":" in text for text in texts) or self.name.startswith("GymV2"):
            raise BadInput(
                "env",
                self.name,
                "its module would be imported because a file says so; if the file is your own, or"
                " you trust it, say so with --trust-env",
            )

    def _make(
        self, images: ImageOptions, options: dict[str, Any], *, training: bool
    ) -> gym.Env[Any, Any]:
        atari = is_atari(self.name) and options.get("obs_type") != "ram"
        skip = images.frame_skip or (4 if atari else 1)
        if skip == 1:
            if self.step_limit is not None:
                options["max_episode_steps"] = self.step_limit
            made: gym.Env[Any, Any] = gym.make(self.name, **options)
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


def unknown_environment(name: str) -> BadInput:
    """The error for an id that nobody registered, with the nearest one that somebody did."""
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


def step_limit_of(environment: gym.Env[Any, Any], name: str) -> int:
    """The number of steps after which an episode is cut; every environment needs one."""
    limits = []
    layer = environment
    while isinstance(layer, gym.Wrapper):
        if isinstance(layer, gym.wrappers.TimeLimit):
            limits.append(layer._max_episode_steps)
        layer = layer.env
    if not limits:
        raise BadInput(
            "step_limit", None, f"{name!r} has none of its own; give one with --step-limit"
        )
    return int(min(limits))
