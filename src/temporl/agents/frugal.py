"""Frugal agents: hold an action as long as that costs less than deciding again.

for every decision:
    the behaviour picks an action a
    a is held for the j steps with the largest sum over k < j of (price - cost of holding k steps)
for every step:
    the behaviour learns from transitions, as it always does
    from the same transitions (s, a, s'), with the gap g(s', a) = V(s') - Q(s', a):
        move cost_1(s, a) towards discount * g(s', a)
        move cost_{k+1}(s, a) towards discount * cost_k(s', a)

`cost_k` is what it will cost to be still playing a, k steps from now. The costs of a skip add up to
exactly what it loses: Q(s, a) - Q(s, j | a) = cost_1 + ... + cost_{j-1}. Each learns from the one
before it, never from itself, and all of them from single steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from temporl.agents.agent import Behaviour, Choice, HeldBy, Memory, Spaces, State
from temporl.agents.ddpg import DDPG
from temporl.agents.dqn import DQN
from temporl.agents.options import WORTH_RATE, DecisionCost
from temporl.agents.sac import SAC
from temporl.agents.skips import SkipAgent, SkipParams, SkipState, SkipValues
from temporl.agents.td3 import TD3
from temporl.errors import BadInput, require_at_least
from temporl.networks.convolutions import convolved_size, draw_convolutions, torso
from temporl.networks.layers import (
    Layer,
    apply,
    apply_joined,
    as_input,
    as_rows,
    draw_layers,
    hidden,
    namespace,
    relu,
)
from temporl.replay import Batch
from temporl.skipping import Skips

FREE = 6.0
"""Costs begin near softplus(-6), a four-hundredth of a step's worth: holding is free until a cost
has been learned."""
SMALLEST = 1e-2
"""Costs much smaller than this share of a step's worth need not be told apart."""


class CostNetwork(NamedTuple):
    """The costs of holding an action, in units of what a step is worth."""

    layers: tuple[Layer, ...]
    worth: Float[np.ndarray, " 4"]
    """What a step is worth, as running sums: rewards, what ends the horizon, values, weights."""


