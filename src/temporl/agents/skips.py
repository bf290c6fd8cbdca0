"""A skip policy as a part: a behaviour, a way to value skips, and a way to choose among them.

for every decision:
    the behaviour picks an action a
    the skip policy picks a length j from the values of all skips for a, or explores
    a is played j times, or until the episode ends
for every step:
    the behaviour learns from transitions, as it always does
    the way to value skips learns from its own samples

`SkipAgent` is all of that but the way to value skips, which is one class (`SkipValues`): it draws
its arrays, values all skips, and has a loss on a batch. `agents/temporl.py` has the paper's way.
Another way to choose is another `SkipChooser`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from temporl.agents.agent import (
    Behaviour,
    Choice,
    HeldBy,
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
from temporl.replay import Batch, Experience
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
        """Which connections are sampled for it; "none" where transitions are enough."""
        return "none"

    def shared_layers(self, behaviour: Params) -> tuple[Params, ...]:
        """Those of the behaviour's layers that it uses, and trains as well."""
        return ()

    def draw(self, random: np.random.Generator, spaces: Spaces) -> Params:
        """Draw its arrays."""
        ...

    def values(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """The value of every skip for an action; a row for every sample of a batch."""
        ...

    def estimates(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """What the chooser chooses from: the values, or more than a value for every skip."""
        return self.values(params, observation, action)

    def loss(self, params: SkipParams, behaviour: State, batch: Batch, key: Array) -> Array:
        """The loss on a batch.

        Its gradient with respect to `params` is followed; targets come from the behaviour's state.
        """
        ...

    def follow(self, params: SkipParams, behaviour: State, batch: Batch) -> Params:
        """Its arrays after a batch; for those that do not follow a gradient."""
        return params.skip


class SkipChooser(Protocol):
    """A way to choose a length from the estimates of all skips for one observation."""

    def greedy(self, estimates: Array) -> Array:
        """The best length; NumPy arrays are answered by NumPy, JAX arrays by JAX."""
        ...

    def explore(
        self, estimates: Array, key: Array, progress: Array, warming_up: Array | bool
    ) -> Array:
        """A length in training."""
        ...


@dataclass(frozen=True)
class EpsilonGreedy(SkipChooser):
    """The paper's chooser: the skip with the highest value, or with probability epsilon any."""

    skips: Skips
    epsilon: float | str
    tie_tolerance: float

    def greedy(self, estimates: Array) -> Array:
        """The longest skip whose value is at most the tolerance below the best."""
        good = estimates >= estimates.max() - self.tie_tolerance
        from_the_longest = estimates.__array_namespace__().asarray(self.skips[::-1])
        length: Array = from_the_longest[good[::-1].argmax()]
        return length

    def explore(
        self, estimates: Array, key: Array, progress: Array, warming_up: Array | bool
    ) -> Array:
        """The skip with the highest value, or with probability epsilon any."""
        chosen = epsilon_greedy(estimates, self.epsilon, key, progress, warming_up)
        return jnp.asarray(self.skips, jnp.int32)[chosen]


@dataclass(frozen=True)
class SkipAgent(NetworkAgent):
    """Any behaviour with a skip policy on top; subclasses bring the way to value skips."""

    held_by: ClassVar[HeldBy | None] = "tie_tolerance"

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
        require_range("tie_tolerance", self.tie_tolerance, 0.0, np.inf)
        schedule(self._skip_epsilon, "skip_epsilon")
        if self.skip_lengths[-1] > LONGEST_SKIP:
            raise BadInput("max_skip", self.skip_lengths[-1], f"allowed: at most {LONGEST_SKIP}")

    @property
    def valuation(self) -> SkipValues:
        """The way to value skips."""
        raise NotImplementedError

    @property
    def chooser(self) -> SkipChooser:
        """The way to choose among them."""
        return EpsilonGreedy(self.skip_lengths, self._skip_epsilon, self.tie_tolerance)

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
            connections=self.valuation.learns_from,
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
        return SkipParams(behaviour, self.valuation.draw(random, spaces))

    def init(self, params: SkipParams) -> SkipState:
        """The state in which learning begins."""
        behaviour = self.behaviour.init(params.behaviour)
        skip = jax.tree.map(jnp.asarray, params.skip)
        shared = self.valuation.shared_layers(self.behaviour.params(behaviour))
        return SkipState(behaviour, skip, self.behaviour.optimiser.init((shared, skip)))

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
        return self.valuation.values(params, observation, action)

    def skip_values(
        self, params: SkipParams, observation: Array, action: Array
    ) -> dict[int, float]:
        """The learned value of every skip for an action."""
        values = self.values_of_skips(params, observation, action)
        return dict(zip(self.skip_lengths, map(float, values), strict=True))

    def greedy(self, params: SkipParams, observation: Array, memory: Memory) -> Choice:
        """The best action, for the length that the chooser finds best."""
        action = self.behaviour.best_action(params.behaviour, observation)
        estimates = self.valuation.estimates(params, observation, action)
        return Choice(Decision(action, self.chooser.greedy(estimates)))

    def decide(
        self, state: SkipState, observation: Array, memory: Memory, key: Array, progress: Array
    ) -> Choice:
        """The behaviour's action in training, for the chooser's length in training."""
        action_key, skip_key = jax.random.split(key)
        return self.decide_by(state, observation, action_key, skip_key, progress)

    def decide_by(
        self,
        state: SkipState,
        observation: Array,
        action_key: Array,
        skip_key: Array,
        progress: Array,
    ) -> Choice:
        """The same from one key for the action and one for the length."""
        action = self.behaviour.act(state.behaviour, observation, action_key, progress)
        estimates = self.valuation.estimates(self.params(state), observation, action)
        warming_up = self.behaviour.is_warming_up(state.behaviour)
        return Choice(
            Decision(action, self.chooser.explore(estimates, skip_key, progress, warming_up))
        )

    def update(self, state: SkipState, batch: Batch, key: Array) -> tuple[SkipState, Metrics]:
        """The behaviour learns from transitions, then the skip policy from the same batch."""
        behaviour, metrics = self.behaviour.update(state.behaviour, batch, key)
        # A behaviour may split its key, which derives the first two from it.
        skip_key = jax.random.fold_in(key, 2)
        state, skip_metrics = self.learn_skips(state._replace(behaviour=behaviour), batch, skip_key)
        return state, metrics | skip_metrics

    def learn_skips(self, state: SkipState, batch: Batch, key: Array) -> tuple[SkipState, Metrics]:
        """Take a step down the gradient of the loss of the values of skips."""

        def with_learned(learned: tuple[tuple[Params, ...], Params]) -> SkipState:
            shared, skip = learned
            behaviour = state.behaviour
            if shared:
                behaviour = self.behaviour.with_shared_layers(behaviour, shared)
            return state._replace(behaviour=behaviour, skip=skip)

        def loss(learned: tuple[tuple[Params, ...], Params]) -> Array:
            params = self.params(with_learned(learned))
            return self.valuation.loss(params, state.behaviour, batch, key)

        learned = self.valuation.shared_layers(self.behaviour.params(state.behaviour)), state.skip
        error, gradient = jax.value_and_grad(loss)(learned)
        changes, optimiser = self.behaviour.optimiser.update(gradient, state.optimiser)
        state = with_learned(optax.apply_updates(learned, changes))
        skip = self.valuation.follow(self.params(state), state.behaviour, batch)
        return state._replace(skip=skip, optimiser=optimiser), {"skip_loss": error}


def values_taught(values: Array, connections: Connection, skips: Skips) -> Array:
    """Of the values of all skips, those of the skips that were played."""
    taught = connections.skip[:, None] == jnp.asarray(skips)
    return jnp.sum(values * taught, axis=-1)
