"""A planned run: which configuration, which seed, and the folder it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from temporl.environments.types import Environment
from temporl.errors import TemporlError
from temporl.runs.checkpoints import MINUTES, PLAN, read_plan, working
from temporl.runs.config import RunConfig
from temporl.runs.files import not_data
from temporl.runs.interruption import Interruption
from temporl.runs.lock import is_locked
from temporl.runs.log import Log, logged
from temporl.runs.store import (
    PARTIAL,
    group_folder,
    is_finished,
    seed_folder,
    working_folder,
    write_run,
)
from temporl.training.outcome import OnProgress
from temporl.types import Record
from temporl.version import __version__


@dataclass(frozen=True)
class PlannedRun:
    """One seed of one configuration."""

    config: RunConfig
    seed: int
    folder: Path
    log: Log | None = None
    """The kind of log that the run writes."""
    checkpoint_minutes: float = MINUTES
    """Minutes between two checkpoints."""

    def to_data(self) -> Record:
        """As pure data, for a worker in another process."""
        return self.plan() | {"folder": str(self.folder)}

    @classmethod
    def from_data(cls, data: Record, *, trusted: bool = True) -> PlannedRun:
        """Read back what `to_data` wrote; only if that is trusted, modules are imported for it."""
        own = {name: data[name] for name in ("seed", "log", "checkpoint_minutes")}
        config = RunConfig.from_data(data, trusted=trusted)
        return cls(config, folder=Path(data["folder"]), **own)

    def plan(self) -> Record:
        """The run as `plan.json` holds it: nothing about the machine that it is on."""
        plan = self.config.to_data() | {"seed": self.seed, "log": self.log}
        return plan | {"checkpoint_minutes": self.checkpoint_minutes}


def plan_runs(
    out: Path,
    experiment: str,
    config: RunConfig,
    seeds: Iterable[int],
    log: Log | None = None,
    checkpoint_minutes: float = MINUTES,
) -> list[PlannedRun]:
    """The runs of one configuration, in the folders they belong to."""
    group = group_folder(out, experiment, config)
    return [
        PlannedRun(config, seed, seed_folder(group, seed), log, checkpoint_minutes)
        for seed in seeds
    ]


def missing_runs(planned: Iterable[PlannedRun]) -> list[PlannedRun]:
    """Those that are not finished yet."""
    return [run for run in planned if not is_finished(run.folder)]


def unfinished_runs(path: Path, *, trusted: bool = False) -> list[PlannedRun]:
    """The runs below a folder that were begun and not finished, and that no process works on."""
    runs = []
    for place in sorted(path.rglob(f"*{PARTIAL}")):
        folder = place.with_name(place.name.removesuffix(PARTIAL))
        plan = None if is_finished(folder) or is_locked(place) else read_plan(place)
        if plan is None:
            continue
        with not_data(place / PLAN, "the plan of a run"):
            data = plan | {"folder": str(folder)}
            runs.append(PlannedRun.from_data(data, trusted=trusted))
    return runs


def execute(
    run: PlannedRun,
    on_progress: OnProgress | None = None,
    interruption: Interruption | None = None,
    made: Environment | None = None,
) -> None:
    """Train one run from where it was interrupted, and write its folder.

    The run of an environment that a function makes begins anew: it may be another function.
    """
    interruption = interruption or Interruption()
    minutes = None if run.config.environment.by_function else run.checkpoint_minutes
    place = working_folder(run.folder)
    with working(place, run.plan(), minutes, interruption) as checkpoints:
        if is_finished(run.folder):
            return  # by another process, in the meantime
        with ExitStack() as at_the_end:
            if run.log is not None:
                data = run.config.to_data() | {"seed": run.seed}
                following = logged(run.log, run.folder, data, on_progress)
                on_progress = at_the_end.enter_context(following)
            task = run.config.task(
                run.seed, on_progress=on_progress, checkpointer=checkpoints, made=made
            )
            trained = run.config.trainer.train(run.config.agent, task)
        write_run(run.folder, run.config, run.seed, trained, __version__, checkpoints.record())


def failure_reason(error: Exception) -> str:
    """Why a run failed, in one line: our own errors as they are, others with their kind."""
    if isinstance(error, TemporlError):
        return str(error)
    first_line = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first_line}"
