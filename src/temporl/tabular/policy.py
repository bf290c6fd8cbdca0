"""A trained tabular agent: two tables and the way to read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from temporl.environments.spaces import Enumeration
from temporl.errors import BadInput
from temporl.randomness import Purpose, Stream, stream
from temporl.skipping import Decision
from temporl.tabular.agents import QLearning
from temporl.tabular.learner import Duration, Learner, Tables
from temporl.tabular.learning import decide


@dataclass(frozen=True)
class TabularPolicy:
    """Answers observations with greedy decisions, and shows the values behind them.

    Where several actions are equally good and ties are broken at random, the policy draws from a
    stream of its own: two policies loaded from the same folder answer alike.
    """

    agent: QLearning
    tables: Tables
    observations: Enumeration
    actions: Enumeration
    ties: Stream = field(
        default_factory=lambda: stream(0, Purpose.EVALUATION), repr=False, compare=False
    )

    @cached_property
    def learner(self) -> Learner:
        """The agent's hyperparameters as compiled code reads them."""
        return self.agent.learner()

    def decide(self, observation: Any) -> Decision:
        """The greedy action and for how many steps to play it."""
        state = self._state(observation)
        skip_ties = self.learner.greedy_skip_ties
        action, skip = decide(self.learner, self.tables, state, 0.0, 0.0, skip_ties, self.ties)
        return Decision(self.actions.element(action), int(skip))

    def action_values(self, observation: Any) -> Float[np.ndarray, " action"]:
        """The learned value of every action."""
        return np.array(self.tables.action_values[self._state(observation)])

    def skip_values(self, observation: Any, action: Any = None) -> dict[int, float]:
        """The learned value of every skip for an action, the greedy one unless another is given."""
        if self.agent.duration != Duration.LEARNED:
            return {1: float(np.max(self.action_values(observation)))}
        action = self.decide(observation).action if action is None else action
        row = self._state(observation) * self.actions.size + self.actions.index(action)
        values = self.tables.skip_values[row]
        return dict(zip(self.agent.skip_lengths, map(float, values), strict=True))

    def _state(self, observation: Any) -> int:
        if not self.observations.space.contains(observation):
            space = self.observations.space
            raise BadInput("observation", observation, f"allowed: an element of {space}")
        return self.observations.index(observation)
