"""Training on any Gymnasium environment: Python steps it, compiled functions decide and learn.

One compiled call a step: it keeps the step just played, learns, and decides about the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import Networks, longest_skip
from temporl.agents.policy import NetworkPolicy
from temporl.environments.actions import actions_of
from temporl.errors import RunFailed
from temporl.evaluation import CountedSkips, play_episode
from temporl.randomness import Purpose
from temporl.skipping import Commitment
from temporl.training.tick import Pauses, Point, Progress, Tick, as_arrays, episode_seeds
from temporl.training.trees import TreeBreaks

Answer = Any
"""What an environment answered, as `pack` makes it."""


class Prepared(NamedTuple):
    """The progress of training, what is played next, and what was observed before."""

    progress: Progress
    commitment: Commitment
    observation: Array


@dataclass(frozen=True)
class HostTraining:
    """The compiled half of a run on the host."""

    tick: Tick

    @partial(jax.jit, static_argnums=0)
    def begin(self, networks: Networks, key: Array, observation: Array) -> Prepared:
        """Before the first step, with the first decision made."""
        progress = self.tick.begin(networks)
        return Prepared(progress, self.tick.act(progress, key, observation), observation)

    @partial(jax.jit, static_argnums=(0, 4), donate_argnums=1)
    def advance(
        self, prepared: Prepared, key: Array, answer: Answer, learns: bool | None
    ) -> Prepared:
        """Keep and learn from the step that was played, and decide about the following one.

        Where it is known that it does not, the networks need not be copied, as they would be by a
        condition; where it is known that it does, more than one thread can take part, which pays
        for images.
        """
        seen, following, (reward, terminated, truncated) = self.unpack(answer)
        progress = self.tick.learn(
            prepared.progress,
            key,
            prepared.commitment,
            prepared.observation,
            reward,
            seen,
            terminated > 0,
            truncated > 0,
            learns=learns,
        )
        return Prepared(progress, self.tick.act(progress, key, following), following)

    @partial(jax.jit, static_argnums=0)
    def has_enough(self, prepared: Prepared) -> Array:
        """Whether there is enough to learn from, as there will always be from then on."""
        return self.tick.layout.holds_enough(prepared.progress.ring)

    def unpack(self, answer: Answer) -> tuple[Array, Array, Array]:
        """What `pack` put together."""
        if isinstance(answer, tuple):
            return answer
        shape, dtype = self.tick.spaces.observation_shape, self.tick.spaces.observation_dtype
        size = int(np.prod(shape))
        seen, following, rest = jnp.split(answer, [size, 2 * size])
        return seen.reshape(shape).astype(dtype), following.reshape(shape).astype(dtype), rest


def pack(
    seen: np.ndarray, following: np.ndarray, reward: float, terminated: bool, truncated: bool
) -> Answer:
    """All that an environment answered in one array: each one handed over costs microseconds.

    Images stay apart: as numbers they would take four times the room.
    """
    numbers = np.array((reward, terminated, truncated), np.float32)
    if seen.dtype == np.uint8:
        return seen, following, numbers
    return np.concatenate((seen.ravel(), following.ravel(), numbers), dtype=np.float32)


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
        self._shows_images = policy.spaces.shows_images
        self._actions = actions_of(policy.actions)
        self.episode = -1
        self.time = 0

    def reset(self, seed: int) -> np.ndarray:
        """Begin the next episode."""
        self.episode, self.time = self.episode + 1, 0
        observation, _ = self.environment.reset(seed=seed)
        return self._checked(observation)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool]:
        """Play an action, as the agent knows it."""
        self.time += 1
        played = self._actions.outward(action)
        observation, reward, terminated, truncated, _ = self.environment.step(played)
        value = float(reward)
        if not np.isfinite(value):
            raise self._failure(f"returned the reward {value}")
        # A terminal state is one, even where a time limit falls on the same step.
        over = bool(terminated)
        return self._checked(observation), value, over, bool(truncated) and not over

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
        if self._shows_images:
            return seen.astype(np.uint8, copy=False)
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
    pauses: Pauses,
    name: str,
    seed: int,
    breaks: TreeBreaks,
) -> Iterator[Point]:
    """Train one seed, pausing at every evaluation and at the end.

    A run can be left off where an episode begins: its seed makes the environment as it was.
    """
    training, longest = HostTraining(tick), longest_skip(tick.agent)
    key = jax.random.key(seed)
    seeds = jax.jit(partial(episode_seeds, key), static_argnums=0)
    world = CheckedEnvironment(environment, name, seed, policy)
    evaluation_environment = make() if pauses.every else None
    observation = world.reset(int(seeds(Purpose.ENVIRONMENT, 0)))
    begun = training.begin(tick.networks(seed), key, observation)
    prepared, episode = breaks.restored((begun, np.array(0)))
    step, fresh = int(prepared.progress.step), True
    images = tick.spaces.shows_images
    enough = images and bool(training.has_enough(prepared))
    if step:
        world.episode = int(episode) - 1
        observation = world.reset(int(seeds(Purpose.ENVIRONMENT, int(episode))))
        if not np.array_equal(observation, np.asarray(prepared.observation)):
            breaks.breaks.differs()
    for stop, episodes in pauses:
        if stop <= breaks.done:
            continue  # what was evaluated before the run was left off
        while step < stop:
            if fresh:
                breaks.pause(step, (prepared, np.array(world.episode)))
            action = prepared.commitment.decision.action
            seen, reward, terminated, truncated = world.step(action)
            following, fresh = seen, terminated or truncated
            if fresh:
                following = world.reset(int(seeds(Purpose.ENVIRONMENT, world.episode + 1)))
            answer = pack(seen, following, reward, terminated, truncated)
            step += 1
            learns = (enough or None) if step % tick.layout.train_every == 0 else False
            prepared = training.advance(prepared, key, answer, learns)
            if images and not enough:
                enough = bool(training.has_enough(prepared))
        progress = prepared.progress
        networks = partial(as_arrays, tick.agent.policy(progress.agent))
        evaluations, chosen = [], np.zeros(longest, np.int64)
        if evaluation_environment is not None and episodes:
            current = CountedSkips(replace(policy, networks=networks()), longest)
            chosen = current.chosen
            for number in episodes:
                start = int(seeds(Purpose.EVALUATION_ENVIRONMENT, number))
                evaluations.append(play_episode(current, evaluation_environment, start))
        yield Point(step, world.episode, evaluations, chosen, networks, progress.metrics)
    environment.close()
    if evaluation_environment is not None:
        evaluation_environment.close()
