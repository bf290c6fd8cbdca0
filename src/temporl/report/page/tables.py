"""The experiments' tables for the page: ours beside published, with a mark for met or not."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from temporl.errors import DamagedFile
from temporl.experiments import EXPERIMENTS
from temporl.report.tables import LINE_NAMES, METRIC_NAMES, Row

DIGITS = {"reward_auc": (3, 2), "decisions": (1, 1), "episodes_to_95_percent": (0, 0)}
"""Digits after the point, of ours and as published."""
SMALLER_IS_BETTER = ("decisions", "final_decisions", "episodes_to_95_percent")


@dataclass(frozen=True)
class Entry:
    """One cell of a table: our value, how sure it is, and what was published."""

    value: str
    interval: str
    published: str
    met: bool | None
    """Whether ours is at least as good; None where nothing was published."""
    seeds: int


@dataclass(frozen=True)
class PageTable:
    """The table of one experiment."""

    name: str
    title: str
    note: str
    heads: list[str]
    columns: list[tuple[str, str]]
    """Environment and metric of every column of values."""
    lines: list[tuple[list[str], list[Entry | None]]]
    remarks: list[str]
    seeds: int | None
    """How many, if that is the same for all values."""
    met: int
    compared: int


def read_tables(folder: Path) -> list[PageTable]:
    """Every `table.json` below a folder."""
    return [
        table_for_page(path.parent.name, rows)
        for path in sorted(folder.rglob("table.json"))
        if (rows := _read_rows(path))
    ]


def _read_rows(path: Path) -> list[Row]:
    names = {field.name for field in fields(Row)}
    try:
        data = json.loads(path.read_text())
        return [Row(**{name: row[name] for name in names}) for row in data]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(f"{path}: not a table: {error!r}") from error


def is_met(row: Row) -> bool | None:
    """Whether ours is at least as good as published, to the printed digits or within its interval.

    Examples:
        >>> line = ("gridworlds", "cliff", "q", None, "log", 1, "reward_auc")
        >>> row = Row(*line, value=0.918, ci_low=0.91, ci_high=0.92, seeds=9, published=0.92)
        >>> is_met(row)
        True
    """
    if row.published is None:
        return None
    if row.value is None:
        return False
    _, printed = _digits(row.metric)
    sign = -1 if row.metric in SMALLER_IS_BETTER else 1
    as_good = sign * round(row.value, printed) >= sign * round(row.published, printed)
    known = row.seeds > 1 and row.ci_low is not None and row.ci_high is not None
    return as_good or (known and row.ci_low <= row.published <= row.ci_high)  # type: ignore[operator]


def table_for_page(name: str, rows: Sequence[Row]) -> PageTable:
    """A line for each kind of agent, a column for each environment and metric."""
    inside = [row for row in rows if not row.metric.startswith("speedup")]
    keys = [
        key
        for key in LINE_NAMES
        if key in ("agent", "max_skip") or any(getattr(row, key) for row in inside)
    ]
    columns = list(dict.fromkeys((row.environment, row.metric) for row in inside))
    lines: dict[tuple[Any, ...], dict[tuple[str, str], Entry]] = {}
    for row in inside:
        line = lines.setdefault(tuple(getattr(row, key) for key in keys), {})
        line[row.environment, row.metric] = entry(row)
    marks = [mark for row in rows if (mark := is_met(row)) is not None]
    counts = {row.seeds for row in rows}
    known = EXPERIMENTS.get(name)
    return PageTable(
        name=name,
        title=known.title if known is not None else name,
        note=known.note if known is not None else "",
        heads=[LINE_NAMES[key] for key in keys],
        columns=[(place, METRIC_NAMES.get(metric, metric)) for place, metric in columns],
        lines=[
            (["" if part is None else str(part) for part in line], [e.get(c) for c in columns])
            for line, e in lines.items()
        ],
        remarks=[_speedup(row) for row in rows if row.metric.startswith("speedup") and row.value],
        seeds=counts.pop() if len(counts) == 1 else None,
        met=sum(marks),
        compared=len(marks),
    )


def _digits(metric: str) -> tuple[int, int]:
    return DIGITS.get(metric, (1, 1))


def entry(row: Row) -> Entry:
    """One value in words."""
    digits, printed = _digits(row.metric)
    value = "never" if row.value is None else f"{row.value:,.{digits}f}"
    between = ""
    # The interval of a single seed has no width, and would look like certainty.
    if row.seeds > 1 and row.ci_low is not None and row.ci_high is not None:
        between = f"{row.ci_low:,.{digits}f} to {row.ci_high:,.{digits}f}"
    published = "" if row.published is None else f"{row.published:,.{printed}f}"
    return Entry(value, between, published, is_met(row), row.seeds)


def _speedup(row: Row) -> str:
    published = "" if row.published is None else f" (published: {row.published:g})"
    level = row.metric.rpartition("_")[2]
    assert row.value is not None
    assert math.isfinite(row.value)
    return (
        f"On {row.environment} with a {row.schedule} schedule, {row.agent} reaches a mean reward of"
        f" {level} in {row.value:.1f} times fewer episodes than q{published}."
    )
