"""Ours beside published: rows for machines, a table for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from temporl.experiments.experiment import Cell, Comparison, Experiment
from temporl.experiments.published import published_value
from temporl.report.cells import CellResult
from temporl.report.statistics import (
    GOOD_FRACTION,
    Estimate,
    count_seeds,
    estimate,
    first_reaching,
    normalized,
)
from temporl.runs.config import RunConfig
from temporl.types import Record


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

    def to_data(self) -> Record:
        """As pure data."""
        return asdict(self)


def table_rows(experiment: Experiment, results: Sequence[CellResult]) -> list[Row]:
    """Every metric of every cell."""
    rows = [
        _row(experiment, result.cell, metric, _measure(result, metric), result)
        for result in results
        for metric in experiment.metrics
    ]
    by_cell = {id(result.cell): result for result in results}
    for comparison in experiment.comparisons:
        faster, slower = (by_cell.get(id(cell)) for cell in (comparison.faster, comparison.slower))
        if faster is not None and slower is not None:
            rows += _speedups(experiment, comparison, faster, slower)
    return rows


def _measure(result: CellResult, metric: str) -> Estimate:
    if metric == "decisions":
        return estimate(np.mean, result.decisions.mean(axis=1, keepdims=True))
    if metric in ("final_return", "final_decisions"):
        curves = result.returns if metric == "final_return" else result.decisions
        return estimate(np.mean, _last_tenth(curves).mean(axis=1, keepdims=True))
    if metric == "steps_per_decision":
        steps, decisions = (_last_tenth(x).sum(axis=1) for x in (result.lengths, result.decisions))
        return estimate(np.mean, (steps / decisions)[:, None])
    if metric == "reward_auc":
        return estimate(np.mean, area_under(result)[:, None])
    scaled = normalized(result.returns, *result.cell.returns)
    return estimate(lambda curve: first_reaching(curve, GOOD_FRACTION), scaled)


def _last_tenth(curves: Float[np.ndarray, "seed evaluation"]) -> Float[np.ndarray, "seed last"]:
    """The last tenth of all evaluations: what was learned in the end."""
    return curves[:, -max(1, curves.shape[1] // 10) :]


def area_under(result: CellResult) -> Float[np.ndarray, " seed"]:
    """The area under each seed's curve of normalized returns, not clipped.

    Where the budget is in steps, by the trapezoidal rule over the fraction of steps played; else,
    and for evaluations that begin before the first step, the mean over them all: as in the paper.
    """
    scaled = normalized(result.returns, *result.cell.returns)
    if result.cell.config.steps is None or result.cell.config.evaluation_starts is not None:
        return np.asarray(scaled.mean(axis=1))
    return np.asarray(np.trapezoid(scaled, result.steps / result.steps.max(), axis=1))


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
    return Row(
        experiment=experiment.name,
        environment=cell.environment,
        agent=cell.agent,
        architecture=cell.architecture or None,
        schedule=cell.schedule,
        max_skip=cell.max_skip,
        metric=metric,
        value=value,
        ci_low=low,
        ci_high=high,
        seeds=len(result.folders),
        published=published_value(table, cell, metric),
    )


METRIC_NAMES = {
    "reward_auc": "AUC",
    "decisions": "decisions",
    "episodes_to_95_percent": "episodes to 95 %",
    "final_return": "return",
    "final_decisions": "decisions in the end",
    "steps_per_decision": "steps per decision",
    "seeds": "seeds",
}


LINE_NAMES = {
    "schedule": "schedule",
    "agent": "agent",
    "architecture": "architecture",
    "max_skip": "J",
}
"""What tells the lines of a table apart, and what it is called there."""


def pivot(rows: Sequence[Row], *, intervals: bool = False) -> tuple[list[str], list[list[str]]]:
    """A table for people: a line for each kind of agent, our value followed by the published one.

    Speed-ups compare two lines and have no place in it. Schedules and architectures have a column
    where there are any, and seeds where their numbers differ.
    """
    rows = [row for row in rows if not row.metric.startswith("speedup")]
    keys = [
        key
        for key in LINE_NAMES
        if key in ("agent", "max_skip") or any(getattr(row, key) for row in rows)
    ]
    lines: dict[tuple[Any, ...], dict[tuple[str, str], str]] = {}
    for row in _in_order(rows, keys):
        cells = lines.setdefault(tuple(getattr(row, key) for key in keys), {})
        cells[row.environment, row.metric] = _cell_text(row, intervals=intervals)
        cells[row.environment, "seeds"] = str(row.seeds)
    columns = _columns(rows)
    header = [LINE_NAMES[key] for key in keys]
    header += [f"{environment} {METRIC_NAMES[metric]}" for environment, metric in columns]
    body = [
        [
            *("" if name is None else str(name) for name in line),
            *(cells.get(column, "") for column in columns),
        ]
        for line, cells in lines.items()
    ]
    return header, body


def _columns(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Environments with their metrics, and their seeds where the numbers of seeds differ."""
    metrics: dict[str, dict[str, None]] = {}
    for row in rows:
        metrics.setdefault(row.environment, {})[row.metric] = None
    seeds = ["seeds"] if len({row.seeds for row in rows}) > 1 else []
    return [(name, metric) for name, known in metrics.items() for metric in [*known, *seeds]]


