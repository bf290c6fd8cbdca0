"""Completing runs: those that are missing, on all cores, each written as soon as it is done.

A seed's result depends on its configuration and seed alone, so neither the number of workers nor
the order in which they take runs can change it.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from temporl.compilation import cache_folder
from temporl.environments.types import Environment
from temporl.errors import RunFailed
from temporl.runs.interruption import Interrupted, Interruption, interruptible
from temporl.runs.plan import PlannedRun, execute, failure_reason
from temporl.runs.progress import ProgressDisplay
from temporl.training.outcome import OnProgress, ProgressReport

WORKER_START = 2.0
"""Seconds that worker processes take to start."""

WORKER_PATIENCE = 7.5
"""Seconds that workers get to write their checkpoints and leave."""
MOST_SECONDS_TO_STOP = 9.0
LOOK_EVERY = 0.05
"""Seconds between two looks at whether an interruption was requested."""

ONE_THREAD = (
    "--xla_cpu_multi_thread_eigen=false --xla_cpu_enable_concurrency_optimized_scheduler=false"
)
"""A process for each core is three times as fast as a program that hands small pieces of work from
thread to thread; `NPROC` is how XLA is told how many it may have."""
KEPT_MEMORY = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(2**30))
"""Bytes of freed memory that the C library keeps: an update for screens needs tens of megabytes,
which are cleared page by page if they come from the system each time."""


@dataclass(frozen=True)
class Failure:
    """A run that could not finish, and why."""

    run: PlannedRun
    reason: str

    def __str__(self) -> str:
        name = self.run.config.environment.name
        return f"{self.run.config.agent_label} on {name}, seed {self.run.seed}: {self.reason}"


def default_workers() -> int:
    """One worker for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compiler_settings(threads: int = 1) -> dict[str, str]:
    """Environment variables for a process that trains deep agents, to be set before JAX starts.

    Compiled programs are kept for the next process.
    """
    # This process may have one thread itself, which does not concern those that it starts.
    others = os.environ.get("XLA_FLAGS", "").replace(ONE_THREAD, "")
    return {
        "NPROC": str(threads),
        "XLA_FLAGS": f"{others} {ONE_THREAD if threads == 1 else ''}".strip(),
        "JAX_COMPILATION_CACHE_DIR": str(cache_folder("programs")),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        **({} if threads == 1 else KEPT_MEMORY),
    }


def complete(
    missing: Sequence[PlannedRun],
    workers: int,
    display: ProgressDisplay,
    made: Environment | None = None,
) -> list[Failure]:
    """Execute runs, and return those that failed; the others are finished and on disk.

    Workers take a while to start, so the first runs are made here if they run no code of the
    environment; workers take over when it is clear that they will be done sooner. The first run
    that is made here takes over an environment that was made already.
    """
    needs_process = any(run.config.trainer.needs_process for run in missing)
    by_function = any(run.config.environment.by_function for run in missing)
    alone = by_function or (workers == 1 and not needs_process)
    failures: list[Failure] = []
    began = time.monotonic()
    with interruptible(MOST_SECONDS_TO_STOP) as interruption:
        for number, run in enumerate(missing):
            remaining = missing[number:]
            if not alone and (needs_process or len(remaining) > 1):
                left = (time.monotonic() - began) / max(number, 1) * len(remaining)
                elsewhere = needs_process or WORKER_START + left / workers < left
                if not elsewhere:
                    if made is None:
                        made = run.config.environment.make(training=True)
                    elsewhere = not run.config.trainer.is_compiled(made)
                if elsewhere:
                    if made is not None:
                        made.close()
                    failures += _complete_with_workers(remaining, workers, display, interruption)
                    break
            with display.run() as on_progress:
                try:
                    execute(run, on_progress, interruption, made)
                except Interrupted:
                    break
                except Exception as error:  # an environment may raise anything; the others go on
                    failures.append(Failure(run, failure_reason(error)))
            made = None
            if interruption.requested:
                break
    interruption.leave()
    return failures


def _complete_with_workers(
    missing: Sequence[PlannedRun],
    workers: int,
    display: ProgressDisplay,
    interruption: Interruption,
) -> list[Failure]:
    waiting: queue.SimpleQueue[PlannedRun] = queue.SimpleQueue()
    for run in missing:
        waiting.put(run)
    failures: list[Failure] = []
    processes: list[WorkerProcess] = []

    def feed(process: WorkerProcess) -> None:
        """Give one worker runs until none is waiting, or until it is stopped."""
        while not process.stopped:
            try:
                run = waiting.get_nowait()
            except queue.Empty:
                return
            with display.run() as on_progress:
                try:
                    process.execute(run, on_progress)
                except RunFailed as error:
                    failures.append(Failure(run, str(error)))

    try:
        processes.extend(WorkerProcess(run_threads(run)) for run in missing[:workers])
        threads = [threading.Thread(target=feed, args=[p], daemon=True) for p in processes]
        for thread in threads:
            thread.start()
        while not interruption.requested and any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(LOOK_EVERY)
        for process in processes:
            process.stop()  # all of them leave at the same time
        for process in processes:
            process.wait(WORKER_PATIENCE)
    finally:
        for process in processes:
            process.kill()
    return failures


def run_threads(run: PlannedRun) -> int:
    """How many threads a run has, on whatever machine."""
    config = run.config
    if config.driver != "host":
        return 1
    try:
        observations = config.environment.observation_space()
    except Exception:  # an environment may raise anything; the worker that trains there reports it
        return 1
    return config.trainer.threads(observations, config.driver)


class WorkerProcess:
    """A Python process that executes one run at a time; a new one replaces it if it dies."""

    def __init__(self, threads: int = 1) -> None:
        self.stopped = False
        self.threads = threads
        self.ready = 0.0
        """When the process had started, by the monotonic clock."""
        self._lock = threading.Lock()
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            **compiler_settings(self.threads),
            "PYTHONPATH": os.pathsep.join(p or os.getcwd() for p in sys.path),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "temporl.runs.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=Path.cwd(),
        )

    def execute(self, run: PlannedRun, on_progress: OnProgress) -> None:
        """Have one run executed; raise if it failed."""
        threads = run_threads(run)
        with self._lock:
            if self.stopped:
                raise RunFailed("stopped before it began")
            if self._process.poll() is not None or self.threads != threads:
                self._end()
                self.threads = threads
                self._process = self._start()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(run.to_data()) + "\n")
            self._process.stdin.flush()
            for line in self._process.stdout:
                message = json.loads(line)
                if "ready" in message:
                    self.ready = time.monotonic()
                elif "report" in message:
                    on_progress(ProgressReport(*message["report"]))
                elif "failed" in message:
                    raise RunFailed(message["failed"])
                else:
                    return
        except BrokenPipeError:
            pass
        raise RunFailed(f"its worker process died with exit code {self._process.wait()}")

    def stop(self) -> None:
        """Ask the process to exit; the run that it is working on can be resumed later."""
        with self._lock:
            self.stopped = True
            self._ask()

    def wait(self, seconds: float) -> None:
        """Wait until it has left."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def kill(self) -> None:
        """End it at once, if it is still there."""
        with self._lock:
            self.stopped = True
            self._end()

    def _ask(self) -> None:
        # A worker whose pipe is closed leaves; a signal would be its second, which does not wait.
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # it died before it read what was sent
                self._process.stdin.close()

    def _end(self) -> None:
        self._ask()
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
