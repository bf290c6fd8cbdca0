"""Dynamic action repetition (Lakshminarayanan et al., 2017).

    the network has two values for each action: played for a few steps, and for many
    for every decision:
        play the best (action, repeat), or with probability epsilon any of them
    for every step:
        draw whole decisions (s, a, repeat, r, discount, s') from the ring
        a*, repeat* = the best at s'
        move Q(s, a, repeat) towards r + discount * target Q(s', a*, repeat*)

The discount of a decision is gamma to the number of steps it took: the targets of a semi-Markov
decision process. A decision that a time limit cut short says nothing about its whole length and is
left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jax import Array

from temporl.agents.agent import Metrics
from temporl.agents.dqn import DQN, Learning, QNetwork
from temporl.errors import BadInput, require_at_least
from temporl.networks.layers import Numbers
from temporl.replay import Batch, RingLayout
from temporl.skipping import Connection, Decision, Skips


@dataclass(frozen=True)
class DAR(DQN):
    """Dynamic action repetition (`dar`): every action comes with a fine and a coarse repeat."""

    max_skip: int = 10
    """The coarse repeat. Table 2 of the paper: 2, 4, 6, 8 and 10."""
    fine_skip: int = 1
    """The fine repeat. Table 2 of the paper: 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("fine_skip", self.fine_skip, 1)
        if self.max_skip <= self.fine_skip:
            raise BadInput("max_skip", self.max_skip, f"allowed: more than {self.fine_skip}")

    @property
    def skip_lengths(self) -> Skips:
        """The durations the agent can choose."""
        return Skips((self.fine_skip, self.max_skip))

    def heads(self, actions: int) -> int:
        """A value for every pair of an action and a repeat: all fine ones, then all coarse ones."""
        return 2 * actions

    def _decision(self, head: Numbers, heads: int) -> Decision:
        actions = heads // 2
        coarse = head // actions
        length = self.fine_skip + coarse * (self.max_skip - self.fine_skip)
        return Decision(head % actions, length)

    def greedy(self, networks: QNetwork, observation: Numbers) -> Decision:
        """The best pair of an action and a repeat."""
        values = self.action_values(networks, observation)
        return self._decision(values.argmax(-1), values.shape[-1])

    def decide(self, state: Learning, observation: Array, key: Array, spent: Array) -> Decision:
        """The best pair, or with probability epsilon any."""
        head = self.act(state, observation, key, spent)
        return self._decision(head, state.network[-1].bias.shape[0])

    def skip_values(
        self, networks: QNetwork, observation: Numbers, action: Numbers
    ) -> dict[int, float]:
        """The learned value of both repeats of an action."""
        values = self.action_values(networks, observation).reshape(2, -1)[:, action]
        return dict(zip(self.skip_lengths, map(float, values), strict=True))

    def replay(self, capacity: int, spare: int | None) -> RingLayout:
        """Whole decisions."""
        return replace(
            super().replay(capacity, spare),
            skips=self.skip_lengths,
            spanning="decision",
            transitions=False,
        )

    def update(self, state: Learning, batch: Batch, key: Array) -> tuple[Learning, Metrics]:
        """Learn from the decisions of a batch."""
        assert batch.connections is not None
        decisions: Connection = batch.connections
        actions = state.network[-1].bias.shape[0] // 2
        head = decisions.action + actions * (decisions.skip == self.max_skip)
        return self.regress(state, decisions, head)
