"""What the compiled loops read: an agent's hyperparameters and its tables."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from temporl.schedules import Schedule


class Duration(IntEnum):
    """What chooses how long an action is played: the whole difference between the three agents."""

    ONE_STEP = 0
    """Q-learning: every action lasts one step."""
    LEARNED = 1
    """TempoRL: the skip policy, conditioned on the action."""
    ZETA = 2
    """Temporally extended epsilon-greedy: exploratory actions last zeta-distributed times."""
    HELD = 3
    """Frugal: as long as holding the action costs less than deciding again."""


class Ties(IntEnum):
    """Which of several equally good choices is taken."""

    RANDOM = 0
    FIRST = 1
    LAST = 2


class Settings(NamedTuple):
    """An agent's hyperparameters in the form in which compiled code reads them."""

    duration: int
    alpha: float
    gamma: float
    epsilon: Schedule
    skip_epsilon: Schedule
    action_ties: int
    training_skip_ties: int
    greedy_skip_ties: int
    tie_tolerance: float
    spans_decisions: bool
    pads_all: bool
    skips: Int[np.ndarray, " skip"]
    first_at_least: Int[np.ndarray, " distance"]
    repeat_cumulative: Float[np.ndarray, " repeat"]
    paid: float
    """What a decision costs in training, in reward."""
    decision_cost: float
    """What frugal agents weigh against the costs of holding."""
    cost_is_relative: bool
    """Whether decisions cost a share of what a step is worth, or a number in reward."""


NOTHING = np.zeros(0)


class Tables(NamedTuple):
    """The two Q-functions. A row of `skip_values` belongs to one pair of state and action.

    Frugal agents have costs there: of still playing the action 1, 2, ... steps from now.
    """

    action_values: Float[np.ndarray, "state action"]
    skip_values: Float[np.ndarray, "state*action skip"]
    worth: Float[np.ndarray, " _"] = NOTHING
    """What a step earned and should earn, as running sums, and the sum of their weights; empty
    unless the agent is frugal."""


def empty_tables(settings: Settings, states: int, actions: int) -> Tables:
    """Tables full of zeros, as in the paper; without a skip policy there is no skip table."""
    rows = 0 if settings.duration in (Duration.ONE_STEP, Duration.ZETA) else states * actions
    frugal = settings.duration == Duration.HELD
    columns = int(settings.skips[-1]) - 1 if frugal else len(settings.skips)
    tables = Tables(np.zeros((states, actions)), np.zeros((rows, columns)))
    return tables._replace(worth=np.zeros(4)) if frugal else tables
