"""A small sweep, run for real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from temporl.experiments import Cell, Experiment
from temporl.runs.progress import ProgressDisplay
from temporl.runs.workers import complete

SEEDS = 2


def small(
    experiment: Experiment, episodes: int, chosen: Callable[[Cell], bool] = lambda _: True
) -> Experiment:
    """Some cells of an experiment, with few episodes."""
    cells = {
        id(cell): replace(cell, config=replace(cell.config, episodes=episodes))
        for cell in experiment.cells
        if chosen(cell)
    }
    comparisons = tuple(
        replace(
            comparison, faster=cells[id(comparison.faster)], slower=cells[id(comparison.slower)]
        )
        for comparison in experiment.comparisons
        if {id(comparison.faster), id(comparison.slower)} <= cells.keys()
    )
    return replace(experiment, cells=tuple(cells.values()), comparisons=comparisons)


def run(experiment: Experiment, out: Path, seeds: int = SEEDS) -> None:
    """Train everything, here."""
    runs = experiment.runs(out, seeds)
    with ProgressDisplay(experiment.name, len(runs), show=False) as display:
        assert complete(runs, 1, display) == []
