"""A skip policy as a part: a behaviour, a way to value skips, and a way to choose among them.

for every decision:
    the behaviour picks an action a
    the skip policy picks a length j from the values of all skips for a, or explores
    a is played j times, or until the episode ends
for every step:
    the behaviour learns from transitions, as it always does
    the way to value skips learns from its own samples

`SkipAgent` is all of that but the way to value skips, which is one class with three methods
(`SkipValues`). `agents/temporl.py` has the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from temporl.agents.agent import (
    Behaviour,
    Choice,
    Experience,
    Memory,
    Metrics,
    NetworkAgent,
    Options,
    Params,
    Spaces,
    State,
)
from temporl.agents.dqn import epsilon_greedy
from temporl.environments.types import Space
from temporl.errors import BadInput, require_range
from temporl.replay import Batch
from temporl.schedules import schedule
from temporl.skipping import Connection, Decision, Skips, Spanning
from temporl.skipping.skips import read_skips

LONGEST_SKIP = 1024


class SkipParams(NamedTuple):
    """The arrays of a policy: the behaviour's, and those that value skips."""

    behaviour: Params
    skip: Params


class SkipState(NamedTuple):
    """The state of learning: the behaviour's, and that of the values of skips."""

    behaviour: State
    skip: Params
    optimiser: optax.OptState


class SkipValues(Protocol):
    """A way to value skips, on top of some behaviour and for some skips."""

    @property
    def learns_from(self) -> Spanning:
        """Which connections it learns from."""
        ...

    @property
    def shares_layers(self) -> bool:
        """Whether it uses the behaviour's first layers, and trains them as well."""
        return False

    def draw(self, random: np.random.Generator, spaces: Spaces) -> Params:
        """Draw its arrays."""
        ...

    def values(
        self, params: Params, shared: tuple[Params, ...], observation: Array, action: Array
    ) -> Array:
        """The value of every skip for an action; a row for every sample of a batch."""
        ...

    def loss(
        self,
        params: Params,
        shared: tuple[Params, ...],
        connections: Connection,
        following: Array,
    ) -> Array:
        """The loss on connections; `following` is the behaviour's value where each one ended."""
        ...


