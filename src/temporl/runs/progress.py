"""Progress of many runs: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
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

from temporl.training.outcome import OnProgress, ProgressReport

SECONDS_BETWEEN_LINES = 5.0


class ProgressDisplay:
    """Shows how many of a number of runs are done, counting the parts of those under way."""

    def __init__(self, title: str, runs: int, *, show: bool = True) -> None:
        self.title, self.runs, self.show = title, runs, show
        self._console = Console(stderr=True)
        self._lock = threading.Lock()
        self._finished = self._finished_steps = 0
        self._under_way: dict[int, ProgressReport] = {}
        self._measured: dict[int, dict[str, float]] = {}
        self._began = self._last_line = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        self._began = self._last_line = time.monotonic()
        if self.show and self.runs and self._console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("runs {task.fields[going]}"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=self._console,
            )
            self._bar.add_task(self.title, total=self.runs, going="")
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self.show and self.runs and kind is None:
            self._print_line()

    @contextmanager
    def run(self) -> Iterator[OnProgress]:
        """Follow one run; gives a function to call with reports about it."""
        identity = threading.get_ident()

        def on_progress(report: ProgressReport) -> None:
            with self._lock:
                self._under_way[identity] = report
                if report.measured:
                    self._measured[identity] = report.measured
                self._update()

        on_progress(ProgressReport(0.0, 0, {}))
        try:
            yield on_progress
        finally:
            with self._lock:
                self._finished_steps += self._under_way.pop(identity).steps
                self._finished += 1
                self._update()

    @property
    def _done(self) -> float:
        return self._finished + sum(report.fraction for report in self._under_way.values())

    def _going(self) -> str:
        """How fast it goes and how well: steps a second, and the latest greedy episodes."""
        steps = self._finished_steps + sum(report.steps for report in self._under_way.values())
        elapsed = time.monotonic() - self._began
        parts = [f"{steps / elapsed:,.0f} steps/s"] if steps and elapsed > 0 else []
        for name in ("return", "decisions"):
            latest = [seen[name] for seen in self._measured.values() if name in seen]
            if latest:
                parts.append(f"{name} {sum(latest) / len(latest):.4g}")
        return ", ".join(parts)

    def _update(self) -> None:
        if self._bar is not None:
            going = self._going()
            self._bar.update(self._bar.task_ids[0], completed=self._done, going=going)
        elif self.show and time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._print_line()

    def _print_line(self) -> None:
        self._last_line = time.monotonic()
        elapsed, done = self._last_line - self._began, self._done
        parts = [f"{self.title}: {done:.1f} of {self.runs} runs", f"{elapsed:.1f} s"]
        parts += [going] if (going := self._going()) else []
        if 0 < done < self.runs:
            parts.append(f"{elapsed / done * (self.runs - done):.0f} s left")
        self._console.print(", ".join(parts), highlight=False, soft_wrap=True)
