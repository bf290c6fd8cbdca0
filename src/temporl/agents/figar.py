"""FiGAR, fine grained action repetition, on top of DDPG (Sharma et al., 2017).

    the actor says an action and how probable every repeat is; both share the first layer
    for every decision:
        play the action with a little noise, for the most probable repeat
        or, with probability epsilon, any
    for every step:
        draw whole decisions (s, a, repeat, r, discount, s') from the ring
        move Q(s, a, repeat) towards r + discount * target Q(s', target pi(s'))
        move pi, action and probabilities, so that Q(s, pi(s)) grows

The critic sees the repeat that was played as a certainty, and what the actor proposes as
probabilities. The discount of a decision is gamma to the number of steps it took; one that a time
limit cut short is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import Metrics, Spaces
from temporl.agents.ddpg import DDPG, ActorCriticLearning
from temporl.agents.dqn import epsilon_greedy
from temporl.errors import require_at_least
from temporl.networks import (
    ActorCritic,
    Layer,
    apply,
    as_input,
    as_rows,
    draw_layers,
    hidden,
    least_value,
    squashed,
)
from temporl.networks.layers import Numbers, namespace
from temporl.replay import Batch, RingLayout
from temporl.schedules import schedule
from temporl.skipping import Decision, Skips, consecutive


class RepeatingActor(NamedTuple):
    """An actor with two answers."""

    shared: tuple[Layer, ...]
    action: tuple[Layer, ...]
    repeat: tuple[Layer, ...]


@dataclass(frozen=True)
class FiGAR(DDPG):
    """FiGAR DDPG (`figar`): the actor says how probable every repeat of its action is."""

    max_skip: int = 10
    """Longest repeat J; all from 1 to J can be chosen. Table 2 of the paper: 2 to 20."""
    epsilon: float | str = 0.1
    """Exploration of the repeat. The paper's code: 0.1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("max_skip", self.max_skip, 1)
        schedule(self.epsilon)

    @property
    def skip_lengths(self) -> Skips:
        """The durations the agent can choose."""
        return consecutive(self.max_skip)

    def networks(self, random: np.random.Generator, spaces: Spaces) -> ActorCritic:
        """Draw the actor, and a critic of actions with repeats."""
        first, *rest = self.hidden
        actor = RepeatingActor(
            draw_layers(random, (spaces.inputs, first)),
            draw_layers(random, (first, *rest, spaces.actions)),
            draw_layers(random, (first, *rest, self.max_skip)),
        )
        inputs = spaces.inputs + spaces.actions + self.max_skip
        return ActorCritic(actor, (draw_layers(random, (inputs, *self.hidden, 1)),))

    def proposal(self, actor: RepeatingActor, observation: Numbers) -> Numbers:
        """The action, and the probability of every repeat."""
        inputs = as_input(observation, actor.shared[0].weight.shape[0])
        features = hidden(actor.shared, inputs)
        action, repeat = (
            as_rows(apply(branch[-1], hidden(branch[:-1], features)))
            for branch in (actor.action, actor.repeat)
        )
        module = namespace(action)
        chances = module.exp(repeat - repeat.max(-1, keepdims=True))
        chances = chances / chances.sum(-1, keepdims=True)
        return module.concat([squashed(action), chances], axis=-1)

    def best_action(self, networks: ActorCritic, observation: Numbers) -> Numbers:
        """The actor's action."""
        return self.proposal(networks.actor, observation)[..., : -self.max_skip]

    def greedy(self, networks: ActorCritic, observation: Numbers) -> Decision:
        """The actor's action, and the most probable repeat."""
        proposal = self.proposal(networks.actor, observation)
        repeat = 1 + proposal[..., -self.max_skip :].argmax(-1)
        return Decision(proposal[..., : -self.max_skip], repeat)

    def decide(
        self, state: ActorCriticLearning, observation: Array, key: Array, spent: Array
    ) -> Decision:
        """The actor's action with noise, and the most probable repeat or any."""
        action_key, repeat_key = jax.random.split(key)
        action = self.act(state, observation, action_key, spent)
        chances = self.proposal(state.networks.actor, observation)[-self.max_skip :]
        repeat = epsilon_greedy(chances, self.epsilon, repeat_key, spent, self.is_blind(state))
        return Decision(action, 1 + repeat)

    def skip_values(
        self, networks: ActorCritic, observation: Numbers, action: Numbers
    ) -> dict[int, float]:
        """The learned value of playing an action for every repeat."""
        return {
            skip: float(least_value(networks.critics, observation, np.append(action, certainty)))
            for skip, certainty in zip(self.skip_lengths, np.eye(self.max_skip), strict=True)
        }

    def replay(self, capacity: int, spare: int | None) -> RingLayout:
        """Whole decisions."""
        layout = super().replay(capacity, spare)
        return replace(layout, skips=self.skip_lengths, spanning="decision", transitions=False)

    def update(
        self, state: ActorCriticLearning, batch: Batch, key: Array
    ) -> tuple[ActorCriticLearning, Metrics]:
        """Learn from the decisions of a batch."""
        decisions: Any = batch.connections
        certainty = jax.nn.one_hot(decisions.skip - 1, self.max_skip)
        played = decisions._replace(action=jnp.append(decisions.action, certainty, axis=-1))
        return super().update(state, Batch(played, None), key)
