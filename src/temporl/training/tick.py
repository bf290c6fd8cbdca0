"""What happens at every step, whoever steps the environment: act, then learn.

the commitment is spent? the agent decides
its action is played
the step goes into the ring
a batch from the ring updates the agent
the commitment counts down, or breaks where the episode ends
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import Agent, Metrics, Networks, Spaces, State
from temporl.randomness import Purpose, generator
from temporl.replay import Batch, Happening, Ring, RingLayout
from temporl.skipping import Commitment, Decision


class Progress(NamedTuple):
    """Everything that training changes: nothing else is needed to go on."""

    agent: State
    ring: Ring
    commitment: Commitment
    step: Array
    metrics: Metrics


class Point(NamedTuple):
    """Where training is, at an evaluation or at its end."""

    step: int
    episode: int
    evaluations: list[tuple[float, int, int]]
    """Return, steps and decisions of the greedy episodes that were played, if any were."""
    chosen: np.ndarray
    """How often 1, 2, ... steps were chosen in them."""
    networks: Callable[[], Networks]
    """The policy's networks at this moment, as NumPy arrays; valid until training goes on."""
    metrics: Metrics

    def measured(self) -> dict[str, float]:
        """Everything about this moment that is a number."""
        numbers = {name: float(value) for name, value in self.metrics.items()}
        if self.evaluations:
            means = np.mean(self.evaluations, axis=0).tolist()
            numbers |= dict(zip(("return", "length", "decisions"), means, strict=True))
        return numbers


@dataclass(frozen=True)
class Tick:
    """One step of training, as pure functions of the progress so far."""

    agent: Any
    spaces: Spaces
    steps: int
    """The budget: the end of every schedule."""
    spare: int | None = None
    """Room for episodes that a time limit cuts; see `RingLayout`."""
    stack: int = 1
    """Of how many images an observation consists."""

    @cached_property
    def layout(self) -> RingLayout:
        """What the agent learns from."""
        agent: Agent = self.agent
        size = self.spaces.actions if self.spaces.continuous else None
        layout = agent.replay(self.steps, self.spare)
        return replace(layout, action_size=size, stack=self.stack)

    @cached_property
    def fading(self) -> int:
        """Steps over which exploration fades: the budget, unless the agent has its own number."""
        behaviour = getattr(self.agent, "behaviour", self.agent)
        return getattr(behaviour, "epsilon_steps", None) or self.steps

    def networks(self, seed: int) -> Networks:
        """The networks with which the run with this seed begins."""
        return self.agent.networks(generator(seed, Purpose.NETWORKS), self.spaces)

    def begin(self, networks: Networks) -> Progress:
        """The progress before the first step."""
        state = self.agent.init(networks)
        observation = jnp.zeros(self.spaces.observation_shape, self.spaces.observation_dtype)
        ring = self.layout.empty(observation)
        nothing = jnp.zeros(self.spaces.action_shape, self.spaces.action_dtype)
        free = Commitment(Decision(nothing, jnp.int32(0)), jnp.int32(0))
        key = jax.random.key(0)
        shapes = jax.eval_shape(lambda: self._learned(state, self.layout.sample(ring, key), key))[1]
        metrics = {name: jnp.zeros(()) for name in shapes}
        return Progress(state, ring, free, jnp.int32(0), metrics)

    def act(self, progress: Progress, key: Array, observation: Array) -> Commitment:
        """What is played now: the commitment, or a new decision if it is spent."""

        def decide() -> Commitment:
            exploration = jax.random.fold_in(purpose_key(key, Purpose.EXPLORATION), progress.step)
            spent = progress.step / max(self.fading - 1, 1)
            if self.fading < self.steps:
                spent = jnp.minimum(spent, 1.0)
            action, skip = self.agent.decide(progress.agent, observation, exploration, spent)
            action, skip = action.astype(self.spaces.action_dtype), skip.astype(jnp.int32)
            return Commitment(Decision(action, skip), skip)

        commitment: Commitment = jax.lax.cond(
            progress.commitment.spent, decide, lambda: progress.commitment
        )
        return commitment

    def learn(
        self,
        progress: Progress,
        key: Array,
        commitment: Commitment,
        observation: Array,
        reward: Array,
        next_observation: Array,
        terminated: Array,
        truncated: Array,
        *,
        learns: bool | None = None,
    ) -> Progress:
        """Keep the step that was played, and learn from the ring if it is ready.

        Whoever knows whether it will be can say so, and spares the condition.
        """
        happening = Happening(
            observation=observation,
            action=commitment.decision.action,
            reward=reward,
            next_observation=next_observation,
            terminated=terminated,
            truncated=truncated,
            decided=progress.commitment.spent,
            skip=commitment.decision.skip,
            remaining=commitment.remaining - 1,
        )
        ring = self.layout.add(progress.ring, happening)
        agent, metrics = progress.agent, progress.metrics
        draws = jax.random.fold_in(purpose_key(key, Purpose.REPLAY), progress.step)
        if learns is None:
            agent, metrics = jax.lax.cond(
                self.layout.ready(ring),
                lambda: self._learned(agent, self.layout.sample(ring, draws), draws),
                lambda: (agent, metrics),
            )
        elif learns:
            agent, metrics = self._learned(agent, self._sampled(ring, draws), draws)
        return Progress(
            agent=agent,
            ring=ring,
            commitment=commitment.after_step(terminated | truncated),
            step=progress.step + 1,
            metrics=metrics,
        )

    def _sampled(self, ring: Ring, key: Array) -> Batch:
        """A batch from a ring that is ready; without a condition XLA would copy the ring for it."""
        nothing = jax.eval_shape(self.layout.sample, ring, key)
        batch: Batch = jax.lax.cond(
            self.layout.ready(ring),
            lambda: self.layout.sample(ring, key),
            lambda: jax.tree.map(lambda array: jnp.zeros(array.shape, array.dtype), nothing),
        )
        return batch

    def _learned(self, state: State, batch: Batch, key: Array) -> tuple[State, Metrics]:
        learned: tuple[State, Metrics] = self.agent.update(state, batch, jax.random.fold_in(key, 1))
        return learned


def purpose_key(key: Array, purpose: Purpose) -> Array:
    """The key for one purpose, from the key of a run."""
    return jax.random.fold_in(key, int(purpose))


def episode_seeds(key: Array, purpose: Purpose, episode: Array) -> Array:
    """The seed that an environment is reset with for one episode, whatever was played before."""
    return jax.random.bits(jax.random.fold_in(purpose_key(key, purpose), episode), dtype=np.uint32)


@dataclass(frozen=True)
class Pauses:
    """When training pauses, and which greedy episodes are played then."""

    steps: int
    every: int
    """Steps between two evaluations; 0 for none."""
    starts: int | None = None
    """How many starts there are, the same each time; unless given, one that is new each time."""

    def __iter__(self) -> Iterator[tuple[int, list[int]]]:
        """The steps at which to pause, with the numbers of the episodes to play: the end is one."""
        if self.every and self.starts:
            yield 0, self._episodes(0)
        every = self.every or max(1, self.steps // 100)
        for number, step in enumerate(range(every, self.steps, every)):
            yield step, self._episodes(number)
        ends_with_one = self.every and self.steps % self.every == 0
        yield self.steps, self._episodes(self.steps // every - 1) if ends_with_one else []

    def _episodes(self, number: int) -> list[int]:
        if not self.every:
            return []
        return [number] if self.starts is None else list(range(self.starts))


def as_arrays(networks: Networks) -> Networks:
    """Networks as NumPy arrays of their own."""
    return jax.tree.map(lambda array: np.array(array), networks)
