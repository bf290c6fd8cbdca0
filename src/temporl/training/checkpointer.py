"""What training asks of the code that keeps its checkpoints, and a stand-in that keeps none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from temporl.trees import Arrays


class Checkpointer(Protocol):
    """Where a run resumes from, and where it may be interrupted."""

    @property
    def saved(self) -> Arrays | None:
        """The whole state of an interrupted run; None for a run that begins."""
        ...

    def checkpoint(self, step: int, arrays: Callable[[], Arrays]) -> None:
        """Called wherever a run could resume from `arrays`: writes them if it is time.

        Raises `Interrupted` to stop the run. A run's result is the same with and without it.
        """
        ...

    def differs(self) -> None:
        """Called if an environment does not begin an episode as it did before the interruption."""
        ...


class NoCheckpointer:
    """Keeps no checkpoints: the run goes from its beginning to its end at once."""

    saved: Arrays | None = None

    def checkpoint(self, step: int, arrays: Callable[[], Arrays]) -> None:
        """Do nothing."""

    def differs(self) -> None:
        """Do nothing; only a resumed run calls it."""
