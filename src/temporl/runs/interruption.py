"""Interruption: a signal asks runs to stop at the next checkpoint, a second one stops them now."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

PATIENCE = 6.0
"""Seconds within which a run must reach a point where it can be interrupted."""
RETRY_SECONDS = 0.5
"""Seconds after which a process that is still alive is ended again."""


class Interrupted(BaseException):
    """A run was interrupted on request."""


class Interruption:
    """Whether an interruption was requested, and by which signal."""

    def __init__(self) -> None:
        self.number: int | None = None

    @property
    def requested(self) -> bool:
        """Whether runs should be interrupted."""
        return self.number is not None

    def leave(self) -> None:
        """End the process as the signal would have, if there was one."""
        if self.number == signal.SIGINT:
            raise KeyboardInterrupt
        if self.number is not None:
            raise SystemExit(128 + self.number)


@contextmanager
def interruptible(patience: float = PATIENCE) -> Iterator[Interruption]:
    """Turn SIGINT and SIGTERM into a request.

    A second signal, or the end of patience, leaves at once. Elsewhere than in the main thread,
    signals stay as they are.
    """
    interruption = Interruption()

    def ask(number: int, _frame: FrameType | None) -> None:
        if interruption.requested or number == signal.SIGALRM:
            # Python swallows what is raised while garbage is collected: then once more.
            signal.setitimer(signal.ITIMER_REAL, RETRY_SECONDS)
            interruption.leave()
        interruption.number = number
        signal.setitimer(signal.ITIMER_REAL, patience)

    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if number != signal.SIGINT or before[number] is not signal.SIG_IGN:
            signal.signal(number, ask)
    try:
        yield interruption
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