def _in_order(rows: Sequence[Row], keys: Sequence[str]) -> list[Row]:
    """Rows by the keys of their lines: names as they come, lengths from the shortest."""
    places = {key: list(dict.fromkeys(getattr(row, key) for row in rows)) for key in keys}
    places["max_skip"].sort()
    return sorted(rows, key=lambda row: [places[key].index(getattr(row, key)) for key in keys])


def _cell_text(row: Row, *, intervals: bool = False) -> str:
    digits = 3 if row.metric == "reward_auc" else 0 if row.metric.startswith("episodes") else 1
    text = "never" if row.value is None else f"{row.value:.{digits}f}"
    # The interval of a single seed has no width, and would look like certainty.
    if intervals and row.seeds > 1 and row.ci_low is not None and row.ci_high is not None:
        text += f" [{row.ci_low:.{digits}f}, {row.ci_high:.{digits}f}]"
    return text if row.published is None else f"{text} ({row.published:g})"


def shows_intervals(experiment: Experiment) -> bool:
    """Whether a table for people has intervals: deep agents differ much from seed to seed."""
    return experiment.cells[0].config.steps is not None


def markdown_table(experiment: Experiment, rows: Sequence[Row]) -> str:
    """The table as Markdown, with a caption about budget and seeds."""
    lines = [f"# {experiment.title}", ""]
    if not rows:
        return "\n".join([*lines, "No run is finished yet.", ""])
    intervals = shows_intervals(experiment)
    header, body = pivot(rows, intervals=intervals)
    lines += [_caption(experiment, rows, intervals=intervals), ""]
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


def _caption(experiment: Experiment, rows: Sequence[Row], *, intervals: bool) -> str:
    """How a table was made, in one line."""
    seeds = [row.seeds for row in rows]
    published = any(row.published is not None for row in rows)
    shown = {row.environment for row in rows}
    budgets = {
        cell.environment: _budget(cell.config)
        for cell in experiment.cells
        if cell.environment in shown
    }
    budget, *others = dict.fromkeys(budgets.values())
    if others:
        budget = "; ".join(f"{own} on {name}" for name, own in budgets.items())
    said = [f"{count_seeds(seeds)}, {budget}."]
    if min(seeds) < experiment.seeds:
        said.append(f"The {'paper' if published else 'full table'} has {experiment.seeds} seeds.")
    if intervals and max(seeds) > 1:
        said.append("In square brackets: the 95 % confidence interval over seeds.")
    if published:
        said.append(f"In {'round ' if intervals else ''}brackets: the paper's value.")
    return " ".join(said)


def _budget(config: RunConfig) -> str:
    """For how long a run is trained, and when it is evaluated."""
    if config.steps is None:
        return f"{config.episodes:,} episodes, a greedy evaluation after every episode"
    return f"{config.steps:,} steps, a greedy evaluation every {config.evaluate_every:,} steps"


def _markdown_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
