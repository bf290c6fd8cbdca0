"""A run that is wanted: which configuration, which seed, and the folder it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporl.errors import TemporlError
from temporl.evaluation import OnProgress, Trained
from temporl.results.config import RunConfig
from temporl.results.runs import group_folder, is_finished, seed_folder, write_run
from temporl.tabular.stepping import MakeEnvironment
from temporl.tabular.training import train_tabular
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

    def to_data(self) -> dict[str, Any]:
        """As pure data, for a worker in another process."""
        return {
            "config": self.config.to_data(),
            "seed": self.seed,
            "folder": str(self.folder),
            "log": self.log,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> PlannedRun:
        """Read back what `to_data` wrote."""
        config = RunConfig.from_data(data["config"])
        return cls(config, data["seed"], Path(data["folder"]), data["log"])


def plan_runs(
    out: Path, experiment: str, config: RunConfig, seeds: Iterable[int], log: Log | None = None
) -> list[PlannedRun]:
    """The runs of one configuration, in the folders they belong to."""
    group = group_folder(out, experiment, config)
    return [PlannedRun(config, seed, seed_folder(group, seed), log) for seed in seeds]


def missing_runs(planned: Iterable[PlannedRun]) -> list[PlannedRun]:
    """Those that are not finished yet."""
    return [run for run in planned if not is_finished(run.folder)]


def execute(
    run: PlannedRun,
    on_progress: OnProgress | None = None,
    make: MakeEnvironment | None = None,
) -> int:
    """Train one run and write its folder; returns the number of steps played."""
    config = run.config
    with ExitStack() as at_the_end:
        if run.log is not None:
            data = config.to_data() | {"seed": run.seed}
            following = logged(run.log, run.folder, data, on_progress)
            on_progress = at_the_end.enter_context(following)
        trained = train_run(run, on_progress, make)
    write_run(run.folder, config, run.seed, trained, __version__)
    return trained.steps


def train_run(
    run: PlannedRun,
    on_progress: OnProgress | None = None,
    make: MakeEnvironment | None = None,
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
    )


def failure_reason(error: Exception) -> str:
    """Why a run failed, in one line: our own words as they are, others' with the kind of error."""
    if isinstance(error, TemporlError):
        return str(error)
    first_line = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first_line}"
