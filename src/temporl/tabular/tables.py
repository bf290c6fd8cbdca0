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


class Tables(NamedTuple):
    """The two Q-functions. A row of `skip_values` belongs to one pair of state and action."""

    action_values: Float[np.ndarray, "state action"]
    skip_values: Float[np.ndarray, "state*action skip"]


def empty_tables(settings: Settings, states: int, actions: int) -> Tables:
    """Tables full of zeros, as in the paper; without a skip policy there is no skip table."""
    rows = states * actions if settings.duration == Duration.LEARNED else 0
    return Tables(np.zeros((states, actions)), np.zeros((rows, len(settings.skips))))
