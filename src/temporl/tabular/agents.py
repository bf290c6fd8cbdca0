"""The three tabular agents, as the hyperparameters that make them.

They share one learning rule and differ in one thing: what chooses how long an action is played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from temporl.agents.agent import Agent, HeldBy
from temporl.agents.options import DecisionCost
from temporl.environments.spaces import enumerate_space
from temporl.environments.types import Space
from temporl.errors import BadInput, require_at_least, require_range
from temporl.randomness import zeta_cumulative
from temporl.schedules import schedule
from temporl.skipping.skips import Skips, first_at_least, read_skips
from temporl.tabular.tables import Duration, Settings, Ties

ACTION_TIES = {"random": Ties.RANDOM, "first": Ties.FIRST}
SKIP_TIES = {"random": Ties.RANDOM, "shortest": Ties.FIRST, "longest": Ties.LAST}


def tie_rule(field: str, value: str, allowed: dict[str, Ties]) -> int:
    """Look a tie rule up. A plain integer, because numba takes long to recognize an enumeration."""
    if value not in allowed:
        raise BadInput(field, value, f"allowed: {', '.join(allowed)}")
    return int(allowed[value])


def _cost(value: float) -> float:
    """The price of a decision in reward."""
    require_range("decision_cost", value, 0.0, np.inf)
    return float(value)


@dataclass(frozen=True)
class QLearning(Agent):
    """Q-learning (`q`): decides at every step. The paper's vanilla agent."""

    trainer: ClassVar[str] = "temporl.tabular.training:TRAINER"
    duration: ClassVar[Duration] = Duration.ONE_STEP

    alpha: float = 0.5
    """Learning rate. The paper's code: 0.5."""
    gamma: float = 0.99
    """Discount per step. The paper's code: 0.99."""
    epsilon: float | str = 0.1
    """Exploration: a constant, 'linear' (1 to 0), 'log' (1 to 1e-6), or with ends, 'linear:1:0.05'.
    Section 4.1 of the paper tries the first three."""
    action_ties: Literal["random", "first"] = "random"
    """Which of equally good actions is played. The paper's code: a random one."""

    def __post_init__(self) -> None:
        self.settings()

    def check(self, observations: Space, actions: Space, environment: str) -> None:
        """Raise `BadInput` unless both spaces can be enumerated."""
        enumerate_space(observations, "observation space", environment)
        enumerate_space(actions, "action space", environment)

    def settings(self) -> Settings:
        """Check all values and put them into the form in which compiled code reads them."""
        require_range("alpha", self.alpha, 0.0, 1.0, low_open=True)
        require_range("gamma", self.gamma, 0.0, 1.0)
        skips = self.skip_lengths
        return Settings(
            duration=int(self.duration),
            alpha=float(self.alpha),
            gamma=float(self.gamma),
            epsilon=schedule(self.epsilon),
            skip_epsilon=schedule(self.epsilon),
            action_ties=tie_rule("action_ties", self.action_ties, ACTION_TIES),
            training_skip_ties=int(Ties.RANDOM),
            greedy_skip_ties=int(Ties.LAST),
            tie_tolerance=0.0,
            spans_decisions=True,
            pads_all=True,
            skips=np.asarray(skips),
            first_at_least=first_at_least(skips),
            repeat_cumulative=np.ones(1),
            paid=0.0,
            decision_cost=0.0,
            cost_is_relative=False,
        )


