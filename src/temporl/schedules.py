"""Exploration schedules: epsilon as a function of progress, the used fraction of the budget."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from temporl.compilation import compiled
from temporl.errors import BadInput, require_range


class Fade(IntEnum):
    """The shape of a schedule."""

    CONSTANT = 0
    LINEAR = 1
    LOG = 2


class Schedule(NamedTuple):
    """Epsilon from `start`, when training begins, to `end`, when it is over."""

    fade: int
    start: float
    end: float


DEFAULT_ENDS = {"linear": (1.0, 0.0), "log": (1.0, 1e-6)}
"""The paper's: linear from 1 to 0; logarithmic from 1 to 1e-6, which its results were made with."""


def schedule(text: float | str, field: str = "epsilon") -> Schedule:
    """Read a schedule: a number, `linear`, `log`, or either with its ends as `linear:1:0.05`.

    Examples:
        >>> schedule(0.1)
        Schedule(fade=0, start=0.1, end=0.1)
        >>> schedule("log:0.5:0.001").end
        0.001
    """
    allowed = "allowed: a number in [0, 1], 'linear', 'log', or with ends as in 'linear:1:0.05'"
    shape, _, ends = str(text).partition(":")
    try:
        if shape in DEFAULT_ENDS:
            start, end = (float(x) for x in ends.split(":")) if ends else DEFAULT_ENDS[shape]
        else:
            start = end = float(text)
    except (TypeError, ValueError):
        raise BadInput(field, text, allowed) from None
    for value in (start, end):
        require_range(field, value, 0.0, 1.0)
    if shape == "log" and min(start, end) <= 0.0:
        raise BadInput(field, text, "a logarithmic schedule cannot reach 0; end it at 1e-6, say")
    fade = {"linear": Fade.LINEAR, "log": Fade.LOG}.get(shape, Fade.CONSTANT)
    return Schedule(int(fade), start, end)


@compiled
def epsilon_at(schedule: Schedule, spent: int, budget: int) -> float:
    """Epsilon after `spent` of `budget` units; the last unit of the budget sees the end value."""
    fraction = spent / max(budget - 1, 1)
    if schedule.fade == Fade.LINEAR:
        return schedule.start + fraction * (schedule.end - schedule.start)
    if schedule.fade == Fade.LOG:
        factor: float = (schedule.end / schedule.start) ** fraction
        return schedule.start * factor
    return schedule.start
