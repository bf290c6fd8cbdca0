"""Training on any Gymnasium environment: Python steps it, compiled functions decide and learn.

One compiled call a step: it keeps the step just played, learns, and decides about the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import Params
from temporl.agents.policy import NetworkPolicy
from temporl.environments.actions import actions_of
from temporl.environments.types import Environment
from temporl.errors import RunFailed
from temporl.evaluation import play_episode
from temporl.randomness import Purpose
from temporl.skipping import Commitment
from temporl.training.learner import (
    EvaluationPoint,
    EvaluationSchedule,
    Learner,
    LearnerState,
    as_arrays,
    episode_seeds,
)
from temporl.training.trainer import Task
from temporl.training.trees import TreeCheckpointer
from temporl.types import Element

Answer = np.ndarray | tuple[np.ndarray, np.ndarray, np.ndarray]
"""What an environment answered, as `pack` makes it."""
Traced = Array | tuple[Array, Array, Array]
"""The same within a compiled function."""


class HostState(NamedTuple):
    """The state of the learner, what is played next, and what was observed before."""

    learner: LearnerState
    commitment: Commitment
    observation: Array


@dataclass(frozen=True)
class HostTraining:
    """The compiled half of a run on the host."""

    learner: Learner

    @partial(jax.jit, static_argnums=0)
    def begin(self, params: Params, key: Array, observation: Array) -> HostState:
        """Before the first step, with the first decision made."""
        return self._decided(self.learner.begin(params), key, observation)

    def _decided(self, learner: LearnerState, key: Array, observation: Array) -> HostState:
        learner, commitment = self.learner.act(learner, key, observation)
        return HostState(learner, commitment, observation)

    @partial(jax.jit, static_argnums=(0, 4), donate_argnums=1)
    def advance(self, now: HostState, key: Array, answer: Traced, learns: bool | None) -> HostState:
        """Keep and learn from the step that was played, and decide about the following one.

        Without `learns` the program decides, as a condition. A caller who knows avoids it: with
        `False` the networks need not be copied; with `True` several threads can take part, which
        pays off for images.
        """
        seen, following, (reward, terminated, truncated) = self.unpack(answer)
        learner = self.learner.learn(
            now.learner,
            key,
            now.commitment,
            now.observation,
            reward,
            seen,
            terminated > 0,
            truncated > 0,
            learns=learns,
        )
        return self._decided(learner, key, following)

    @partial(jax.jit, static_argnums=0)
    def has_enough(self, now: HostState) -> Array:
        """Whether there is enough to learn from; once there is, there always will be."""
        return self.learner.layout.holds_enough(now.learner.ring)

    def unpack(self, answer: Traced) -> tuple[Array, Array, Array]:
        """What `pack` put together."""
        if isinstance(answer, tuple):
            return answer
        shape, dtype = self.learner.spaces.observation_shape, self.learner.spaces.observation_dtype
        size = int(np.prod(shape))
        seen, following, rest = jnp.split(answer, [size, 2 * size])
        return seen.reshape(shape).astype(dtype), following.reshape(shape).astype(dtype), rest


def pack(
    seen: np.ndarray, following: np.ndarray, reward: float, terminated: bool, truncated: bool
) -> Answer:
    """All that an environment answered in one array: each one handed over costs microseconds.

    Images stay apart: as floats they would take four times the room.
    """
    rest = np.array((reward, terminated, truncated), np.float32)
    if seen.dtype == np.uint8:
        return seen, following, rest
    return np.concatenate((seen.ravel(), following.ravel(), rest), dtype=np.float32)


class CheckedEnvironment:
    """An environment whose every answer is checked, and named with its place if it is wrong."""

    def __init__(
        self, environment: Environment, name: str, seed: int, policy: NetworkPolicy
    ) -> None:
        self.environment, self.name, self.seed = environment, name, seed
        self._space = environment.observation_space
        self._first = (
            int(self._space.start) if isinstance(self._space, gym.spaces.Discrete) else None
        )
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

    def step(self, action: Element) -> tuple[np.ndarray, float, bool, bool]:
        """Play an action, as the agent knows it."""
        self.time += 1
        played = self._actions.to_environment(action)
        observation, reward, terminated, truncated, _ = self.environment.step(played)
        value = float(reward)
        if not np.isfinite(value):
            raise self._failure(f"returned the reward {value}")
        # A terminal state is one, even where a time limit falls on the same step.
        over = bool(terminated)
        return self._checked(observation), value, over, bool(truncated) and not over

    def _checked(self, observation: Element) -> np.ndarray:
        if self._first is not None:
            if not self._space.contains(observation):
                raise self._failure(f"returned {observation!r}, which is not in {self._space}")
            return np.asarray(observation - self._first, dtype=np.int32)
        seen = np.asarray(observation)
        if seen.shape != self._shape:
            raise self._failure(f"returned an observation of shape {seen.shape}, not {self._shape}")
        if seen.dtype.kind not in "fiub":
            raise self._failure(f"returned an observation of dtype {seen.dtype}, not numeric")
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
    learner: Learner,
    policy: NetworkPolicy,
    environment: Environment,
    task: Task,
    schedule: EvaluationSchedule,
    checkpointer: TreeCheckpointer,
) -> Iterator[EvaluationPoint]:
    """Train one seed, stopping at every evaluation and at the end.

    A run can be interrupted where an episode begins: its seed makes the environment as it was.
    """
    training, longest = HostTraining(learner), learner.agent.skip_lengths[-1]
    key = jax.random.key(task.seed)
    seeds = jax.jit(partial(episode_seeds, key), static_argnums=0)
    world = CheckedEnvironment(environment, task.name, task.seed, policy)
    evaluation_environment = task.evaluation_environment() if schedule.every else None
    observation = world.reset(int(seeds(Purpose.ENVIRONMENT, 0)))
    begun = training.begin(learner.draw(task.seed), key, observation)
    now, episode = checkpointer.restored((begun, np.array(0)))
    step, fresh = int(now.learner.step), True
    images, train_every = learner.spaces.shows_images, learner.agent.learns_from.train_every
    enough = images and bool(training.has_enough(now))
    if step:
        world.episode = int(episode) - 1
        observation = world.reset(int(seeds(Purpose.ENVIRONMENT, int(episode))))
        if not np.array_equal(observation, np.asarray(now.observation)):
            checkpointer.checkpointer.differs()
    for stop, episodes in schedule:
        if stop <= checkpointer.done:
            continue  # what was evaluated before the run was interrupted
        while step < stop:
            if fresh:
                checkpointer.checkpoint(step, (now, np.array(world.episode)))
            action = now.commitment.decision.action
            seen, reward, terminated, truncated = world.step(action)
            following, fresh = seen, terminated or truncated
            if fresh:
                following = world.reset(int(seeds(Purpose.ENVIRONMENT, world.episode + 1)))
            answer = pack(seen, following, reward, terminated, truncated)
            step += 1
            learns = (enough or None) if step % train_every == 0 else False
            now = training.advance(now, key, answer, learns)
            if images and not enough:
                enough = bool(training.has_enough(now))
        params = partial(as_arrays, learner.agent.params(now.learner.agent))
        evaluations, chosen = [], np.zeros(longest, np.int64)
        if evaluation_environment is not None and episodes:
            current = replace(policy, params=params())
            for number in episodes:
                start = int(seeds(Purpose.EVALUATION_ENVIRONMENT, number))
                evaluations.append(
                    play_episode(current, evaluation_environment, start, chosen=chosen)
                )
        yield EvaluationPoint(step, world.episode, evaluations, chosen, params, now.learner.metrics)
    environment.close()
    if evaluation_environment is not None:
        evaluation_environment.close()
