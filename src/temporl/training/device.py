"""Training where the environment is compiled as well: from one evaluation to the next in one loop.

A seed is a program of its own. Seeds side by side in one program would share its matrix products,
and a product of another size rounds differently: a seed's result would depend on its neighbours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import Networks, longest_skip
from temporl.environments.device import DeviceEnvironment, DeviceState
from temporl.randomness import Purpose
from temporl.skipping import Commitment, Decision
from temporl.training.tick import Pauses, Point, Progress, Tick, as_arrays, episode_seeds
from temporl.training.trees import TreeBreaks

FIRST_STRIDE, STRIDE_SECONDS = 64, 0.5
"""Steps in one compiled loop: twice as many each time until it takes so long. Between two loops a
run can be left off."""


class Play(NamedTuple):
    """The progress of training, and where the episode under way is."""

    progress: Progress
    observation: Array
    state: DeviceState
    episode: Array
    """How many episodes are over."""


@dataclass(frozen=True)
class DeviceTraining:
    """A run in which everything is compiled."""

    tick: Tick
    environment: DeviceEnvironment

    @partial(jax.jit, static_argnums=0)
    def begin(self, networks: Networks, key: Array) -> Play:
        """Before the first step."""
        observation, state = self._reset(key, Purpose.ENVIRONMENT, jnp.int32(0))
        return Play(self.tick.begin(networks), observation, state, jnp.int32(0))

    def _reset(self, key: Array, purpose: Purpose, episode: Array) -> tuple[Array, DeviceState]:
        return self.environment.reset(episode_seeds(key, purpose, episode))

    @partial(jax.jit, static_argnums=0, donate_argnums=1)
    def advance(self, play: Play, key: Array, until: Array) -> Play:
        """Train up to a step."""

        def goes_on(play: Play) -> Array:
            return play.progress.step < until

        return jax.lax.while_loop(goes_on, partial(self._step, key=key), play)

    def _step(self, play: Play, key: Array) -> Play:
        commitment = self.tick.act(play.progress, key, play.observation)
        observation, state, reward, terminated, truncated = self.environment.step(
            play.state, self.environment.outward(commitment.decision.action)
        )
        progress = self.tick.learn(
            play.progress,
            key,
            commitment,
            play.observation,
            reward,
            observation,
            terminated,
            truncated,
        )
        over = terminated | truncated
        episode = play.episode + over
        observation, state = jax.lax.cond(
            over,
            lambda: self._reset(key, Purpose.ENVIRONMENT, episode),
            lambda: (observation, state),
        )
        return Play(progress, observation, state, episode)

    @partial(jax.jit, static_argnums=0)
    def evaluate(self, play: Play, key: Array, number: Array) -> tuple[Array, ...]:
        """Play one greedy episode: its return, steps and decisions, and its skips counted."""
        networks = self.tick.agent.policy(play.progress.agent)

        class Watched(NamedTuple):
            observation: Array
            state: DeviceState
            commitment: Commitment
            total: Array
            length: Array
            decisions: Array
            chosen: Array
            over: Array

        def step(watched: Watched) -> Watched:
            free = watched.commitment.spent

            def decide() -> Commitment:
                action, skip = self.tick.agent.greedy(networks, watched.observation)
                action = jnp.asarray(action, self.tick.spaces.action_dtype)
                return Commitment(Decision(action, jnp.int32(skip)), jnp.int32(skip))

            commitment = jax.lax.cond(free, decide, lambda: watched.commitment)
            observation, state, reward, terminated, truncated = self.environment.step(
                watched.state, self.environment.outward(commitment.decision.action)
            )
            over = terminated | truncated
            return Watched(
                observation,
                state,
                commitment.after_step(over),
                watched.total + reward,
                watched.length + 1,
                watched.decisions + free,
                watched.chosen.at[commitment.decision.skip - 1].add(free),
                over,
            )

        observation, state = self._reset(key, Purpose.EVALUATION_ENVIRONMENT, number)
        zero = jnp.int32(0)
        nothing = jnp.zeros(self.tick.spaces.action_shape, self.tick.spaces.action_dtype)
        free = Commitment(Decision(nothing, zero), zero)
        chosen = jnp.zeros(longest_skip(self.tick.agent), jnp.int32)
        begin = Watched(
            observation, state, free, jnp.float32(0), zero, zero, chosen, jnp.array(False)
        )
        end = jax.lax.while_loop(lambda watched: ~watched.over, step, begin)
        return end.total, end.length, end.decisions, end.chosen


def train_on_device(
    tick: Tick,
    environment: DeviceEnvironment,
    seed: int,
    pauses: Pauses,
    breaks: TreeBreaks,
) -> Iterator[Point]:
    """Train one seed, pausing at every evaluation and at the end."""
    training = DeviceTraining(tick, environment)
    key = jax.random.key(seed)
    play = breaks.restored(training.begin(tick.networks(seed), key))
    step, stride = int(play.progress.step), FIRST_STRIDE
    for stop, episodes in pauses:
        if stop <= breaks.done:
            continue  # what was evaluated before the run was left off
        while step < stop:
            breaks.pause(step, play)
            began = time.monotonic()
            step = min(step + stride, stop)
            play = training.advance(play, key, np.int32(step))
            play.episode.block_until_ready()
            if time.monotonic() - began < STRIDE_SECONDS:
                stride *= 2
        evaluations, chosen = [], np.zeros(longest_skip(tick.agent), np.int64)
        for number in episodes:
            total, length, decisions, skips = training.evaluate(play, key, np.int32(number))
            evaluations.append((float(total), int(length), int(decisions)))
            chosen += skips
        agent = play.progress.agent
        yield Point(
            step,
            int(play.episode),
            evaluations,
            chosen,
            partial(_networks, tick, agent),
            play.progress.metrics,
        )


def _networks(tick: Tick, state: Any) -> Networks:
    return as_arrays(tick.agent.policy(state))
