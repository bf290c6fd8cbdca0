"""Uncertainty-aware temporal extension on top of DQN (UTE; Lee et al., AAAI 2024).

for every decision:
    the behaviour picks an action a
    it is played for argmax_j of mean Q(s, j | a) + uncertainty * std Q(s, j | a) over the members
for every step:
    the behaviour learns from transitions, as it always does
    all members learn from the same connections, each without a random part of them
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import Params, Spaces, State
from temporl.agents.skips import SkipChooser, SkipParams, SkipValues
from temporl.agents.temporl import TempoDQN
from temporl.errors import require_at_least, require_range
from temporl.replay import Batch
from temporl.skipping import Spanning


@dataclass(frozen=True)
class EnsembleValues(SkipValues):
    """Several members that value skips: where they disagree, little is known yet."""

    one: SkipValues
    members: int
    mask_probability: float

    @property
    def learns_from(self) -> Spanning:
        """Which connections a member learns from."""
        return self.one.learns_from

    def shared_layers(self, behaviour: Params) -> tuple[Params, ...]:
        """Those of the behaviour's layers that a member uses."""
        return self.one.shared_layers(behaviour)

    def draw(self, random: np.random.Generator, spaces: Spaces) -> tuple[Params, ...]:
        """Draw the arrays of every member."""
        return tuple(self.one.draw(random, spaces) for _ in range(self.members))

    def estimates(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """The values of all skips, first by member."""
        alone = [params._replace(skip=member) for member in params.skip]
        values = [self.one.values(each, observation, action) for each in alone]
        stacked: Array = values[0].__array_namespace__().stack(values)
        return stacked

    def values(self, params: SkipParams, observation: Array, action: Array) -> Array:
        """The mean over the members."""
        return self.estimates(params, observation, action).mean(axis=0)

    def loss(self, params: SkipParams, behaviour: State, batch: Batch, key: Array) -> Array:
        """The mean loss of the members, each on connections under a mask of its own."""
        played = batch.connections
        assert played is not None
        shape = (self.members, *played.skip.shape)
        masks = jax.random.bernoulli(key, self.mask_probability, shape)
        losses = []
        for member, mask in zip(params.skip, masks, strict=True):
            # A connection of length 0 teaches no skip, and a target of 0 adds no error.
            skip, reward = played.skip * mask, played.reward * mask
            seen = played._replace(skip=skip, reward=reward, discount=played.discount * mask)
            batch = batch._replace(connections=seen)
            losses.append(self.one.loss(params._replace(skip=member), behaviour, batch, key))
        return jnp.stack(losses).mean()


@dataclass(frozen=True)
class UncertaintyAware(SkipChooser):
    """Chooses by the mean over the members, and by how far they disagree."""

    chooser: SkipChooser
    uncertainty: float

    def judged(self, estimates: Array) -> Array:
        """One value for every skip: mean + uncertainty * standard deviation."""
        return estimates.mean(axis=0) + self.uncertainty * estimates.std(axis=0)

    def greedy(self, estimates: Array) -> Array:
        """The best length."""
        return self.chooser.greedy(self.judged(estimates))

    def explore(
        self, estimates: Array, key: Array, progress: Array, warming_up: Array | bool
    ) -> Array:
        """A length in training."""
        return self.chooser.explore(self.judged(estimates), key, progress, warming_up)


@dataclass(frozen=True)
class UTEDQN(TempoDQN):
    """UTE DQN: TempoRL DQN that avoids or seeks lengths whose values are uncertain."""

    members: int = 10
    """Number of skip networks. UTE's code: 10."""
    uncertainty: float = -0.5
    """Weight of the standard deviation over the members: uncertain lengths are avoided below 0,
    and sought above."""
    mask_probability: float = 0.5
    """Probability with which a member learns from a connection. UTE's code: 0.5."""
    skip_epsilon: float | str | None = 0.0
    """Exploration of the skip beside that by uncertainty. UTE's code: none."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("members", self.members, 1)
        require_range("uncertainty", self.uncertainty, -100.0, 100.0)
        require_range("mask_probability", self.mask_probability, 0.0, 1.0, low_open=True)

    @property
    def valuation(self) -> SkipValues:
        """Several times the skip network of TempoRL."""
        return EnsembleValues(super().valuation, self.members, self.mask_probability)

    @property
    def chooser(self) -> SkipChooser:
        """TempoRL's chooser, which sees how far the members disagree."""
        return UncertaintyAware(super().chooser, self.uncertainty)