@dataclass(frozen=True)
class TempoQLearning(QLearning):
    """TempoRL Q-learning (`t-q`): a second Q-function learns how long to play the chosen action."""

    duration: ClassVar[Duration] = Duration.LEARNED
    held_by: ClassVar[HeldBy | None] = "tie_tolerance"

    max_skip: int | None = None
    """Longest skip J; default: 7, as in section 4.1 of the paper."""
    skips: str | tuple[int, ...] = "all"
    """The set of skips: 'all' (1 to J), 'powers-of-two' up to J, or a list such as '1,3,9'."""
    connections: Literal["run", "skip"] = "run"
    """Connections span decisions with the same action ('run'), or lie within one ('skip').
    The paper: 'skip'."""
    padding: Literal["all", "committed"] = "all"
    """Which longer skips a terminal state teaches: 'all', or those the agent was 'committed' to.
    The latter is unbiased where chance ends episodes, with connections 'skip'. The paper: none."""
    skip_epsilon: float | str | None = None
    """Exploration of the skip; default: the same as that of the action, as in the paper."""
    skip_ties: Literal["random", "shortest", "longest"] = "random"
    """Which of equally good skips is played in training."""
    greedy_skip_ties: Literal["random", "shortest", "longest"] = "longest"
    """Which of equally good skips is played by the greedy policy. The paper's code: the longest."""
    tie_tolerance: float = 0.0
    """Skips whose values are at most this far below the best count as equally good."""
    decision_cost: float = 0.0
    """What a decision costs, in reward: subtracted in training, where a decision is made."""

    @property
    def skip_lengths(self) -> Skips:
        """The durations the agent can choose."""
        return read_skips(self.skips, self.max_skip, default=7)

    def settings(self) -> Settings:
        """Check all values and put them into the form in which compiled code reads them."""
        for field, value, allowed in (
            ("connections", self.connections, ("run", "skip")),
            ("padding", self.padding, ("all", "committed")),
        ):
            if value not in allowed:
                raise BadInput(field, value, f"allowed: {', '.join(allowed)}")
        require_range("tie_tolerance", self.tie_tolerance, 0.0, np.inf)
        epsilon = self.epsilon if self.skip_epsilon is None else self.skip_epsilon
        return (
            super()
            .settings()
            ._replace(
                skip_epsilon=schedule(epsilon, "skip_epsilon"),
                training_skip_ties=tie_rule("skip_ties", self.skip_ties, SKIP_TIES),
                greedy_skip_ties=tie_rule("greedy_skip_ties", self.greedy_skip_ties, SKIP_TIES),
                tie_tolerance=float(self.tie_tolerance),
                spans_decisions=self.connections == "run",
                pads_all=self.padding == "all",
                paid=_cost(self.decision_cost),
            )
        )


@dataclass(frozen=True)
class ExtendedQLearning(QLearning):
    """Temporally extended epsilon-greedy Q-learning (`ez-q`): only exploratory actions last."""

    duration: ClassVar[Duration] = Duration.ZETA

    mu: float = 2.0
    """Exponent of the zeta distribution, P(n) ~ n**-mu. Dabney et al. (2020): 2."""
    max_repeat: int = 10_000
    """Longest repeat. Dabney et al. (2020): 10,000."""
    decision_cost: float = 0.0
    """What a decision costs, in reward: subtracted in training, where a decision is made."""

    def settings(self) -> Settings:
        """Check all values and put them into the form in which compiled code reads them."""
        require_range("mu", self.mu, 1.0, np.inf, low_open=True)
        require_at_least("max_repeat", self.max_repeat, 1, 1_000_000)
        cumulative, cost = zeta_cumulative(self.mu, self.max_repeat), _cost(self.decision_cost)
        return super().settings()._replace(repeat_cumulative=cumulative, paid=cost)


@dataclass(frozen=True)
class FrugalQLearning(QLearning):
    """Frugal Q-learning (`frugal-q`): holds an action as long as a decision would cost more."""

    duration: ClassVar[Duration] = Duration.HELD
    held_by: ClassVar[HeldBy | None] = "decision_cost"

    decision_cost: float | str = "5%"
    """What a decision costs: a number, in reward, or a percentage of what a step is worth. 0 is
    Q-learning itself, deciding at every step."""
    max_skip: int | None = None
    """Longest skip J; default: 7, as for t-q."""
    skips: str | tuple[int, ...] = "all"
    """The set of skips: 'all' (1 to J), 'powers-of-two' up to J, or a list such as '1,3,9'."""
    skip_epsilon: float | str | None = None
    """Exploration of the skip; default: the same as that of the action."""
    tie_tolerance: float = 0.0
    """Lengths whose losses differ at most so much, in reward, are tied."""

    @property
    def skip_lengths(self) -> Skips:
        """The durations the agent can choose."""
        return read_skips(self.skips, self.max_skip, default=7)

    def settings(self) -> Settings:
        """Check all values and put them into the form in which compiled code reads them."""
        require_at_least("max_skip", self.max_skip, 2)
        require_range("tie_tolerance", self.tie_tolerance, 0.0, np.inf)
        epsilon = self.epsilon if self.skip_epsilon is None else self.skip_epsilon
        cost = DecisionCost.read(self.decision_cost)
        return (
            super()
            .settings()
            ._replace(
                skip_epsilon=schedule(epsilon, "skip_epsilon"),
                tie_tolerance=float(self.tie_tolerance),
                decision_cost=cost.amount,
                cost_is_relative=cost.relative,
            )
        )
