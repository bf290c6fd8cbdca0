"""Dynamic action repetition (Lakshminarayanan et al., 2017).

    the network has two values for each action: played for a few steps, and for many
    for every decision:
        play the best (action, repeat), or with probability epsilon any of them
    for every step:
        draw whole decisions (s, a, repeat, r, discount, s') from the ring
        a*, repeat* = the best at s'
        move Q(s, a, repeat) towards r + discount * target Q(s', a*, repeat*)

The discount of a decision is gamma to the number of steps it took: the targets of a semi-Markov
decision process. A decision that a time limit cut short teaches nothing about its whole length and
is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jax import Array

from temporl.agents.agent import Behaviour, Choice, Memory, Metrics, Params
from temporl.agents.dqn import DQN, DQNState, QNetwork
from temporl.errors import BadInput, require_at_least, require_range
from temporl.replay import Batch, Experience
from temporl.skipping import Connection, Decision, Skips


@dataclass(frozen=True)
class DAR(DQN):
    """Dynamic action repetition (`dar`): every action comes with a fine and a coarse repeat."""

    max_skip: int = 10
    """The coarse repeat. Table 2 of the paper: 2, 4, 6, 8 and 10."""
    fine_skip: int = 1
    """The fine repeat. Table 2 of the paper: 1."""
    decision_cost: float = 0.0
    """What a decision costs, in reward: subtracted in training, where a decision is made."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("fine_skip", self.fine_skip, 1)
        require_range("decision_cost", self.decision_cost, 0.0, np.inf)
        if self.max_skip <= self.fine_skip:
            raise BadInput("max_skip", self.max_skip, f"allowed: more than {self.fine_skip}")

    @property
    def skip_lengths(self) -> Skips:
        """The durations the agent can choose."""
        return Skips((self.fine_skip, self.max_skip))

    def outputs(self, actions: int) -> int:
        """A value for every pair of an action and a repeat: all fine ones, then all coarse ones."""
        return 2 * actions

    def _choice(self, output: Array, outputs: int) -> Choice:
        actions = outputs // 2
        coarse = output // actions
        length = self.fine_skip + coarse * (self.max_skip - self.fine_skip)
        return Choice(Decision(output % actions, length))

    def greedy(self, params: QNetwork, observation: Array, memory: Memory) -> Choice:
        """The best pair of an action and a repeat."""
        values = self.output_values(params, observation)
        return self._choice(values.argmax(-1), values.shape[-1])

    def decide(
        self, state: DQNState, observation: Array, memory: Memory, key: Array, progress: Array
    ) -> Choice:
        """The best pair, or with probability epsilon any."""
        output = self.act(state, observation, key, progress)
        return self._choice(output, state.network[-1].bias.shape[0])

    def action_values(self, params: QNetwork, observation: Array) -> Array:
        """The learned value of every action with the better of its repeats."""
        values = self.output_values(params, observation)
        return values.reshape(*values.shape[:-1], 2, -1).max(-2)

    def skip_values(self, params: QNetwork, observation: Array, action: Array) -> dict[int, float]:
        """The learned value of both repeats of an action."""
        values = self.output_values(params, observation).reshape(2, -1)[:, action]
        return dict(zip(self.skip_lengths, map(float, values), strict=True))

    def behaviour_of(self, params: Params) -> tuple[Behaviour, Params] | None:
        """None: its values are of pairs."""
        return None

    @property
    def learns_from(self) -> Experience:
        """Whole decisions."""
        return replace(
            super().learns_from,
            skips=self.skip_lengths,
            connections="decision",
            transitions=False,
            decision_cost=self.decision_cost,
        )

    def update(self, state: DQNState, batch: Batch, key: Array) -> tuple[DQNState, Metrics]:
        """Learn from the decisions of a batch."""
        assert batch.connections is not None
        decisions: Connection = batch.connections
        actions = state.network[-1].bias.shape[0] // 2
        output = decisions.action + actions * (decisions.skip == self.max_skip)
        return self.td_update(state, decisions, output)
