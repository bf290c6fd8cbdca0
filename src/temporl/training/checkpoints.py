"""When a run under way is written down, and how it is taken up again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from temporl.pausing import Arrays, NoBreaks
from temporl.results.checkpoints import (
    checkpoints,
    read_checkpoint,
    remove_tree,
    tidy,
    write_checkpoint,
    write_plan,
)
from temporl.results.config import run_identity
from temporl.results.lock import locked
from temporl.training.interruption import Interrupted, Interruption

MINUTES = 5.0
"""Minutes between two checkpoints."""
MOST_TIME = 0.01
"""The part of a run's time that may be spent on checkpoints: slow ones are made less often."""


class Checkpoints(NoBreaks):
    """The breaks of a run in a working folder; without minutes, nothing is written or read."""

    def __init__(
        self, folder: Path, plan: dict[str, Any], minutes: float | None, interruption: Interruption
    ) -> None:
        self._folder, self._run = folder, run_identity(plan)
        self._minutes, self._interruption = minutes, interruption
        self._last, self._cost = time.monotonic(), 0.0
        self._resumed: list[int] = []
        self._exact = True
        found = None if minutes is None else read_checkpoint(folder, self._run)
        if found is not None:
            self.saved, self._resumed = found
            self._resumed.append(int(self.saved["step"]))

    def pause(self, step: int, arrays: Callable[[], Arrays]) -> None:
        """Write a checkpoint if it is time, and leave if somebody has asked for it."""
        asked = self._interruption.requested
        if self._minutes is not None and (asked or self._is_due(self._minutes)):
            began = time.monotonic()
            write_checkpoint(self._folder, self._run, step, arrays(), self._resumed)
            self._last = time.monotonic()
            self._cost = self._last - began
        if asked:
            raise Interrupted

    def _is_due(self, minutes: float) -> bool:
        return time.monotonic() - self._last >= max(60 * minutes, self._cost / MOST_TIME)

    def differs(self) -> None:
        """Remember that the environment keeps something across resets."""
        self._exact = False

    def record(self) -> dict[str, Any] | None:
        """Where the run was taken up, and whether it is then as if it had never been left off."""
        return {"at_steps": self._resumed, "exact": self._exact} if self._resumed else None


@contextmanager
def working(
    folder: Path, plan: dict[str, Any], minutes: float | None, interruption: Interruption
) -> Iterator[Checkpoints]:
    """Work on a run in its working folder, alone; it is removed when the run is done.

    A run that is left off leaves its plan and its newest checkpoint there; one that fails, only if
    there is a checkpoint to go on from.
    """
    with locked(folder):
        tidy(folder)
        if minutes is not None:
            write_plan(folder, plan)
        try:
            yield Checkpoints(folder, plan, minutes, interruption)
        except Exception:
            if not checkpoints(folder):
                remove_tree(folder)
            raise
        remove_tree(folder)
