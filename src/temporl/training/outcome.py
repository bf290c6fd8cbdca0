"""What training reports while it runs, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np
from jaxtyping import Float, Int

from temporl.agents.agent import HeldBy
from temporl.environments.types import Space
from temporl.skipping import Decision
from temporl.training.course import Moments
from temporl.trees import Arrays
from temporl.types import Element

LAST_TENTH = 0.1
"""The share of evaluations, at the end, from which the score of a run is taken."""


class Evaluations(NamedTuple):
    """Greedy episodes, a row each: when they were played, and how they went."""

    episode: Int[np.ndarray, " evaluation"]
    step: Int[np.ndarray, " evaluation"]
    returns: Float[np.ndarray, " evaluation"]
    lengths: Int[np.ndarray, " evaluation"]
    decisions: Int[np.ndarray, " evaluation"]


def empty_evaluations(count: int) -> Evaluations:
    """Room for a number of evaluations."""
    whole = [np.zeros(count, dtype=np.int64) for _ in range(4)]
    return Evaluations(whole[0], whole[1], np.zeros(count), whole[2], whole[3])


def last_evaluations(count: int, share: float = LAST_TENTH) -> slice:
    """Of a number of evaluations, the last tenth, or another share, and at least one.

    Examples:
        >>> list(range(30))[last_evaluations(30)]
        [27, 28, 29]
    """
    return slice(-max(1, int(share * count)), None)


class ProgressReport(NamedTuple):
    """How far a run is, and how it goes."""

    fraction: float
    steps: int
    measured: dict[str, float]
    """The latest greedy episode (return, length, decisions), and the metrics of learning."""


OnProgress = Callable[[ProgressReport], None]
"""Called now and then while a run is under way."""


class TrainedPolicy(Protocol):
    """A policy that decides, shows its values, and can be saved and loaded."""

    @property
    def gym_spaces(self) -> tuple[Space, Space]:
        """What it observes, and what it chooses from."""
        ...

    def decide(self, observation: Element) -> Decision:
        """The greedy action and for how many steps to play it."""
        ...

    def action_values(self, observation: Element) -> Float[np.ndarray, " action"]:
        """The learned value of every action."""
        ...

    def skip_values(self, observation: Element, action: Element = None) -> dict[int, float]:
        """The learned value of every skip for an action; default: the greedy action."""
        ...

    @property
    def held_by(self) -> HeldBy | None:
        """The option by which it trades return for fewer decisions, if any does."""
        ...

    @property
    def price(self) -> float:
        """What a decision costs it, in reward; 0 for agents to whom decisions are free."""
        ...

    def with_price(self, cost: float | str) -> Self:
        """The same policy at another price of a decision: of frugal agents."""
        ...

    def with_tolerance(self, tolerance: float) -> Self:
        """The same policy with another tolerance of skips that are worth less than the best."""
        ...

    def arrays(self) -> Arrays:
        """All arrays by name, as a file holds them."""
        ...

    def with_arrays(self, arrays: Arrays) -> Self:
        """The same policy with other arrays of the same names."""
        ...


@dataclass(frozen=True)
class Trained:
    """The result of training: the policy, its evaluations, and how long it took."""

    policy: TrainedPolicy
    evaluations: Evaluations
    episodes: int
    steps: int
    course: Moments | None = None
