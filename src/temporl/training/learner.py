"""One step of training, the same for both drivers: act, then learn.

if the commitment is spent, or the agent interrupts it: the agent decides
the environment plays its action
the step goes into the ring
a batch from the ring updates the agent
the commitment counts down, or ends with the episode
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import Choice, Memory, Metrics, NetworkAgent, Params, Spaces, State
from temporl.randomness import Purpose, generator
from temporl.replay import Batch, Ring, RingLayout
from temporl.skipping import Commitment, Decision, Step


class EpisodeSoFar(NamedTuple):
    """Return and length so far, for agents whose `ended` is called at the end of an episode."""

    episode_return: Array
    length: Array


class LearnerState(NamedTuple):
    """Everything that training changes: nothing else is needed to resume it."""

    agent: State
    ring: Ring
    commitment: Commitment
    step: Array
    metrics: Metrics
    memory: Memory = ()
    episode: EpisodeSoFar | tuple[()] = ()


class EvaluationPoint(NamedTuple):
    """Where training is, at an evaluation or at its end."""

    step: int
    episode: int
    evaluations: list[tuple[float, int, int]]
    """Return, steps and decisions of the greedy episodes that were played, if any were."""
    chosen: np.ndarray
    """How often 1, 2, ... steps were chosen in them."""
    params: Callable[[], Params]
    """The policy's arrays at this moment, as NumPy arrays; valid until training continues."""
    metrics: Metrics

    def measured(self) -> dict[str, float]:
        """The metrics of learning, and the means over the greedy episodes, by name."""
        measured = {name: float(value) for name, value in self.metrics.items()}
        if self.evaluations:
            means = np.mean(self.evaluations, axis=0).tolist()
            measured |= dict(zip(("return", "length", "decisions"), means, strict=True))
        return measured


def ask(
    choose: Callable[[], Choice], spaces: Spaces, commitment: Commitment, memory: Memory
) -> tuple[Commitment, Memory]:
    """The loop's question, compiled: the commitment under way, or a new one if it is spent.

    The twin of `temporl.skipping.play.ask`; what follows the step is `Commitment.after_step`.
    """

    def decide() -> tuple[Commitment, Memory]:
        (action, skip), remembered, note = choose()
        action, skip = jnp.asarray(action, spaces.action_dtype), jnp.asarray(skip, jnp.int32)
        return Commitment(Decision(action, skip), skip, note), remembered

    asked: tuple[Commitment, Memory] = jax.lax.cond(
        commitment.spent, decide, lambda: (commitment, memory)
    )
    return asked