@dataclass(frozen=True)
class HoldingCosts(SkipValues):
    """Values skips by what holding an action costs, learned from single steps."""

    behaviour: Behaviour
    skips: Skips
    cost: DecisionCost

    def draw(self, random: np.random.Generator, spaces: Spaces) -> CostNetwork:
        """Draw a network with outputs for each action, or that takes continuous ones for input."""
        outputs, inputs = self.skips[-1] - 1, spaces.inputs
        if spaces.continuous:
            inputs += spaces.actions
        else:
            outputs *= spaces.actions
        if spaces.shows_images:
            shape = spaces.observation_shape
            inputs = convolved_size(draw_convolutions(random, shape), shape)
        layers = draw_layers(random, (inputs, *self.behaviour.hidden, outputs))
        return CostNetwork(layers, np.zeros(4, np.float32))

    def costs(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """What it costs to be still playing an action 1, 2, ... steps from now.

        In units of what a step is worth.
        """
        *inner, last = params.skip.layers
        if self.behaviour.continuous:
            first, *rest = inner
            inputs = as_input(observation, first.weight.shape[0] - action.shape[-1])
            features = hidden(rest, relu(apply_joined(first, inputs, action.T)))
        elif observation.ndim > 2:  # images: the behaviour's convolutions see them, and learn alone
            layers = self.behaviour.shared_layers(params.behaviour)
            features = hidden(inner, torso(layers, observation).T)
        else:
            features = hidden(inner, as_input(observation, inner[0].weight.shape[0]))
        outputs = as_rows(apply(last, features))
        if not self.behaviour.continuous:  # a row for each action
            outputs = outputs.reshape(*outputs.shape[:-1], -1, self.skips[-1] - 1)
            outputs = outputs[(*np.indices(outputs.shape[:-2]), action)]
        costs: Array = namespace(outputs).logaddexp(outputs - FREE, 0)
        return costs

    def worth(self, params: SkipParams) -> Array:
        """What a step is worth, in reward: 0 as long as nothing was earned or expected."""
        reward, ending, expected, weight = params.skip.worth
        earned = (1 - self.behaviour.gamma) * reward / (ending + (weight == 0))
        worth: Array = namespace(params.skip.worth).maximum(
            earned, expected / (weight + (weight == 0))
        )
        return worth

    def losses(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """What every length up to the longest loses beside deciding at each step, in reward."""
        costs = self.costs(params, observation, action)
        module = namespace(costs)
        nothing = module.zeros((*costs.shape[:-1], 1), dtype=costs.dtype)
        lost = module.concat([nothing, module.cumulative_sum(costs, axis=-1)], axis=-1)
        losses: Array = self.worth(params) * lost[..., np.array(self.skips) - 1]
        return losses

    def values(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """The value of every skip for an action: that of the action, less what the skip loses."""
        value = self.behaviour.value_of(params.behaviour, observation, action)
        values: Array = value[..., None] - self.losses(params, observation, action)
        return values

    def estimates(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """The price of the decisions that every skip saves, less what it loses."""
        losses = self.losses(params, observation, action)
        estimates: Array = -losses + self.price(params) * (np.array(self.skips, np.float32) - 1)
        return estimates

    def price(self, params: SkipParams) -> Array | float:
        """What a decision costs, in reward."""
        return self.worth(params) * self.cost.amount if self.cost.relative else self.cost.amount

    def loss(self, params: SkipParams, behaviour: State, batch: Batch, key: Array) -> Array:
        """How far costs are from their targets, relative to their size (a Poisson deviance).

        Costs range over orders of magnitude; the best estimate is still the mean of the targets.
        """
        played = batch.transitions
        assert played is not None
        gap, _ = self.behaviour.gap(behaviour, played.next_observation, played.action)
        unit = jnp.maximum(self.worth(params), 1e-6)
        later = self.costs(params, played.next_observation, played.action)[:, :-1]
        targets = jnp.concatenate([(gap / unit)[:, None], later], axis=-1)
        targets = jax.lax.stop_gradient(played.discount[:, None] * targets)
        costs = self.costs(params, played.observation, played.action)
        deviance: Array = costs - (targets + SMALLEST) * jnp.log(costs + SMALLEST)
        return deviance.sum(axis=-1).mean()

    def follow(self, params: SkipParams, behaviour: State, batch: Batch) -> CostNetwork:
        """Go on averaging what a step earns, and what it should earn."""
        played = batch.transitions
        assert played is not None
        _, value = self.behaviour.gap(behaviour, played.next_observation, played.action)
        reward, ending = jnp.abs(played.reward).mean(), 1 - played.discount.mean()
        expected = (1 - self.behaviour.gamma) * jnp.abs(value).mean()
        now = jnp.stack([reward, ending, expected, jnp.ones(())])
        worth = params.skip.worth + WORTH_RATE * (now - params.skip.worth)
        return CostNetwork(params.skip.layers, worth)


@dataclass(frozen=True)
class FrugalRL(SkipAgent):
    """Any behaviour that holds its actions as long as that costs less than deciding again."""

    held_by: ClassVar[HeldBy | None] = "decision_cost"

    decision_cost: float | str = "5%"
    """What a decision costs: a number, in reward, or a percentage of what a step is worth. 0 is the
    behaviour itself, deciding at every step."""
    skip_epsilon: float | str | None = 0.0
    """Probability of a random length in training, as a schedule. Default: none, because holding
    explores by itself."""

    def __post_init__(self) -> None:
        require_at_least("max_skip", self.max_skip, 2)
        if self.behaviour.gamma >= 1:
            reason = "what a step is worth is undefined without a discount; allowed: below 1"
            raise BadInput("gamma", self.behaviour.gamma, reason)
        DecisionCost.read(self.decision_cost)
        super().__post_init__()

    @property
    def valuation(self) -> HoldingCosts:
        """The costs of holding."""
        return HoldingCosts(self.behaviour, self.skip_lengths, self.cost)

    @property
    def cost(self) -> DecisionCost:
        """What a decision costs."""
        return DecisionCost.read(self.decision_cost)

    def price(self, params: SkipParams) -> float:
        """What a decision costs, in reward."""
        return float(self.valuation.price(params))

    def decide(
        self, state: SkipState, observation: Array, memory: Memory, key: Array, progress: Array
    ) -> Choice:
        """The behaviour's action in training, held as long as it pays, or for any length."""
        if self.cost.amount == 0:
            return self.behaviour.decide(state.behaviour, observation, memory, key, progress)
        skip_key = jax.random.fold_in(key, 2)  # a behaviour may split the key
        return self.decide_by(state, observation, key, skip_key, progress)

    def greedy(self, params: SkipParams, observation: Array, memory: Memory) -> Choice:
        """The best action, held as long as it pays."""
        if self.cost.amount == 0:
            return self.behaviour.greedy(params.behaviour, observation, memory)
        return super().greedy(params, observation, memory)


@dataclass(frozen=True)
class FrugalDQN(FrugalRL):
    """Frugal DQN (`frugal-dqn`): holds an action as long as a decision would cost more."""

    behaviour: DQN = field(default_factory=DQN)


@dataclass(frozen=True)
class FrugalDDPG(FrugalRL):
    """Frugal DDPG (`frugal-ddpg`): as frugal-dqn, for continuous actions."""

    behaviour: DDPG = field(default_factory=DDPG)


@dataclass(frozen=True)
class FrugalTD3(FrugalRL):
    """Frugal TD3 (`frugal-td3`): as frugal-ddpg, on top of TD3."""

    behaviour: TD3 = field(default_factory=TD3)


@dataclass(frozen=True)
class FrugalSAC(FrugalRL):
    """Frugal SAC (`frugal-sac`): as frugal-ddpg, on top of SAC."""

    behaviour: SAC = field(default_factory=SAC)
