"""A run that is wanted: which configuration, which seed, and the folder it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporl.errors import DamagedFile, TemporlError
from temporl.evaluation import OnProgress, Trained
from temporl.pausing import Breaks
from temporl.results.checkpoints import PLAN, read_plan
from temporl.results.config import RunConfig
from temporl.results.lock import is_locked
from temporl.results.runs import (
    PARTIAL,
    group_folder,
    is_finished,
    seed_folder,
    working_folder,
    write_run,
)
from temporl.tabular.stepping import MakeEnvironment
from temporl.tabular.training import train_tabular
from temporl.training.checkpoints import MINUTES, working
from temporl.training.interruption import Interruption
from temporl.training.log import Log, logged
from temporl.version import __version__


@dataclass(frozen=True)
class PlannedRun:
    """One seed of one configuration."""

    config: RunConfig
    seed: int
    folder: Path
    log: Log | None = None
    """Which program can follow the run."""
    checkpoint_minutes: float = MINUTES
    """Minutes between two checkpoints."""

    def to_data(self) -> dict[str, Any]:
        """As pure data, for a worker in another process."""
        return {
            "config": self.config.to_data(),
            "seed": self.seed,
            "folder": str(self.folder),
            "log": self.log,
            "checkpoint_minutes": self.checkpoint_minutes,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> PlannedRun:
        """Read back what `to_data` wrote."""
        config = RunConfig.from_data(data["config"])
        return cls(
            config, data["seed"], Path(data["folder"]), data["log"], data["checkpoint_minutes"]
        )

    def plan(self) -> dict[str, Any]:
        """What the working folder says of the run: nothing of the machine that it is on."""
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


def unfinished_runs(path: Path) -> list[PlannedRun]:
    """The runs below a folder that were begun and not finished, and that nobody works on now."""
    runs = []
    for place in sorted(path.rglob(f"*{PARTIAL}")):
        folder = place.with_name(place.name.removesuffix(PARTIAL))
        plan = None if is_finished(folder) or is_locked(place) else read_plan(place)
        if plan is None:
            continue
        try:
            config = RunConfig.from_data(plan)
            run = PlannedRun(config, plan["seed"], folder, plan["log"], plan["checkpoint_minutes"])
        except Exception as error:  # a plan may be wrong in any way
            raise DamagedFile(f"{place / PLAN}: not the plan of a run: {error}") from error
        runs.append(run)
    return runs


def execute(
    run: PlannedRun,
    on_progress: OnProgress | None = None,
    make: MakeEnvironment | None = None,
    interruption: Interruption | None = None,
) -> None:
    """Train one run from where it was left off, and write its folder.

    The run of an environment that a function makes begins anew: it may be another function.
    """
    interruption = interruption or Interruption()
    minutes = run.checkpoint_minutes if make is None else None
    place = working_folder(run.folder)
    with working(place, run.plan(), minutes, interruption) as checkpoints:
        if is_finished(run.folder):
            return  # by another process, in the meantime
        with ExitStack() as at_the_end:
            if run.log is not None:
                data = run.config.to_data() | {"seed": run.seed}
                following = logged(run.log, run.folder, data, on_progress)
                on_progress = at_the_end.enter_context(following)
            trained = train_run(run, on_progress, make, checkpoints)
        write_run(run.folder, run.config, run.seed, trained, __version__, checkpoints.record())


def train_run(
    run: PlannedRun,
    on_progress: OnProgress | None,
    make: MakeEnvironment | None,
    breaks: Breaks,
) -> Trained:
    """Train one run, and write nothing."""
    config = run.config
    if config.is_tabular:
        return train_tabular(
            config.agent,
            make or config.environment.make,
            name=config.environment.name,
            seed=run.seed,
            episodes=config.episodes,
            steps=config.steps,
            evaluate_every=config.evaluate_every,
            on_progress=on_progress,
            breaks=breaks,
        )
    from temporl.training.deep import train_deep  # JAX takes long to import

    assert config.steps is not None
    assert config.driver is not None
    return train_deep(
        config.agent,
        config.environment,
        driver=config.driver,
        seed=run.seed,
        steps=config.steps,
        evaluate_every=config.evaluate_every,
        evaluation_starts=config.evaluation_starts,
        on_progress=on_progress,
        make=make,
        breaks=breaks,
    )


def failure_reason(error: Exception) -> str:
    """Why a run failed, in one line: our own words as they are, others' with the kind of error."""
    if isinstance(error, TemporlError):
        return str(error)
    first_line = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first_line}"
