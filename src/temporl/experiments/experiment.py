"""An experiment is data: cells to fill, and what is measured in each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from temporl.results.config import RunConfig
from temporl.training import PlannedRun, plan_runs

Metric = Literal["reward_auc", "decisions", "episodes_to_95_percent"]


@dataclass(frozen=True)
class Cell:
    """One configuration, under the names by which a table knows it."""

    environment: str
    schedule: str
    max_skip: int
    config: RunConfig

    @property
    def agent(self) -> str:
        """The agent's name."""
        return self.config.agent_name


@dataclass(frozen=True)
class Comparison:
    """How much earlier one cell reaches mean rewards than another."""

    faster: Cell
    slower: Cell
    rewards: tuple[float, ...]


@dataclass(frozen=True)
class Experiment:
    """A table of the paper, or a question beyond it."""

    name: str
    title: str
    seeds: int
    """How many the paper used, or how many answer the question."""
    cells: tuple[Cell, ...]
    metrics: tuple[Metric, ...]
    lowest_return: float = -1.0
    highest_return: float = 1.0
    comparisons: tuple[Comparison, ...] = ()
    compared_with: str = ""
    """The experiment whose published values stand beside, if not its own."""
    note: str = ""

    def runs(self, out: Path, seeds: int) -> list[PlannedRun]:
        """All runs of the experiment, finished or not."""
        return [run for cell in self.cells for run in self.cell_runs(cell, out, seeds)]

    def cell_runs(self, cell: Cell, out: Path, seeds: int) -> list[PlannedRun]:
        """The runs of one cell."""
        return plan_runs(out, self.name, cell.config, range(seeds))
