"""Ours beside published: rows for machines, a table for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from temporl.experiments.experiment import Cell, Comparison, Experiment
from temporl.experiments.published import published_value
from temporl.report.cells import CellResult
from temporl.report.statistics import GOOD_FRACTION, Estimate, estimate, first_reaching, normalized


@dataclass(frozen=True)
class Row:
    """One value, with the column meanings of the published tables; None where there is none."""

    experiment: str
    environment: str
    agent: str
    architecture: str | None
    schedule: str
    max_skip: int
    metric: str
    value: float | None
    ci_low: float | None
    ci_high: float | None
    seeds: int
    published: float | None

    def to_data(self) -> dict[str, Any]:
        """As pure data."""
        return asdict(self)


def table_rows(experiment: Experiment, results: Sequence[CellResult]) -> list[Row]:
    """Every metric of every cell."""
    rows = [
        _row(experiment, result.cell, metric, _measure(experiment, result, metric), result)
        for result in results
        for metric in experiment.metrics
    ]
    by_cell = {id(result.cell): result for result in results}
    for comparison in experiment.comparisons:
        faster, slower = (by_cell.get(id(cell)) for cell in (comparison.faster, comparison.slower))
        if faster is not None and slower is not None:
            rows += _speedups(experiment, comparison, faster, slower)
    return rows


def _measure(experiment: Experiment, result: CellResult, metric: str) -> Estimate:
    if metric == "decisions":
        return estimate(np.mean, result.decisions.mean(axis=1, keepdims=True))
    scaled = normalized(result.returns, experiment.lowest_return, experiment.highest_return)
    if metric == "reward_auc":
        return estimate(np.mean, scaled.mean(axis=1, keepdims=True))
    return estimate(lambda curve: first_reaching(curve, GOOD_FRACTION), scaled)


def _speedups(
    experiment: Experiment, comparison: Comparison, faster: CellResult, slower: CellResult
) -> list[Row]:
    rows = []
    for reward in comparison.rewards:

        def ratio(fast: Any, slow: Any, level: float = reward) -> float:
            return first_reaching(slow, level) / first_reaching(fast, level)

        value = estimate(ratio, faster.returns, slower.returns)
        metric = f"speedup_to_reward_{reward}"
        rows.append(_row(experiment, comparison.faster, metric, value, faster))
    return rows


def _row(
    experiment: Experiment, cell: Cell, metric: str, measured: Estimate, result: CellResult
) -> Row:
    value, low, high = (x if math.isfinite(x) else None for x in map(float, measured))
    table = experiment.compared_with or experiment.name
    key = (table, cell.environment, cell.agent, cell.schedule, cell.max_skip, metric)
    return Row(
        experiment=experiment.name,
        environment=cell.environment,
        agent=cell.agent,
        architecture=None,
        schedule=cell.schedule,
        max_skip=cell.max_skip,
        metric=metric,
        value=value,
        ci_low=low,
        ci_high=high,
        seeds=len(result.folders),
        published=published_value(*key),
    )


METRIC_NAMES = {
    "reward_auc": "AUC",
    "decisions": "decisions",
    "episodes_to_95_percent": "episodes to 95 %",
}


def pivot(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """A table for people: a line for each schedule and agent, ours with the published behind it.

    Speed-ups compare two lines and have no place in it.
    """
    rows = [row for row in rows if not row.metric.startswith("speedup")]
    columns = list(dict.fromkeys((row.environment, row.metric) for row in rows))
    lines = list(dict.fromkeys((row.schedule, row.agent, row.max_skip) for row in rows))
    cells = {
        ((row.schedule, row.agent, row.max_skip), (row.environment, row.metric)): _cell_text(row)
        for row in rows
    }
    header = ["schedule", "agent", "J"]
    header += [f"{environment} {METRIC_NAMES[metric]}" for environment, metric in columns]
    body = [
        [*map(str, line), *(cells.get((line, column), "") for column in columns)] for line in lines
    ]
    return header, body


def _cell_text(row: Row) -> str:
    digits = 3 if row.metric == "reward_auc" else 0 if row.metric.startswith("episodes") else 1
    text = "never" if row.value is None else f"{row.value:.{digits}f}"
    return text if row.published is None else f"{text} ({row.published:g})"


def markdown_table(experiment: Experiment, rows: Sequence[Row]) -> str:
    """The table as Markdown, with a caption that says how it was made."""
    header, body = pivot(rows)
    seeds = sorted({row.seeds for row in rows})
    used = " to ".join(str(count) for count in dict.fromkeys((seeds[0], seeds[-1])))
    episodes = experiment.cells[0].config.episodes
    caption = f"{used} seeds, {episodes:,} episodes, a greedy evaluation after every episode."
    if seeds[0] < experiment.seeds:
        caption += f" The full table has {experiment.seeds} seeds."
    if any(row.published is not None for row in rows):
        caption += " In brackets: the paper's value."
    lines = [f"# {experiment.title}", "", caption, ""]
    lines += [_markdown_line(header), _markdown_line(["---"] * len(header))]
    lines += [_markdown_line(line) for line in body]
    lines += [
        f"\nOn {row.environment} with a {row.schedule} schedule, {row.agent} reaches a mean reward"
        f" of {row.metric.rpartition('_')[2]} in {_cell_text(row)} times fewer episodes than q."
        for row in rows
        if row.metric.startswith("speedup") and row.value
    ]
    if experiment.note:
        lines += ["", experiment.note]
    return "\n".join(lines) + "\n"


def _markdown_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
