"""A run that is wanted: which configuration, which seed, and the folder it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporl.errors import TemporlError
from temporl.results.config import RunConfig
from temporl.results.runs import group_folder, is_finished, seed_folder, write_run
from temporl.tabular.stepping import MakeEnvironment
from temporl.tabular.training import OnProgress, train_tabular
from temporl.version import __version__


@dataclass(frozen=True)
class PlannedRun:
    """One seed of one configuration."""

    config: RunConfig
    seed: int
    folder: Path

    def to_data(self) -> dict[str, Any]:
        """As pure data, for a worker in another process."""
        return {"config": self.config.to_data(), "seed": self.seed, "folder": str(self.folder)}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> PlannedRun:
        """Read back what `to_data` wrote."""
        return cls(RunConfig.from_data(data["config"]), data["seed"], Path(data["folder"]))


def plan_runs(
    out: Path, experiment: str, config: RunConfig, seeds: Iterable[int]
) -> list[PlannedRun]:
    """The runs of one configuration, in the folders they belong to."""
    group = group_folder(out, experiment, config)
    return [PlannedRun(config, seed, seed_folder(group, seed)) for seed in seeds]


def missing_runs(planned: Iterable[PlannedRun]) -> list[PlannedRun]:
    """Those that are not finished yet."""
    return [run for run in planned if not is_finished(run.folder)]


def execute(
    run: PlannedRun,
    on_progress: OnProgress | None = None,
    make: MakeEnvironment | None = None,
) -> int:
    """Train one run and write its folder; returns the number of steps played."""
    trained = train_tabular(
        run.config.agent,
        make or run.config.environment.make,
        name=run.config.environment.name,
        seed=run.seed,
        episodes=run.config.episodes,
        steps=run.config.steps,
        evaluate_every=run.config.evaluate_every,
        on_progress=on_progress,
    )
    write_run(run.folder, run.config, run.seed, trained, __version__)
    return trained.steps


def failure_reason(error: Exception) -> str:
    """Why a run failed, in one line: our own words as they are, others' with the kind of error."""
    return str(error) if isinstance(error, TemporlError) else f"{type(error).__name__}: {error}"
