"""Training where the environment is compiled as well: from one evaluation to the next in one loop.

A seed is a program of its own. Seeds side by side in one program would share its matrix products,
and a product of another size rounds differently: a seed's result would depend on its neighbours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import Memory, Params, State
from temporl.environments.device import DeviceEnvironment, EnvironmentState
from temporl.randomness import Purpose
from temporl.skipping import Commitment
from temporl.training.learner import (
    EvaluationPoint,
    EvaluationSchedule,
    Learner,
    LearnerState,
    as_arrays,
    ask,
    episode_seeds,
)
from temporl.training.trees import TreeCheckpointer

FIRST_STRIDE, STRIDE_SECONDS = 64, 0.5
"""Steps in one compiled loop: twice as many each time until it takes that long. Between two loops a
run can be interrupted."""


class DeviceState(NamedTuple):
    """The state of the learner, and where the episode under way is."""

    learner: LearnerState
    observation: Array
    state: EnvironmentState
    episode: Array
    """How many episodes are over."""


class GreedyEpisode(NamedTuple):
    """A greedy episode under way, and what is counted of it."""

    observation: Array
    state: EnvironmentState
    commitment: Commitment
    memory: Memory
    total: Array
    length: Array
    decisions: Array
    chosen: Array
    over: Array


@dataclass(frozen=True)
class DeviceTraining:
    """A run in which everything is compiled."""

    learner: Learner
    environment: DeviceEnvironment

    @partial(jax.jit, static_argnums=0)
    def begin(self, params: Params, key: Array) -> DeviceState:
        """Before the first step."""
        observation, state = self._reset(key, Purpose.ENVIRONMENT, jnp.int32(0))
        return DeviceState(self.learner.begin(params), observation, state, jnp.int32(0))

    def _reset(
        self, key: Array, purpose: Purpose, episode: Array
    ) -> tuple[Array, EnvironmentState]:
        return self.environment.reset(episode_seeds(key, purpose, episode))

    @partial(jax.jit, static_argnums=0, donate_argnums=1)
    def advance(self, now: DeviceState, key: Array, until: Array) -> DeviceState:
        """Train up to a step."""

        def goes_on(now: DeviceState) -> Array:
            return now.learner.step < until

        return jax.lax.while_loop(goes_on, partial(self._step, key=key), now)

    def _step(self, now: DeviceState, key: Array) -> DeviceState:
        learner, commitment = self.learner.act(now.learner, key, now.observation)
        observation, state, reward, terminated, truncated = self.environment.step(
            now.state, self.environment.to_environment(commitment.decision.action)
        )
        learner = self.learner.learn(
            learner,
            key,
            commitment,
            now.observation,
            reward,
            observation,
            terminated,
            truncated,
        )
        over = terminated | truncated
        episode = now.episode + over
        observation, state = jax.lax.cond(
            over,
            lambda: self._reset(key, Purpose.ENVIRONMENT, episode),
            lambda: (observation, state),
        )
        return DeviceState(learner, observation, state, episode)

    @partial(jax.jit, static_argnums=0)
    def evaluate(self, now: DeviceState, key: Array, number: Array) -> tuple[Array, ...]:
        """Play one greedy episode: its return, steps and decisions, and its skips counted."""
        agent = self.learner.agent
        params = agent.params(now.learner.agent)

        def step(seen: GreedyEpisode) -> GreedyEpisode:
            under_way = self.learner.unless_interrupted(
                params, seen.observation, seen.commitment, seen.memory
            )
            free = under_way.spent
            commitment, memory = ask(
                lambda: agent.greedy(params, seen.observation, seen.memory)._replace(
                    note=seen.commitment.note
                ),
                self.learner.spaces,
                under_way,
                seen.memory,
            )
            observation, state, reward, terminated, truncated = self.environment.step(
                seen.state, self.environment.to_environment(commitment.decision.action)
            )
            over = terminated | truncated
            return GreedyEpisode(
                observation,
                state,
                commitment.after_step(over),
                memory,
                seen.total + reward,
                seen.length + 1,
                seen.decisions + free,
                seen.chosen.at[commitment.decision.skip - 1].add(free),
                over,
            )

        observation, state = self._reset(key, Purpose.EVALUATION_ENVIRONMENT, number)
        zero = jnp.int32(0)
        begin = GreedyEpisode(
            observation,
            state,
            self.learner.free,
            agent.memory(),
            jnp.float32(0),
            zero,
            zero,
            jnp.zeros(agent.skip_lengths[-1], jnp.int32),
            jnp.array(False),
        )
        end = jax.lax.while_loop(lambda seen: ~seen.over, step, begin)
        return end.total, end.length, end.decisions, end.chosen


def train_on_device(
    learner: Learner,
    environment: DeviceEnvironment,
    seed: int,
    schedule: EvaluationSchedule,
    checkpointer: TreeCheckpointer,
) -> Iterator[EvaluationPoint]:
    """Train one seed, stopping at every evaluation and at the end."""
    training = DeviceTraining(learner, environment)
    key = jax.random.key(seed)
    now = checkpointer.restored(training.begin(learner.draw(seed), key))
    step, stride = int(now.learner.step), FIRST_STRIDE
    for stop, episodes in schedule:
        if stop <= checkpointer.done:
            continue  # what was evaluated before the run was interrupted
        while step < stop:
            checkpointer.checkpoint(step, now)
            began = time.monotonic()
            step = min(step + stride, stop)
            now = training.advance(now, key, np.int32(step))
            now.episode.block_until_ready()
            if time.monotonic() - began < STRIDE_SECONDS:
                stride *= 2
        evaluations, chosen = [], np.zeros(learner.agent.skip_lengths[-1], np.int64)
        for number in episodes:
            total, length, decisions, skips = training.evaluate(now, key, np.int32(number))
            evaluations.append((float(total), int(length), int(decisions)))
            chosen += np.asarray(skips)
        yield EvaluationPoint(
            step,
            int(now.episode),
            evaluations,
            chosen,
            partial(_params, learner, now.learner.agent),
            now.learner.metrics,
        )


def _params(learner: Learner, state: State) -> Params:
    return as_arrays(learner.agent.params(state))
