"""Ours beside published: rows for machines, a table for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from temporl.experiments.experiment import Experiment
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
from temporl.training.outcome import last_evaluations


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

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its confidence interval; None for a single seed, whose interval has no width."""
        if self.seeds == 1 or self.ci_low is None or self.ci_high is None:
            return None
        return self.ci_low, self.ci_high


def table_rows(experiment: Experiment, results: Sequence[CellResult]) -> list[Row]:
    """Every metric of every cell."""
    rows = [
        _row(experiment, result, metric, _measure(result, metric))
        for result in results
        for metric in experiment.metrics
    ]
    by_cell = {id(result.cell): result for result in results}
    for comparison in experiment.comparisons:
        faster, slower = (by_cell.get(id(cell)) for cell in (comparison.faster, comparison.slower))
        if faster is None or slower is None:
            continue
        for reward in comparison.rewards:

            def ratio(fast: Any, slow: Any, level: float = reward) -> float:
                return first_reaching(slow, level) / first_reaching(fast, level)

            speedup = estimate(ratio, faster.returns, slower.returns)
            rows.append(_row(experiment, faster, f"speedup_to_reward_{reward}", speedup))
    return rows


def _measure(result: CellResult, metric: str) -> Estimate:
    last = last_evaluations(result.returns.shape[1])
    if metric == "decisions":
        return estimate(np.mean, result.decisions.mean(axis=1, keepdims=True))
    if metric in ("final_return", "final_decisions"):
        curves = result.returns if metric == "final_return" else result.decisions
        return estimate(np.mean, curves[:, last].mean(axis=1, keepdims=True))
    if metric == "steps_per_decision":
        steps, decisions = (x[:, last].sum(axis=1) for x in (result.lengths, result.decisions))
        return estimate(np.mean, (steps / decisions)[:, None])
    if metric == "reward_auc":
        return estimate(np.mean, area_under(result)[:, None])
    scaled = normalized(result.returns, *result.cell.returns)
    return estimate(lambda curve: first_reaching(curve, GOOD_FRACTION), scaled)


def area_under(result: CellResult) -> Float[np.ndarray, " seed"]:
    """The area under each seed's curve of normalized returns, not clipped.

    Where the budget is in steps, by the trapezoidal rule over the fraction of steps played; else,
    and for evaluations that begin before the first step, the mean over them all: as in the paper.
    """
    scaled = normalized(result.returns, *result.cell.returns)
    if not result.in_steps or result.cell.config.evaluation_starts is not None:
        return np.asarray(scaled.mean(axis=1))
    return np.asarray(np.trapezoid(scaled, result.played / result.played.max(), axis=1))


def _row(experiment: Experiment, result: CellResult, metric: str, measured: Estimate) -> Row:
    cell = result.cell
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


class MetricStyle(NamedTuple):
    """How a metric is shown: its name, digits after the point, and those of published values."""

    name: str
    digits: int = 1
    published_digits: int = 1
    falls: bool = False
    """Whether less is better."""


METRICS = {
    "reward_auc": MetricStyle("AUC", 3, 2),
    "decisions": MetricStyle("decisions", falls=True),
    "episodes_to_95_percent": MetricStyle("episodes to 95 %", 0, 0, falls=True),
    "final_return": MetricStyle("return"),
    "final_decisions": MetricStyle("decisions in the end", falls=True),
    "steps_per_decision": MetricStyle("steps per decision"),
}
SEEDS = "seeds"
LINE_NAMES = {
    "schedule": "schedule",
    "agent": "agent",
    "architecture": "architecture",
    "max_skip": "J",
}
"""What tells the lines of a table apart, and what it is called there."""


def metric_style(metric: str) -> MetricStyle:
    """How a metric is shown; one that is not known, under its own name."""
    return METRICS.get(metric, MetricStyle(metric))


