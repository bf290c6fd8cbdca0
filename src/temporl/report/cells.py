"""The finished runs of a cell, as arrays with a row for each seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from jaxtyping import Shaped

from temporl.experiments.experiment import Cell, Experiment
from temporl.runs.policies import load_policy
from temporl.runs.store import POLICY, evaluation_columns, is_finished
from temporl.training.outcome import TrainedPolicy


def averaged_over_starts(
    values: Shaped[np.ndarray, "seed episode"], starts: int | None
) -> Shaped[np.ndarray, "seed evaluation"]:
    """Evaluations as they are, or the mean of each where it plays episodes from several starts."""
    return values if starts is None else values.reshape(len(values), -1, starts).mean(axis=-1)


@dataclass(frozen=True)
class CellResult:
    """What the runs of one cell brought."""

    cell: Cell
    folders: tuple[Path, ...]

    @cached_property
    def _columns(self) -> dict[str, Shaped[np.ndarray, "seed evaluation"]]:
        """The greedy evaluations, by what was measured."""
        names = ("episode", "step", "return", "length", "decisions")
        starts = self.cell.config.evaluation_starts
        columns = evaluation_columns(self.folders, names)
        return {name: averaged_over_starts(values, starts) for name, values in columns.items()}

    @property
    def in_steps(self) -> bool:
        """Whether training lasts for a number of steps, rather than of episodes."""
        return self.cell.config.steps is not None

    @property
    def played(self) -> Shaped[np.ndarray, "seed evaluation"]:
        """How many steps or episodes of training there were before each greedy evaluation."""
        return self._columns["step" if self.in_steps else "episode"]

    @property
    def returns(self) -> Shaped[np.ndarray, "seed evaluation"]:
        """Returns of the greedy evaluations."""
        return self._columns["return"]

    @property
    def lengths(self) -> Shaped[np.ndarray, "seed evaluation"]:
        """Their numbers of steps."""
        return self._columns["length"]

    @property
    def decisions(self) -> Shaped[np.ndarray, "seed evaluation"]:
        """Their numbers of decisions."""
        return self._columns["decisions"]

    def best_policy(self) -> TrainedPolicy:
        """The policy whose last evaluation earned most, with the fewest decisions."""
        best = np.lexsort((self.decisions[:, -1], -self.returns[:, -1]))[0]
        return load_policy(self.folders[best] / POLICY, trusted=True)


def collect(experiment: Experiment, out: Path, seeds: int) -> list[CellResult]:
    """The results of all cells; only finished runs count."""
    results = []
    for cell in experiment.cells:
        folders = [run.folder for run in experiment.cell_runs(cell, out, seeds)]
        finished = tuple(folder for folder in folders if is_finished(folder))
        if finished:
            results.append(CellResult(cell, finished))
    return results
