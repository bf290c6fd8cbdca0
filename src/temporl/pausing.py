"""What training needs of whoever looks after its checkpoints, and what to do without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

Arrays = dict[str, np.ndarray]


class Breaks(Protocol):
    """Where a run goes on from, and where it may be left off."""

    @property
    def saved(self) -> Arrays | None:
        """All that a run was when it was left off; None at its beginning."""
        ...

    def pause(self, step: int, arrays: Callable[[], Arrays]) -> None:
        """Called wherever a run could go on from `arrays`; may write them down, and may not return.

        It must not change anything: a run is the same with and without it.
        """
        ...

    def differs(self) -> None:
        """Called if an environment does not begin an episode as it did before the pause."""
        ...


class NoBreaks:
    """From the beginning to the end at once."""

    saved: Arrays | None = None

    def pause(self, step: int, arrays: Callable[[], Arrays]) -> None:
        """Go on."""

    def differs(self) -> None:
        """Cannot be, without a pause."""
