"""Training on any Gymnasium environment: Python steps it, compiled functions decide and learn.

One compiled call a step: it keeps the step just played, learns, and decides about the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import gymnasium as gym
import jax
import numpy as np
from jax import Array

from temporl.agents.agent import Networks
from temporl.agents.policy import NetworkPolicy
from temporl.errors import RunFailed
from temporl.evaluation import play_episode
from temporl.randomness import Purpose
from temporl.skipping import Commitment
from temporl.training.tick import Point, Progress, Tick, as_arrays, episode_seeds, stops


@dataclass(frozen=True)
class HostTraining:
    """The compiled half of a run on the host."""

    tick: Tick

    @partial(jax.jit, static_argnums=0)
    def begin(
        self, networks: Networks, key: Array, observation: Array
    ) -> tuple[Progress, Commitment]:
        """Before the first step, with the first decision made."""
        progress = self.tick.begin(networks)
        return progress, self.tick.act(progress, key, observation)

    @partial(jax.jit, static_argnums=0, donate_argnums=1)
    def advance(
        self,
        progress: Progress,
        key: Array,
        commitment: Commitment,
        observation: Array,
        reward: Array,
        next_observation: Array,
        terminated: Array,
        truncated: Array,
        following: Array,
    ) -> tuple[Progress, Commitment]:
        """Keep and learn from the step that was played, and decide about the following one."""
        progress = self.tick.learn(
            progress,
            key,
            commitment,
            observation,
            reward,
            next_observation,
            terminated,
            truncated,
        )
        return progress, self.tick.act(progress, key, following)


class CheckedEnvironment:
    """An environment whose every answer is checked, and named with its place if it is wrong."""

    def __init__(
        self, environment: gym.Env[Any, Any], name: str, seed: int, policy: NetworkPolicy
    ) -> None:
        self.environment, self.name, self.seed = environment, name, seed
        self._space = environment.observation_space
        self._discrete = isinstance(self._space, gym.spaces.Discrete)
        self._start_of_observations = int(getattr(self._space, "start", 0))
        self._shape, self._dtype = self._space.shape, np.dtype(self._space.dtype)
        self._start = int(policy.actions.start)
        self.episode = -1
        self.time = 0

    def reset(self, seed: int) -> np.ndarray:
        """Begin the next episode."""
        self.episode, self.time = self.episode + 1, 0
        observation, _ = self.environment.reset(seed=seed)
        return self._checked(observation)

    def step(self, action: int) -> tuple[np.ndarray, np.float32, bool, bool]:
        """Play an action."""
        self.time += 1
        observation, reward, terminated, truncated, _ = self.environment.step(action + self._start)
        value = float(reward)
        if not np.isfinite(value):
            raise self._failure(f"returned the reward {value}")
        # A terminal state is one, even where a time limit falls on the same step.
        over = bool(terminated)
        return self._checked(observation), np.float32(value), over, bool(truncated) and not over

    def _checked(self, observation: Any) -> np.ndarray:
        if self._discrete:
            if not self._space.contains(observation):
                raise self._failure(f"returned {observation!r}, which is not in {self._space}")
            return np.asarray(observation - self._start_of_observations, dtype=np.int32)
        seen = np.asarray(observation)
        if seen.shape != self._shape:
            raise self._failure(f"returned an observation of shape {seen.shape}, not {self._shape}")
        if seen.dtype.kind not in "fiub":
            raise self._failure(f"returned an observation of dtype {seen.dtype}, not numbers")
        if not np.can_cast(seen.dtype, self._dtype, "same_kind"):
            raise self._failure(f"returned an observation of dtype {seen.dtype}, not {self._dtype}")
        if not np.isfinite(seen).all():
            raise self._failure("returned an observation that is not finite")
        return seen.astype(np.float32)

    def _failure(self, what: str) -> RunFailed:
        place = f"seed {self.seed}, episode {self.episode}, step {self.time}"
        return RunFailed(f"{self.name} {what} ({place})")


def train_on_host(
    tick: Tick,
    policy: NetworkPolicy,
    environment: gym.Env[Any, Any],
    make: Callable[[], gym.Env[Any, Any]],
    evaluate_every: int,
    name: str,
    seed: int,
) -> Iterator[Point]:
    """Train one seed, pausing at every evaluation and at the end."""
    training = HostTraining(tick)
    key = jax.random.key(seed)
    seeds = jax.jit(partial(episode_seeds, key), static_argnums=0)
    world = CheckedEnvironment(environment, name, seed, policy)
    evaluation_environment = make() if evaluate_every else None
    observation = world.reset(int(seeds(Purpose.ENVIRONMENT, 0)))
    progress, commitment = training.begin(tick.networks(seed), key, observation)
    step = 0
    for number, stop in enumerate(stops(tick.steps, evaluate_every)):
        while step < stop:
            action = int(commitment.decision.action)
            seen, reward, terminated, truncated = world.step(action)
            following = seen
            if terminated or truncated:
                following = world.reset(int(seeds(Purpose.ENVIRONMENT, world.episode + 1)))
            progress, commitment = training.advance(
                progress,
                key,
                commitment,
                observation,
                reward,
                seen,
                terminated,
                truncated,
                following,
            )
            observation = following
            step += 1
        networks = partial(as_arrays, tick.agent.policy(progress.agent))
        evaluation = None
        if evaluation_environment is not None and step % evaluate_every == 0:
            evaluation = play_episode(
                replace(policy, networks=networks()),
                evaluation_environment,
                int(seeds(Purpose.EVALUATION_ENVIRONMENT, number)),
            )
        yield Point(step, world.episode, evaluation, networks, progress.metrics)
    environment.close()
    if evaluation_environment is not None:
        evaluation_environment.close()