class Pivot(NamedTuple):
    """Rows as a table: a line for each kind of agent, a column for each environment and metric."""

    heads: list[str]
    """Over the names of lines."""
    columns: list[tuple[str, str]]
    lines: dict[tuple[str, ...], dict[tuple[str, str], Row]]
    """By their names: agent and longest skip; schedule and architecture where there are any."""


def pivot(rows: Sequence[Row]) -> Pivot:
    """Arrange rows, with a column for the number of seeds where they differ.

    Lines come by their names in the order of the rows, lengths from the shortest. Speed-ups compare
    two lines and have no place in it.
    """
    rows = [row for row in rows if not row.metric.startswith("speedup")]
    keys = [
        key
        for key in LINE_NAMES
        if key in ("agent", "max_skip") or any(getattr(row, key) for row in rows)
    ]
    places = {key: list(dict.fromkeys(getattr(row, key) for row in rows)) for key in keys}
    places["max_skip"].sort()
    lines: dict[tuple[str, ...], dict[tuple[str, str], Row]] = {}
    for row in sorted(rows, key=lambda row: [places[key].index(getattr(row, key)) for key in keys]):
        line = lines.setdefault(tuple(str(getattr(row, key) or "") for key in keys), {})
        line[row.environment, row.metric] = line[row.environment, SEEDS] = row
    metrics: dict[str, dict[str, None]] = {}
    for row in rows:
        metrics.setdefault(row.environment, {})[row.metric] = None
    seeds = [SEEDS] if len({row.seeds for row in rows}) > 1 else []
    columns = [(name, metric) for name, known in metrics.items() for metric in [*known, *seeds]]
    return Pivot([LINE_NAMES[key] for key in keys], columns, lines)


def text_table(
    rows: Sequence[Row], *, intervals: bool = False
) -> tuple[list[str], list[list[str]]]:
    """A table for people, its header and its lines: our value followed by the published one."""
    heads, columns, lines = pivot(rows)
    heads += [f"{environment} {metric_style(metric).name}" for environment, metric in columns]
    body = []
    for names, line in lines.items():
        texts = {
            (place, metric): str(row.seeds) if metric == SEEDS else _value_text(row, intervals)
            for (place, metric), row in line.items()
        }
        body.append([*names, *(texts.get(column, "") for column in columns)])
    return heads, body


def _value_text(row: Row, intervals: bool = False) -> str:
    digits = metric_style(row.metric).digits
    text = "never" if row.value is None else f"{row.value:.{digits}f}"
    if intervals and row.interval is not None:
        low, high = row.interval
        text += f" [{low:.{digits}f}, {high:.{digits}f}]"
    return text if row.published is None else f"{text} ({row.published:g})"


def speedup_text(row: Row, times: str) -> str:
    """A speed-up in words, without the full stop."""
    return (
        f"On {row.environment} with a {row.schedule} schedule, {row.agent} reaches a mean reward"
        f" of {row.metric.rpartition('_')[2]} in {times} times fewer episodes than q"
    )


def shows_intervals(experiment: Experiment) -> bool:
    """Whether a table for people has intervals: deep agents differ much from seed to seed."""
    return experiment.cells[0].config.steps is not None


def markdown_table(experiment: Experiment, rows: Sequence[Row]) -> str:
    """The table as Markdown, with a caption about budget and seeds."""
    lines = [f"# {experiment.title}", ""]
    if not rows:
        return "\n".join([*lines, "No run is finished yet.", ""])
    intervals = shows_intervals(experiment)
    lines += [_caption(experiment, rows, intervals=intervals), ""]
    lines += markdown_lines(*text_table(rows, intervals=intervals))
    lines += [
        f"\n{speedup_text(row, _value_text(row))}."
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


def markdown_lines(header: Sequence[str], body: Iterable[Sequence[object]]) -> list[str]:
    """A table as Markdown."""
    lines = [header, ["---"] * len(header), *body]
    return [f"| {' | '.join(map(str, line))} |" for line in lines]