@dataclass(frozen=True)
class Learner:
    """One step of training, as pure functions of the state so far."""

    agent: NetworkAgent
    spaces: Spaces
    steps: int
    """The budget: the end of every schedule."""
    spare: int | None = None
    """Room for episodes that a time limit truncates; see `RingLayout`."""
    stack: int = 1
    """The number of images of which an observation consists."""

    @cached_property
    def layout(self) -> RingLayout:
        """The ring that holds what the agent learns from."""
        return RingLayout(
            ring_capacity(self.agent, self.steps),
            self.agent.learns_from,
            self.stack,
            self.spaces.actions if self.spaces.continuous else None,
            self.spare,
        )

    def draw(self, seed: int) -> Params:
        """The arrays with which the run with this seed begins."""
        return self.agent.draw(generator(seed, Purpose.NETWORKS), self.spaces)

    @property
    def free(self) -> Commitment:
        """The commitment before the first decision."""
        nothing = jnp.zeros(self.spaces.action_shape, self.spaces.action_dtype)
        size = self.agent.learns_from.note
        note = jnp.zeros(size) if size else ()
        return Commitment(Decision(nothing, jnp.int32(0)), jnp.int32(0), note)

    def begin(self, params: Params) -> LearnerState:
        """The state before the first step."""
        state = self.agent.init(params)
        observation = jnp.zeros(self.spaces.observation_shape, self.spaces.observation_dtype)
        ring = self.layout.empty(observation)
        key = jax.random.key(0)
        shapes = jax.eval_shape(lambda: self._learned(state, self.layout.sample(ring, key), key))[1]
        metrics = {name: jnp.zeros(()) for name in shapes}
        nothing = EpisodeSoFar(jnp.zeros(()), jnp.int32(0))
        return LearnerState(
            state,
            ring,
            self.free,
            jnp.int32(0),
            metrics,
            self.agent.memory(),
            nothing if self.agent.hears_episodes else (),
        )

    def act(
        self, state: LearnerState, key: Array, observation: Array
    ) -> tuple[LearnerState, Commitment]:
        """What is played now; the state's own commitment is spent if the agent interrupted it."""
        state = state._replace(
            commitment=self.unless_interrupted(
                self.agent.params(state.agent), observation, state.commitment, state.memory
            )
        )

        def choose() -> Choice:
            exploration = jax.random.fold_in(purpose_key(key, Purpose.EXPLORATION), state.step)
            explored = self.agent.exploration_steps or self.steps
            progress = state.step / max(explored - 1, 1)
            if explored < self.steps:
                progress = jnp.minimum(progress, 1.0)
            return self.agent.decide(state.agent, observation, state.memory, exploration, progress)

        commitment, memory = ask(choose, self.spaces, state.commitment, state.memory)
        return state._replace(memory=memory), commitment

    def unless_interrupted(
        self, params: Params, observation: Array, commitment: Commitment, memory: Memory
    ) -> Commitment:
        """A commitment, spent where the agent interrupts it; agents that never do are not asked."""
        if not self.agent.interruptible:
            return commitment
        return commitment.unless(self.agent.interrupt(params, observation, commitment, memory))

    def learn(
        self,
        state: LearnerState,
        key: Array,
        commitment: Commitment,
        observation: Array,
        reward: Array,
        next_observation: Array,
        terminated: Array,
        truncated: Array,
        *,
        learns: bool | None = None,
    ) -> LearnerState:
        """Keep the step that was played, and learn from the ring if it is ready.

        A driver that knows whether it will be passes `learns`, which avoids the condition.
        """
        over = terminated | truncated
        left = commitment.after_step(over)
        step = Step(
            observation=observation,
            action=commitment.decision.action,
            reward=reward,
            next_observation=next_observation,
            terminated=terminated,
            truncated=truncated,
            decided=state.commitment.spent,
            remaining=commitment.remaining - 1,
            skip=commitment.decision.skip,
            note=commitment.note,
        )
        ring = self.layout.add(state.ring, step)
        agent, metrics = state.agent, state.metrics
        draws = jax.random.fold_in(purpose_key(key, Purpose.REPLAY), state.step)
        if learns is None:
            agent, metrics = jax.lax.cond(
                self.layout.ready(ring),
                lambda: self._learned(agent, self.layout.sample(ring, draws), draws),
                lambda: (agent, metrics),
            )
        elif learns:
            agent, metrics = self._learned(agent, self._sampled(ring, draws), draws)
        agent, episode = self._heard(agent, state.episode, reward, over)
        memory = jax.tree.map(
            lambda fresh, now: jnp.where(over, fresh, now), self.agent.memory(), state.memory
        )
        return LearnerState(agent, ring, left, state.step + 1, metrics, memory, episode)

    def _heard(
        self, agent: State, episode: EpisodeSoFar | tuple[()], reward: Array, over: Array
    ) -> tuple[State, EpisodeSoFar | tuple[()]]:
        """Call the agent's `ended` where an episode is over, if the agent declares it."""
        if not episode:
            return agent, episode
        total, length = episode.episode_return + reward, episode.length + 1
        agent = jax.lax.cond(over, lambda: self.agent.ended(agent, total, length), lambda: agent)
        return agent, EpisodeSoFar(total * (1 - over), length * (1 - over))

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
        return self.agent.update(state, batch, jax.random.fold_in(key, 1))


def ring_capacity(agent: NetworkAgent, steps: int) -> int:
    """How many steps are kept: no more than a run has."""
    return min(steps, agent.learns_from.buffer_size)


def purpose_key(key: Array, purpose: Purpose) -> Array:
    """The key for one purpose, from the key of a run."""
    return jax.random.fold_in(key, int(purpose))


def episode_seeds(key: Array, purpose: Purpose, episode: Array) -> Array:
    """The seed that an environment is reset with for one episode, whatever was played before."""
    return jax.random.bits(jax.random.fold_in(purpose_key(key, purpose), episode), dtype=np.uint32)


@dataclass(frozen=True)
class EvaluationSchedule:
    """When training is evaluated, and which greedy episodes are played then."""

    steps: int
    every: int
    """Steps between two evaluations; 0 for none."""
    starts: int | None = None
    """The number of fixed starts; None for one start that is new each time."""

    def __iter__(self) -> Iterator[tuple[int, list[int]]]:
        """The steps at which to stop, the end included, with the episodes to play at each."""
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


def as_arrays(params: Params) -> Params:
    """Copies of a program's arrays, as NumPy arrays."""
    return jax.tree.map(lambda array: np.array(array), params)
