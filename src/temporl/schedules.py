"""Exploration schedules: epsilon as a function of progress, from 0 to 1 of the budget."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from temporl.compilation import compiled
from temporl.errors import BadInput, require_range


class Shape(IntEnum):
    """The shape of a schedule."""

    CONSTANT = 0
    LINEAR = 1
    LOG = 2


class Schedule(NamedTuple):
    """Epsilon from `start`, when training begins, to `end`, when it is over."""

    shape: int
    start: float
    end: float


DEFAULT_ENDS = {"linear": (1.0, 0.0), "log": (1.0, 1e-6)}
"""The paper's: linear from 1 to 0; logarithmic from 1 to 1e-6, which its results were made with."""


def schedule(text: float | str, field: str = "epsilon") -> Schedule:
    """Read a schedule: a number, `linear`, `log`, or either with its ends as `linear:1:0.05`.

    Examples:
        >>> schedule(0.1)
        Schedule(shape=0, start=0.1, end=0.1)
        >>> schedule("log:0.5:0.001").end
        0.001
    """
    allowed = "allowed: a number in [0, 1], 'linear', 'log', or with ends as in 'linear:1:0.05'"
    name, _, ends = str(text).partition(":")
    try:
        if name in DEFAULT_ENDS:
            start, end = (float(x) for x in ends.split(":")) if ends else DEFAULT_ENDS[name]
        else:
            start = end = float(text)
    except (TypeError, ValueError):
        raise BadInput(field, text, allowed) from None
    for value in (start, end):
        require_range(field, value, 0.0, 1.0)
    if name == "log" and min(start, end) <= 0.0:
        raise BadInput(field, text, "a logarithmic schedule cannot reach 0; end it at 1e-6, say")
    shape = {"linear": Shape.LINEAR, "log": Shape.LOG}.get(name, Shape.CONSTANT)
    return Schedule(int(shape), start, end)


@compiled
def epsilon_at(schedule: Schedule, done: int, budget: int) -> float:
    """Epsilon after `done` of `budget` units; the last unit of the budget sees the end value."""
    progress = done / max(budget - 1, 1)
    if schedule.shape == Shape.LINEAR:
        return schedule.start + progress * (schedule.end - schedule.start)
    if schedule.shape == Shape.LOG:
        factor: float = (schedule.end / schedule.start) ** progress
        return schedule.start * factor
    return schedule.start
