"""The course of a run: how long it took, and which skips its greedy policy chose on the way.

Nothing in training depends on it, and seconds are never the same twice. So it is kept apart from
results, which depend on the configuration and the seed alone.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from temporl.trees import Arrays

PER_DOUBLING, MOST_TOGETHER = 8, 50
"""A row sums up several calls of `add`: there are eight rows for each doubling of the number of
calls, and at least one for every fifty calls."""
COURSE = "course/"


class Moments(NamedTuple):
    """The course of a run, a row for each moment; skips are counted since the moment before."""

    step: Int[np.ndarray, " moment"]
    seconds: Float[np.ndarray, " moment"]
    """Since the run began, without the time between an interruption and its resume."""
    chosen: Int[np.ndarray, "moment skip"]
    """How often the greedy policy chose to play 1, 2, ... steps; 0 where it was not counted."""


class Course:
    """The course of a run under way, with its clock."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._began, self._elapsed = time.monotonic(), 0.0
        self._calls = 0
        self._whole = True
        self._rows: dict[int, tuple[int, float, np.ndarray]] = {}

    def seconds(self) -> float:
        """How long the run has been under way."""
        return self._elapsed + time.monotonic() - self._began

    def add(self, step: int, chosen: Int[np.ndarray, " skip"] | None = None) -> None:
        """Record where the run is and, if they are counted, the skips its greedy policy chose."""
        self._calls += 1
        number = int(PER_DOUBLING * math.log2(self._calls)) + self._calls // MOST_TOGETHER
        nothing = np.zeros(self._longest, np.int64)
        *_, before = self._rows.get(number, (0, 0.0, nothing))
        self._rows[number] = (step, self.seconds(), before if chosen is None else before + chosen)

    def moments(self) -> Moments | None:
        """Everything so far; None if the run was resumed from a checkpoint without it."""
        if not self._whole:
            return None
        steps, seconds, chosen = zip(*self._rows.values(), strict=True) if self._rows else ((),) * 3
        counts = np.array(chosen, np.int32).reshape(-1, self._longest)
        return Moments(np.array(steps, np.int64), np.array(seconds, np.float64), counts)

    def arrays(self) -> Arrays:
        """All of it, as a checkpoint holds it."""
        moments = self.moments()
        if moments is None:
            return {}
        arrays = moments._asdict() | {
            "numbers": np.array(list(self._rows), np.int64),
            "notes": np.array(self._calls),
            "elapsed": np.array(self.seconds()),
        }
        return {COURSE + name: array for name, array in arrays.items()}

    def restore(self, saved: Arrays) -> None:
        """Resume from what `arrays` returned."""
        self._whole = COURSE + "elapsed" in saved
        if self._whole:
            numbers, *columns = (saved[COURSE + name] for name in ("numbers", *Moments._fields))
            rows = zip(*(column.tolist() for column in columns[:2]), columns[2], strict=True)
            self._rows = dict(zip(numbers.tolist(), rows, strict=True))
            self._calls = int(saved[COURSE + "notes"])
            self._elapsed = float(saved[COURSE + "elapsed"])
