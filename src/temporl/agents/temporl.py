"""TempoRL: any behaviour, and a skip policy on top of it (section 3 of the paper).

for every decision:
    the behaviour picks an action a
    the skip policy picks a length j = argmax_j Q(s, j | a), or with probability epsilon any
    a is played j times, or until the episode ends
for every step:
    the behaviour learns from transitions, as it always does
    draw connections (s, a, j, r, discount, s') from the ring
    move Q(s, j | a) towards r + discount * V(s'), with the behaviour's value V
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from temporl.agents.agent import Metrics, Spaces
from temporl.agents.ddpg import DDPG
from temporl.agents.dqn import DQN, epsilon_greedy
from temporl.agents.sac import SAC
from temporl.agents.td3 import TD3
from temporl.errors import BadInput, require_range
from temporl.networks import (
    ARCHITECTURES,
    Architecture,
    SkipNetwork,
    image_skip_network,
    skip_network,
    skip_values,
)
from temporl.networks.layers import Numbers
from temporl.replay import Batch, RingLayout
from temporl.schedules import schedule
from temporl.skipping import Connection, Decision, Skips
from temporl.skipping.skips import read_skips

LONGEST_SKIP = 1024


class TempoNetworks(NamedTuple):
    """What decides: the behaviour's networks, and the skip network."""

    behaviour: Any
    skip: SkipNetwork


class TempoLearning(NamedTuple):
    """What learns: the behaviour, and the skip network."""

    behaviour: Any
    skip: SkipNetwork
    optimiser: optax.OptState