@dataclass(frozen=True)
class SkipAgent(NetworkAgent):
    """Any behaviour with a skip policy on top; subclasses bring the way to value skips."""

    behaviour: Behaviour
    """What picks the action."""
    max_skip: int | None = None
    """Longest skip J; default: 10, as in the paper's MountainCar."""
    skips: str | tuple[int, ...] = "all"
    """The set of skips: 'all' (1 to J), 'powers-of-two' up to J, or a list such as '1,3,9'."""
    skip_epsilon: float | str | None = None
    """Exploration of the skip; default: the epsilon of the action, as in the paper,
    or 0.1 where the behaviour has none, as in the paper's Pendulum."""
    tie_tolerance: float = 0.0
    """The greedy policy plays the longest skip whose value is at most this far below the best."""

    def __post_init__(self) -> None:
        if self.skip_values_part.shares_layers and not self.behaviour.shares_layers:
            raise BadInput(
                "architecture",
                "shared",
                "allowed: concat, context; this behaviour has no layers that see the observation"
                " alone and that a skip network could share",
            )
        require_range("tie_tolerance", self.tie_tolerance, 0.0, np.inf)
        schedule(self._skip_epsilon, "skip_epsilon")
        if self.skip_lengths[-1] > LONGEST_SKIP:
            raise BadInput("max_skip", self.skip_lengths[-1], f"allowed: at most {LONGEST_SKIP}")

    @property
    def skip_values_part(self) -> SkipValues:
        """The way to value skips."""
        raise NotImplementedError

    @property
    def continuous(self) -> bool:  # type: ignore[override]
        """Whether actions are arrays within bounds."""
        return self.behaviour.continuous

    @property
    def skip_lengths(self) -> Skips:
        """The durations the agent can choose."""
        return read_skips(self.skips, self.max_skip, default=10)

    @property
    def exploration_steps(self) -> int | None:
        """As the behaviour's."""
        return self.behaviour.exploration_steps

    @property
    def learns_from(self) -> Experience:
        """Single steps, and connections of all skips."""
        return replace(
            self.behaviour.learns_from,
            skips=self.skip_lengths,
            connections=self.skip_values_part.learns_from,
        )

    @property
    def _skip_epsilon(self) -> float | str:
        return self.behaviour.exploration if self.skip_epsilon is None else self.skip_epsilon

    @classmethod
    def defaults_for(cls, observations: Space) -> Options:
        """As the behaviour's."""
        return cls.behaviour_class().defaults_for(observations)

    @classmethod
    def behaviour_class(cls) -> type[Behaviour]:
        """The kind of behaviour that it is put on top of."""
        kind: type[Behaviour] = cls.__dataclass_fields__["behaviour"].default_factory  # type: ignore[assignment]
        return kind

    def draw(self, random: np.random.Generator, spaces: Spaces) -> SkipParams:
        """Draw the behaviour's arrays, and those that value skips."""
        behaviour = self.behaviour.draw(random, spaces)
        return SkipParams(behaviour, self.skip_values_part.draw(random, spaces))

    def init(self, params: SkipParams) -> SkipState:
        """The state in which learning begins."""
        behaviour = self.behaviour.init(params.behaviour)
        skip = jax.tree.map(jnp.asarray, params.skip)
        shared = self._shared_layers(self.behaviour.params(behaviour))
        return SkipState(behaviour, skip, self.behaviour.optimiser.init((shared, skip)))

    def _shared_layers(self, behaviour: Params) -> tuple[Params, ...]:
        """The layers of the behaviour's networks that belong to the skip network as well."""
        if not self.skip_values_part.shares_layers:
            return ()
        return self.behaviour.shared_layers(behaviour)

    def params(self, state: SkipState) -> SkipParams:
        """All arrays as they are now."""
        return SkipParams(self.behaviour.params(state.behaviour), state.skip)

    def behaviour_of(self, params: SkipParams) -> tuple[Behaviour, Params] | None:
        """The behaviour, with its arrays."""
        return self.behaviour, params.behaviour

    def action_values(self, params: SkipParams, observation: Array) -> Array:
        """The learned value of every action."""
        return self.behaviour.action_values(params.behaviour, observation)

    def values_of_skips(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """The learned value of every skip, in the order of their lengths."""
        shared = self._shared_layers(params.behaviour)
        return self.skip_values_part.values(params.skip, shared, observation, action)

    def skip_values(
        self, params: SkipParams, observation: Array, action: Array
    ) -> dict[int, float]:
        """The learned value of every skip for an action."""
        values = self.values_of_skips(params, observation, action)
        return dict(zip(self.skip_lengths, map(float, values), strict=True))

    def greedy(self, params: SkipParams, observation: Array, memory: Memory) -> Choice:
        """The best action, for the longest of the best lengths."""
        action = self.behaviour.best_action(params.behaviour, observation)
        values = self.values_of_skips(params, observation, action)
        good = values >= values.max() - self.tie_tolerance
        from_the_longest = values.__array_namespace__().asarray(self.skip_lengths[::-1])
        return Choice(Decision(action, from_the_longest[good[::-1].argmax()]))

    def decide(
        self, state: SkipState, observation: Array, memory: Memory, key: Array, progress: Array
    ) -> Choice:
        """The behaviour's action, and a length: the best, or with probability epsilon any."""
        action_key, skip_key = jax.random.split(key)
        action = self.behaviour.act(state.behaviour, observation, action_key, progress)
        values = self.values_of_skips(self.params(state), observation, action)
        warming_up = self.behaviour.is_warming_up(state.behaviour)
        chosen = epsilon_greedy(values, self._skip_epsilon, skip_key, progress, warming_up)
        return Choice(Decision(action, jnp.asarray(self.skip_lengths, jnp.int32)[chosen]))

    def update(self, state: SkipState, batch: Batch, key: Array) -> tuple[SkipState, Metrics]:
        """The behaviour learns from transitions, the skip policy from connections."""
        assert batch.connections is not None
        behaviour, metrics = self.behaviour.update(state.behaviour, batch, key)
        state, skip_metrics = self.learn_skips(
            state._replace(behaviour=behaviour), batch.connections
        )
        return state, metrics | skip_metrics

    def learn_skips(self, state: SkipState, connections: Connection) -> tuple[SkipState, Metrics]:
        """Take a step down the gradient of the loss on connections."""
        following = self.behaviour.value(state.behaviour, connections.next_observation)

        def loss(learned: tuple[tuple[Params, ...], Params]) -> Array:
            shared, skip = learned
            return self.skip_values_part.loss(skip, shared, connections, following)

        learned = (self._shared_layers(self.behaviour.params(state.behaviour)), state.skip)
        error, gradient = jax.value_and_grad(loss)(learned)
        changes, optimiser = self.behaviour.optimiser.update(gradient, state.optimiser)
        shared, skip = optax.apply_updates(learned, changes)
        behaviour = state.behaviour
        if shared:
            behaviour = self.behaviour.with_shared_layers(behaviour, shared)
        return SkipState(behaviour, skip, optimiser), {"skip_loss": error}


def skip_targets(connections: Connection, following: Array) -> Array:
    """The targets of the values of skips (Eq. 4): `reward + discount * value`."""
    targets: Array = connections.reward + connections.discount * following
    return targets


def values_taught(values: Array, connections: Connection, skips: Skips) -> Array:
    """Of the values of all skips, those of the skips that were played."""
    taught = connections.skip[:, None] == jnp.asarray(skips)
    return jnp.sum(values * taught, axis=-1)
