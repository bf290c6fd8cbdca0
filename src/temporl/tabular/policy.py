"""A trained tabular agent: two tables and the way to read them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from temporl.agents.agent import HeldBy, held_with
from temporl.environments.spaces import Enumeration
from temporl.environments.types import Space
from temporl.errors import BadInput
from temporl.randomness import Purpose, Stream, stream
from temporl.skipping import Decision
from temporl.tabular.agents import QLearning
from temporl.tabular.holding import price
from temporl.tabular.learning import decide
from temporl.tabular.tables import Duration, Settings, Tables
from temporl.trees import Arrays
from temporl.types import Element


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
    def settings(self) -> Settings:
        """The agent's hyperparameters as compiled code reads them."""
        return self.agent.settings()

    def decide(self, observation: Element) -> Decision:
        """The greedy action and for how many steps to play it."""
        state = self._state(observation)
        skip_ties = self.settings.greedy_skip_ties
        action, skip = decide(self.settings, self.tables, state, 0.0, 0.0, skip_ties, self.ties)
        return Decision(self.actions.element(action), int(skip))

    def action_values(self, observation: Element) -> Float[np.ndarray, " action"]:
        """The learned value of every action."""
        return np.array(self.tables.action_values[self._state(observation)])

    def skip_values(self, observation: Element, action: Element = None) -> dict[int, float]:
        """The learned value of every skip for an action, default: the greedy action."""
        if self.agent.duration in (Duration.ONE_STEP, Duration.ZETA):
            return {1: float(np.max(self.action_values(observation)))}
        action = self.decide(observation).action if action is None else action
        index = self.actions.index(action)
        values = self.tables.skip_values[self._state(observation) * self.actions.size + index]
        if self.agent.duration == Duration.HELD:
            lost = np.append(0.0, np.cumsum(values))[np.array(self.agent.skip_lengths) - 1]
            values = self.action_values(observation)[index] - lost
        return dict(zip(self.agent.skip_lengths, map(float, values), strict=True))

    @property
    def held_by(self) -> HeldBy | None:
        """The option by which it trades return for fewer decisions, if any does."""
        return self.agent.held_by

    @property
    def price(self) -> float:
        """What a decision costs it, in reward; 0 for agents to whom decisions are free."""
        known = self.settings
        return float(price(known, self.tables)) if known.decision_cost else known.paid

    def with_price(self, cost: float | str) -> TabularPolicy:
        """The same policy at another price of a decision: of frugal agents."""
        return replace(self, agent=held_with(self.agent, "decision_cost", cost))

    def with_tolerance(self, tolerance: float) -> TabularPolicy:
        """The same policy with another tolerance of skips that are worth less than the best."""
        return replace(self, agent=held_with(self.agent, "tie_tolerance", tolerance))

    def arrays(self) -> Arrays:
        """The tables by name, as a file holds them."""
        unused = {"worth"} if self.agent.duration != Duration.HELD else set()
        return {name: x for name, x in self.tables._asdict().items() if name not in unused}

    def with_arrays(self, arrays: Arrays) -> TabularPolicy:
        """The same policy with other tables."""
        return replace(self, tables=self.tables._replace(**arrays))

    @property
    def gym_spaces(self) -> tuple[Space, Space]:
        """What it observes, and what it chooses from."""
        return self.observations.space, self.actions.space

    def _state(self, observation: Element) -> int:
        if not self.observations.space.contains(observation):
            space = self.observations.space
            raise BadInput("observation", observation, f"allowed: an element of {space}")
        return self.observations.index(observation)
