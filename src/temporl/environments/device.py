"""Environments that are themselves compiled: gymnax's, behind two pure functions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.environments.actions import within_bounds
from temporl.environments.registry import GYMNAX
from temporl.environments.types import Answer, Environment, Space
from temporl.types import Element, Record


class EnvironmentState(NamedTuple):
    """The state of an episode: the environment's own, and the key of its random stream."""

    inner: Any
    key: Array
    time: Array


class Outcome(NamedTuple):
    """What a step led to."""

    observation: Array
    state: EnvironmentState
    reward: Array
    terminated: Array
    truncated: Array


@dataclass(frozen=True)
class DeviceEnvironment:
    """A gymnax environment, with every episode a pure function of its seed."""

    name: str
    """Its name in gymnax."""
    limit: int | None = None
    """Steps after which an episode is truncated; default: the environment's own limit."""

    @cached_property
    def _made(self) -> tuple[Any, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # gymnax's dependencies warn about one another
            import gymnax
        with jax.ensure_compile_time_eval():  # parameters are concrete, even while tracing
            environment, parameters = gymnax.make(self.name)
        if self.limit is not None:
            parameters = parameters.replace(max_steps_in_episode=self.limit)
        return environment, parameters

    @property
    def step_limit(self) -> int:
        """Steps after which an episode is truncated."""
        return int(self._made[1].max_steps_in_episode)

    @cached_property
    def action_space(self) -> Space:
        """The actions, as a Gymnasium space."""
        environment, parameters = self._made
        space = environment.action_space(parameters)
        if hasattr(space, "n"):
            return gym.spaces.Discrete(int(space.n))
        low, high = (
            np.broadcast_to(np.asarray(end, np.float32), space.shape or (1,))
            for end in (space.low, space.high)
        )
        return gym.spaces.Box(low, high, dtype=np.float32)

    def to_environment(self, action: Array) -> Array:
        """An action as the environment takes it; rescaled from [-1, 1] if its space is a box."""
        space = self.action_space
        if not isinstance(space, gym.spaces.Box):
            return action
        bounded: Array = within_bounds(action, space.low, space.high)
        return bounded

    @cached_property
    def observation_space(self) -> Space:
        """What is observed, as a flat array, a whole number, or an image of bytes."""
        environment, parameters = self._made
        space = environment.observation_space(parameters)
        if hasattr(space, "n"):
            return gym.spaces.Discrete(int(space.n))
        if len(space.shape) == 3:
            return gym.spaces.Box(0, 255, tuple(space.shape), np.uint8)
        return gym.spaces.Box(-np.inf, np.inf, (int(np.prod(space.shape)),), np.float32)

    def reset(self, seed: Array) -> tuple[Array, EnvironmentState]:
        """Begin the episode with this seed."""
        environment, parameters = self._made
        key = jax.random.key(seed)
        observation, inner = environment.reset_env(key, parameters)
        return self._observed(observation), EnvironmentState(inner, key, jnp.int32(0))

    def step(self, state: EnvironmentState, action: Array) -> Outcome:
        """Play an action."""
        environment, parameters = self._made
        key = jax.random.fold_in(state.key, state.time + 1)
        observation, inner, reward, terminated, _ = environment.step_env(
            key, state.inner, action, parameters
        )
        if self.name == "MountainCarContinuous-v0":
            # gymnax lets the car keep its speed at the wall on the left; Gymnasium stops it.
            stands = (inner.position <= parameters.min_position) & (inner.velocity < 0)
            inner = inner.replace(velocity=jnp.where(stands, 0.0, inner.velocity))
            observation = environment.get_obs(inner)
        terminated = jnp.asarray(terminated, bool)
        time = state.time + 1
        return Outcome(
            self._observed(observation),
            EnvironmentState(inner, state.key, time),
            jnp.asarray(reward, jnp.float32),
            terminated,
            (time >= parameters.max_steps_in_episode) & ~terminated,
        )

    def _observed(self, observation: Array) -> Array:
        space = self.observation_space
        if isinstance(space, gym.spaces.Discrete):
            return jnp.asarray(observation, jnp.int32)
        if space.dtype == np.uint8:
            # MinAtar's boards have a 1 in a channel where its object is.
            return (255 * jnp.asarray(observation)).astype(jnp.uint8)
        return jnp.asarray(observation, jnp.float32).reshape(space.shape)


class GymnaxEnvironment(Environment):
    """A gymnax environment with Gymnasium's interface; a step limit comes from outside."""

    def __init__(self, name: str, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.device = DeviceEnvironment(name, np.iinfo(np.int32).max)
        self.observation_space = self.device.observation_space
        self.action_space = self.device.action_space
        self._reset, self._step = jax.jit(self.device.reset), jax.jit(self.device.step)
        discrete = isinstance(self.action_space, gym.spaces.Discrete)
        self._action_dtype = np.int32 if discrete else np.float32
        self._state: EnvironmentState | None = None

    def reset(
        self, *, seed: int | None = None, options: Record | None = None
    ) -> tuple[Element, Record]:
        """Begin an episode; without a seed, one that Gymnasium's own generator draws."""
        super().reset(seed=seed, options=options)
        if seed is None:
            seed = int(self.np_random.integers(2**32))
        observation, self._state = self._reset(np.uint32(seed))
        return self._as_numpy(observation), {}

    def step(self, action: Element) -> Answer:
        """Play an action."""
        assert self._state is not None, "reset the environment first"
        observation, self._state, reward, terminated, truncated = self._step(
            self._state, np.asarray(action, self._action_dtype)
        )
        return self._as_numpy(observation), float(reward), bool(terminated), bool(truncated), {}

    def _as_numpy(self, observation: Array) -> Element:
        if isinstance(self.observation_space, gym.spaces.Discrete):
            return np.int64(observation)
        return np.asarray(observation)


def device_twin(name: str, options: Record, step_limit: int | None) -> DeviceEnvironment | None:
    """The compiled environment that a name stands for, if there is one."""
    known = name.removeprefix("gymnax/") if name.startswith("gymnax/") else name
    if known not in GYMNAX or options or (name == known and not GYMNAX[known].agrees):
        return None
    return DeviceEnvironment(known, step_limit)
