"""FiGAR, fine grained action repetition, on top of DDPG (Sharma et al., 2017).

    the actor outputs an action and a probability for every repeat; both share the first layer
    for every decision:
        play the action with a little noise, for the most probable repeat
        or, with probability epsilon, any
    for every step:
        draw whole decisions (s, a, repeat, r, discount, s') from the ring
        move Q(s, a, repeat) towards r + discount * target Q(s', target pi(s'))
        move pi, action and probabilities, so that Q(s, pi(s)) grows

The critic's input is the repeat that was played, one-hot, or the probabilities that the actor
proposes. The discount of a decision is gamma to the number of steps it took; one that a time
limit cut short is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import (
    Behaviour,
    Choice,
    Memory,
    Metrics,
    Params,
    Spaces,
)
from temporl.agents.ddpg import DDPG, ActorCriticState
from temporl.agents.dqn import epsilon_greedy
from temporl.errors import require_at_least, require_range
from temporl.networks.actor_critic import ActorCritic, least_value, squashed
from temporl.networks.layers import Layer, apply, as_input, as_rows, draw_layers, hidden, namespace
from temporl.replay import Batch, Experience
from temporl.schedules import schedule
from temporl.skipping import Decision, Skips, consecutive


class RepeatingActor(NamedTuple):
    """An actor with two outputs: an action, and a probability for every repeat."""

    shared: tuple[Layer, ...]
    action: tuple[Layer, ...]
    repeat: tuple[Layer, ...]


@dataclass(frozen=True)
class FiGAR(DDPG):
    """FiGAR DDPG (`figar`): the actor outputs a probability for every repeat of its action."""

    max_skip: int = 10
    """Longest repeat J; all from 1 to J can be chosen. Table 2 of the paper: 2 to 20."""
    epsilon: float | str = 0.1
    """Exploration of the repeat. The paper's code: 0.1."""
    decision_cost: float = 0.0
    """What a decision costs, in reward: subtracted in training, where a decision is made."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("max_skip", self.max_skip, 1)
        require_range("decision_cost", self.decision_cost, 0.0, np.inf)
        schedule(self.epsilon)

    @property
    def skip_lengths(self) -> Skips:
        """The durations the agent can choose."""
        return consecutive(self.max_skip)

    def draw(self, random: np.random.Generator, spaces: Spaces) -> ActorCritic:
        """Draw the actor, and a critic of actions with repeats."""
        first, *rest = self.hidden
        actor = RepeatingActor(
            draw_layers(random, (spaces.inputs, first)),
            draw_layers(random, (first, *rest, spaces.actions)),
            draw_layers(random, (first, *rest, self.max_skip)),
        )
        inputs = spaces.inputs + spaces.actions + self.max_skip
        return ActorCritic(actor, (draw_layers(random, (inputs, *self.hidden, 1)),))

    def proposal(self, actor: RepeatingActor, observation: Array) -> Array:
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
        proposal: Array = module.concat([squashed(action), chances], axis=-1)
        return proposal

    def best_action(self, params: ActorCritic, observation: Array) -> Array:
        """The actor's action."""
        return self.proposal(params.actor, observation)[..., : -self.max_skip]

    def greedy(self, params: ActorCritic, observation: Array, memory: Memory) -> Choice:
        """The actor's action, and the most probable repeat."""
        proposal = self.proposal(params.actor, observation)
        repeat = 1 + proposal[..., -self.max_skip :].argmax(-1)
        return Choice(Decision(proposal[..., : -self.max_skip], repeat))

    def decide(
        self,
        state: ActorCriticState,
        observation: Array,
        memory: Memory,
        key: Array,
        progress: Array,
    ) -> Choice:
        """The actor's action with noise, and the most probable repeat or any."""
        action_key, repeat_key = jax.random.split(key)
        action = self.act(state, observation, action_key, progress)
        chances = self.proposal(state.networks.actor, observation)[-self.max_skip :]
        warming_up = self.is_warming_up(state)
        repeat = epsilon_greedy(chances, self.epsilon, repeat_key, progress, warming_up)
        return Choice(Decision(action, 1 + repeat))

    def skip_values(
        self, params: ActorCritic, observation: Array, action: Array
    ) -> dict[int, float]:
        """The learned value of playing an action for every repeat."""
        return {
            skip: float(least_value(params.critics, observation, np.append(action, certainty)))
            for skip, certainty in zip(self.skip_lengths, np.eye(self.max_skip), strict=True)
        }

    def behaviour_of(self, params: Params) -> tuple[Behaviour, Params] | None:
        """None: its values are of actions with repeats."""
        return None

    @property
    def learns_from(self) -> Experience:
        """Whole decisions."""
        whole = super().learns_from
        return replace(
            whole,
            skips=self.skip_lengths,
            connections="decision",
            transitions=False,
            decision_cost=self.decision_cost,
        )

    def update(
        self, state: ActorCriticState, batch: Batch, key: Array
    ) -> tuple[ActorCriticState, Metrics]:
        """Learn from the decisions of a batch."""
        decisions = batch.connections
        assert decisions is not None
        certainty = jax.nn.one_hot(decisions.skip - 1, self.max_skip)
        played = decisions._replace(action=jnp.append(decisions.action, certainty, axis=-1))
        return super().update(state, Batch(played, None), key)