@dataclass(frozen=True)
class TempoRL:
    """Any behaviour with a skip policy on top."""

    behaviour: Any
    """Who picks the action."""
    max_skip: int | None = None
    """Longest skip J; 10 unless given, as in the paper's MountainCar."""
    skips: str | tuple[int, ...] = "all"
    """The set of skips: 'all' (1 to J), 'powers-of-two' up to J, or any as in '1,3,9'."""
    architecture: Architecture = "concat"
    """How the skip network learns about the action. Section 3.2 of the paper tries all three."""
    connections: Literal["run", "skip"] = "run"
    """Connections span decisions with the same action ('run'), or lie within one ('skip': the
    paper)."""
    skip_epsilon: float | str | None = None
    """Exploration of the skip; unless given the same epsilon as that of the action, as in the
    paper, or 0.1 where actions are explored without one, as in the paper's Pendulum."""
    tie_tolerance: float = 0.0
    """The greedy policy plays the longest skip whose value is at most this far below the best."""

    def __post_init__(self) -> None:
        for name, allowed in (("architecture", ARCHITECTURES), ("connections", ("run", "skip"))):
            if getattr(self, name) not in allowed:
                raise BadInput(name, getattr(self, name), f"allowed: {', '.join(allowed)}")
        if self.architecture == "shared" and not hasattr(self.behaviour, "shared_layers"):
            raise BadInput(
                "architecture",
                self.architecture,
                "allowed: concat, context; this behaviour has no layers that see the observation"
                " alone and that a skip network could share",
            )
        require_range("tie_tolerance", self.tie_tolerance, 0.0, np.inf)
        schedule(self._skip_epsilon, "skip_epsilon")
        if self.skip_lengths[-1] > LONGEST_SKIP:
            raise BadInput("max_skip", self.skip_lengths[-1], f"allowed: at most {LONGEST_SKIP}")

    @property
    def continuous(self) -> bool:
        """Whether actions are numbers within bounds."""
        return bool(self.behaviour.continuous)

    @property
    def skip_lengths(self) -> Skips:
        """The durations the agent can choose."""
        return read_skips(self.skips, self.max_skip, default=10)

    @property
    def _skip_epsilon(self) -> float | str:
        default: float | str = getattr(self.behaviour, "epsilon", 0.1)
        return default if self.skip_epsilon is None else self.skip_epsilon

    def networks(self, random: np.random.Generator, spaces: Spaces) -> TempoNetworks:
        """Draw the behaviour's networks and the skip network."""
        behaviour = self.behaviour.networks(random, spaces)
        widths, skips = self.behaviour.hidden, len(self.skip_lengths)
        if spaces.shows_images:
            shape = spaces.observation_shape
            skip = image_skip_network(random, self.architecture, shape, widths, skips)
        else:
            action = spaces.actions if spaces.continuous else 1
            skip = skip_network(random, self.architecture, spaces.inputs, action, widths, skips)
        return TempoNetworks(behaviour, skip)

    def init(self, networks: TempoNetworks) -> TempoLearning:
        """The state in which learning begins."""
        behaviour = self.behaviour.init(networks.behaviour)
        skip: SkipNetwork = jax.tree.map(jnp.asarray, networks.skip)
        shared = self._shared_layers(self.behaviour.policy(behaviour))
        return TempoLearning(behaviour, skip, self.behaviour.optimiser.init((shared, skip)))

    def _shared_layers(self, behaviour: Any) -> tuple[Any, ...]:
        """The layers of the behaviour's networks that belong to the skip network as well."""
        if self.architecture != "shared":
            return ()
        shared: tuple[Any, ...] = self.behaviour.shared_layers(behaviour)
        return shared

    def policy(self, state: TempoLearning) -> TempoNetworks:
        """All networks as they are now."""
        return TempoNetworks(self.behaviour.policy(state.behaviour), state.skip)

    def action_values(self, networks: TempoNetworks, observation: Numbers) -> Numbers:
        """The learned value of every action."""
        return self.behaviour.action_values(networks.behaviour, observation)

    def values_of_skips(
        self, networks: TempoNetworks, observation: Numbers, action: Numbers
    ) -> Numbers:
        """The learned value of every skip, in the order of their lengths."""
        shared = self._shared_layers(networks.behaviour)
        return skip_values(networks.skip, shared, observation, action)

    def skip_values(
        self, networks: TempoNetworks, observation: Numbers, action: Numbers
    ) -> dict[int, float]:
        """The learned value of every skip for an action."""
        values = self.values_of_skips(networks, observation, action)
        return dict(zip(self.skip_lengths, map(float, values), strict=True))

    def greedy(self, networks: TempoNetworks, observation: Numbers) -> Decision:
        """The best action, for the longest of the best lengths."""
        action = self.behaviour.best_action(networks.behaviour, observation)
        values = self.values_of_skips(networks, observation, action)
        good = values >= values.max() - self.tie_tolerance
        from_the_longest = np.array(self.skip_lengths[::-1])
        if isinstance(values, Array):
            return Decision(action, jnp.asarray(from_the_longest)[good[::-1].argmax()])
        return Decision(action, from_the_longest[good[::-1].argmax()])

    def decide(
        self, state: TempoLearning, observation: Array, key: Array, spent: Array
    ) -> Decision:
        """The behaviour's action, and a length: the best, or with probability epsilon any."""
        action_key, skip_key = jax.random.split(key)
        action = self.behaviour.act(state.behaviour, observation, action_key, spent)
        values = self.values_of_skips(self.policy(state), observation, action)
        blind = self.behaviour.is_blind(state.behaviour)
        chosen = epsilon_greedy(values, self._skip_epsilon, skip_key, spent, blind)
        return Decision(action, jnp.asarray(self.skip_lengths, jnp.int32)[chosen])

    def replay(self, capacity: int, spare: int | None) -> RingLayout:
        """Single steps and connections."""
        layout: RingLayout = self.behaviour.replay(capacity, spare)
        return replace(layout, skips=self.skip_lengths, spanning=self.connections)

    def update(
        self, state: TempoLearning, batch: Batch, key: Array
    ) -> tuple[TempoLearning, Metrics]:
        """The behaviour learns from transitions, the skip policy from connections."""
        assert batch.connections is not None
        behaviour, metrics = self.behaviour.update(state.behaviour, batch, key)
        state, skip_metrics = self.learn_skips(
            state._replace(behaviour=behaviour), batch.connections
        )
        return state, metrics | skip_metrics

    def learn_skips(
        self, state: TempoLearning, connections: Connection
    ) -> tuple[TempoLearning, Metrics]:
        """Move the values of the skips that were played towards their targets (Eq. 4)."""
        value = self.behaviour.value(state.behaviour, connections.next_observation)
        targets = connections.reward + connections.discount * value
        taught = connections.skip[:, None] == jnp.asarray(self.skip_lengths)

        def loss(learned: tuple[tuple[Any, ...], SkipNetwork]) -> Array:
            shared, skip = learned
            values = skip_values(skip, shared, connections.observation, connections.action)
            error: Array = self.behaviour.error(jnp.sum(values * taught, axis=-1), targets)
            return error

        learned = (self._shared_layers(self.behaviour.policy(state.behaviour)), state.skip)
        error, gradient = jax.value_and_grad(loss)(learned)
        changes, optimiser = self.behaviour.optimiser.update(gradient, state.optimiser)
        shared, skip = optax.apply_updates(learned, changes)
        behaviour = state.behaviour
        if shared:
            behaviour = self.behaviour.with_shared_layers(behaviour, shared)
        return TempoLearning(behaviour, skip, optimiser), {"skip_loss": error}


@dataclass(frozen=True)
class TempoDQN(TempoRL):
    """TempoRL DQN (`t-dqn`): a second network learns how long to play the chosen action."""

    behaviour: DQN = field(default_factory=DQN)


@dataclass(frozen=True)
class TempoDDPG(TempoRL):
    """TempoRL DDPG (`t-ddpg`): continuous actions, and how long to play each."""

    behaviour: DDPG = field(default_factory=DDPG)


@dataclass(frozen=True)
class TempoTD3(TempoRL):
    """TempoRL TD3 (`t-td3`): as t-ddpg, on top of TD3."""

    behaviour: TD3 = field(default_factory=TD3)


@dataclass(frozen=True)
class TempoSAC(TempoRL):
    """TempoRL SAC (`t-sac`): as t-ddpg, on top of SAC."""

    behaviour: SAC = field(default_factory=SAC)
