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
from typing import Literal

import numpy as np
from jax import Array

from temporl.agents.agent import Behaviour, Options, Params, Spaces, State
from temporl.agents.ddpg import DDPG
from temporl.agents.dqn import DQN
from temporl.agents.sac import SAC
from temporl.agents.skips import SkipAgent, SkipParams, SkipValues, values_taught
from temporl.agents.td3 import TD3
from temporl.environments.images import shows_images
from temporl.environments.types import Space
from temporl.errors import BadInput, require_range
from temporl.networks.skip_networks import (
    ARCHITECTURES,
    Architecture,
    SkipNetwork,
    image_skip_network,
    skip_network,
    skip_values,
)
from temporl.replay import Batch, Experience
from temporl.skipping import Skips, Spanning


@dataclass(frozen=True)
class ConnectionValues(SkipValues):
    """The paper's way to value skips: a network that learns from connections."""

    behaviour: Behaviour
    skips: Skips
    architecture: Architecture
    connections: Literal["run", "skip"]

    @property
    def learns_from(self) -> Spanning:
        """Which connections it learns from."""
        return self.connections

    def shared_layers(self, behaviour: Params) -> tuple[Params, ...]:
        """The behaviour's first layers, where the architecture shares them."""
        return self.behaviour.shared_layers(behaviour) if self.architecture == "shared" else ()

    def draw(self, random: np.random.Generator, spaces: Spaces) -> SkipNetwork:
        """Draw the skip network."""
        widths, skips = self.behaviour.hidden, len(self.skips)
        if spaces.shows_images:
            shape = spaces.observation_shape
            return image_skip_network(random, self.architecture, shape, widths, skips)
        action = spaces.actions if spaces.continuous else 1
        return skip_network(random, self.architecture, spaces.inputs, action, widths, skips)

    def values(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """What the skip network outputs."""
        shared = self.shared_layers(params.behaviour)
        return skip_values(params.skip, shared, observation, action)

    def loss(self, params: SkipParams, behaviour: State, batch: Batch, key: Array) -> Array:
        """The loss of the skips that were played, from `reward + discount * value` (Eq. 4)."""
        played = batch.connections
        assert played is not None
        following = self.behaviour.value(behaviour, played.next_observation)
        values = self.values(params, played.observation, played.action)
        targets = played.reward + played.discount * following
        return self.behaviour.error(values_taught(values, played, self.skips), targets)


@dataclass(frozen=True)
class TempoRL(SkipAgent):
    """Any behaviour with the paper's skip policy on top."""

    architecture: Architecture = "concat"
    """How the action enters the skip network. Section 3.2 of the paper tries all three."""
    connections: Literal["run", "skip"] = "run"
    """Connections span decisions with the same action ('run'), or lie within one ('skip').
    The paper: 'skip'."""
    decision_cost: float = 0.0
    """What a decision costs, in reward: subtracted in training, where a decision is made."""

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("architecture", self.architecture, ARCHITECTURES),
            ("connections", self.connections, ("run", "skip")),
        ):
            if value not in allowed:
                raise BadInput(name, value, f"allowed: {', '.join(allowed)}")
        if self.architecture == "shared" and not self.behaviour.shares_layers:
            raise BadInput(
                "architecture",
                "shared",
                "allowed: concat, context; this behaviour has no layers that see the observation"
                " alone and that a skip network could share",
            )
        require_range("decision_cost", self.decision_cost, 0.0, np.inf)
        super().__post_init__()

    @property
    def learns_from(self) -> Experience:
        """Single steps, and connections of all skips; a price is paid once for each."""
        return replace(super().learns_from, decision_cost=self.decision_cost)

    @property
    def valuation(self) -> SkipValues:
        """A network that learns from connections."""
        return ConnectionValues(
            self.behaviour, self.skip_lengths, self.architecture, self.connections
        )

    @classmethod
    def defaults_for(cls, observations: Space) -> Options:
        """As the behaviour's, with the paper's shared network for images."""
        options = super().defaults_for(observations)
        return options | {"architecture": "shared"} if options else {}

    def check(self, observations: Space, actions: Space, environment: str) -> None:
        """Raise `BadInput` unless the agent can learn from such observations and actions."""
        super().check(observations, actions, environment)
        if shows_images(observations) and self.architecture == "concat":
            raise BadInput(
                "architecture",
                "concat",
                f"{environment!r} shows images, which an action cannot be joined to; allowed:"
                " context, shared",
            )


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
