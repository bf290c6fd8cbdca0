"""Progress of many runs: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

SECONDS_BETWEEN_LINES = 5.0


class ProgressDisplay:
    """Shows how many of a number of runs are done, counting the parts of those under way."""

    def __init__(self, title: str, runs: int, *, show: bool = True) -> None:
        self.title, self.runs, self.show = title, runs, show
        self._console = Console(stderr=True)
        self._lock = threading.Lock()
        self._finished = 0
        self._under_way: dict[int, float] = {}
        self._began = self._last_line = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        self._began = self._last_line = time.monotonic()
        if self.show and self.runs and self._console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("runs"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=self._console,
            )
            self._bar.add_task(self.title, total=self.runs)
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self.show and self.runs and kind is None:
            self._print_line()

    @contextmanager
    def run(self) -> Iterator[Callable[[float], None]]:
        """Follow one run; gives a function to call with the fraction of it that is done."""
        identity = threading.get_ident()

        def on_fraction(fraction: float) -> None:
            with self._lock:
                self._under_way[identity] = fraction
                self._update()

        on_fraction(0.0)
        try:
            yield on_fraction
        finally:
            with self._lock:
                del self._under_way[identity]
                self._finished += 1
                self._update()

    def _update(self) -> None:
        if self._bar is not None:
            completed = self._finished + sum(self._under_way.values())
            self._bar.update(self._bar.task_ids[0], completed=completed)
        elif self.show and time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._print_line()

    def _print_line(self) -> None:
        self._last_line = time.monotonic()
        elapsed = self._last_line - self._began
        done = self._finished + sum(self._under_way.values())
        left = f", {elapsed / done * (self.runs - done):.0f} s left" if 0 < done < self.runs else ""
        self._console.print(
            f"{self.title}: {done:.1f} of {self.runs} runs, {elapsed:.1f} s{left}", highlight=False
        )
