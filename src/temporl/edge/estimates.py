"""Estimates of the time and disk space of runs, from short trials of each configuration."""

from __future__ import annotations

import heapq
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from temporl.errors import RunFailed
from temporl.runs.config import RunConfig
from temporl.runs.plan import PlannedRun
from temporl.runs.store import ROW_BYTES, working_folder
from temporl.runs.workers import WORKER_PATIENCE, WORKER_START, WorkerProcess, run_threads
from temporl.training.outcome import ProgressReport

SECONDS = 8.0
"""Seconds for which a configuration is tried, once it has begun to train."""
FILES_BYTES = 30_000
"""What a run's files take besides its evaluations, where that was not seen."""


@dataclass(frozen=True)
class Cost:
    """What one run of a configuration costs."""

    config: RunConfig
    runs: int
    seconds: float
    start: float
    """Seconds that a process takes before it trains this configuration for the first time."""
    disk: int
    """Bytes of the finished run."""
    checkpoint: int
    """Bytes of its checkpoint while it is under way."""


@dataclass(frozen=True)
class Estimate:
    """What a number of runs costs on machines like this one."""

    costs: tuple[Cost, ...]
    workers: int
    """Processes on each machine."""

    def seconds(self, machines: int = 1) -> float:
        """Until the last run is finished: every process takes the next run when it is free."""
        alone = sum(cost.runs * cost.seconds for cost in self.costs)
        here = not any(cost.config.trainer.needs_process for cost in self.costs)
        if machines == 1 and here and alone < WORKER_START + alone / self.workers:
            return alone
        free = [(WORKER_START, number) for number in range(machines * self.workers)]
        known: set[tuple[int, int]] = set()
        for index, cost in enumerate(self.costs):
            for _ in range(cost.runs):
                at, process = heapq.heappop(free)
                begin = 0.0 if (process, index) in known else cost.start
                known.add((process, index))
                heapq.heappush(free, (at + begin + cost.seconds, process))
        return max(at for at, _ in free)

    @property
    def disk(self) -> int:
        """Bytes of all finished runs."""
        return sum(cost.runs * cost.disk for cost in self.costs)

    @property
    def checkpoints(self) -> int:
        """The most bytes that checkpoints take on one machine while runs are under way."""
        return self.workers * max((cost.checkpoint for cost in self.costs), default=0)


def estimate(missing: Sequence[PlannedRun], workers: int) -> Estimate:
    """Try every configuration that is missing, with as many processes as there will be."""
    counts = Counter(run.config.digest for run in missing)
    examples = {run.config.digest: run for run in missing}
    costs = []
    for digest, run in examples.items():
        with tempfile.TemporaryDirectory(prefix="temporl-estimate-") as place:
            beside = min(workers, len(missing))
            trials = [_Trial(run, Path(place) / str(number)) for number in range(beside)]
            with ThreadPoolExecutor(beside) as threads:
                list(threads.map(_Trial.go, trials))
            costs.append(_mean(run.config, counts[digest], trials))
    return Estimate(tuple(costs), workers)


def _mean(config: RunConfig, runs: int, trials: Sequence[_Trial]) -> Cost:
    for trial in trials:
        if trial.failure:
            raise RunFailed(f"{config.agent_label} on {config.environment.name}: {trial.failure}")
    measured = [trial.cost(runs) for trial in trials]
    return Cost(
        config,
        runs,
        seconds=sum(cost.seconds for cost in measured) / len(measured),
        start=sum(cost.start for cost in measured) / len(measured),
        disk=max(cost.disk for cost in measured),
        checkpoint=max(cost.checkpoint for cost in measured),
    )


class _Trial:
    """One process that trains a configuration for a while, seed after seed."""

    def __init__(self, run: PlannedRun, place: Path) -> None:
        self.run, self.place = run, place
        self.failure = ""
        self._last: PlannedRun = run
        self._marks: list[list[tuple[float, float]]] = []
        """Of every run, how many seconds it had taken when it was how far."""

    def go(self) -> None:
        """Train until there is enough to judge by."""
        process = WorkerProcess(run_threads(self.run))
        timer: threading.Timer | None = None
        began = time.monotonic()

        def on_progress(report: ProgressReport) -> None:
            nonlocal timer
            if timer is None:
                timer = threading.Timer(SECONDS, process.stop)
                timer.daemon = True
                timer.start()
            mark(report.fraction)

        def mark(fraction: float) -> None:
            self._marks[-1].append((time.monotonic() - max(began, process.ready), fraction))

        try:
            while not process.stopped:
                seed = self.run.seed + len(self._marks)
                self._last = replace(self.run, seed=seed, folder=self.place / f"seed-{seed}")
                self._marks.append([])
                began = time.monotonic()
                process.execute(self._last, on_progress)
                mark(1.0)
        except RunFailed as error:
            self.failure = "" if process.stopped else str(error)
        finally:
            process.wait(WORKER_PATIENCE)
            process.kill()

    def cost(self, runs: int) -> Cost:
        """What was seen: whole runs after the first, or how fast the first one went."""
        (first_time, first_part), (last_time, last_part) = self._marks[0][0], self._marks[0][-1]
        if last_part == first_part:
            first_time = first_part = 0.0
        seconds = (last_time - first_time) / (last_part - first_part)
        start = max(first_time - first_part * seconds, 0.0)
        if later := [marks[-1][0] for marks in self._marks[1:] if marks and marks[-1][1] == 1.0]:
            seconds = sum(later) / len(later)
        config = self.run.config
        finished = size_of(self.place / f"seed-{self.run.seed}")
        expected = FILES_BYTES + config.evaluations * ROW_BYTES
        checkpoint = size_of(working_folder(self._last.folder))
        return Cost(config, runs, seconds, start, finished or expected, checkpoint)


def size_of(folder: Path) -> int:
    """The bytes of all files below a folder."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total
