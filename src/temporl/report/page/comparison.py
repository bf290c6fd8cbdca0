"""The experiments' tables for the page: ours beside published, with a mark for met or not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from temporl.errors import DamagedFile
from temporl.experiments import EXPERIMENTS
from temporl.report.tables import SEEDS, Row, metric_style, pivot, speedup_text


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
    lines: list[tuple[tuple[str, ...], list[Entry | None]]]
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
    style = metric_style(row.metric)
    ours, theirs = (round(x, style.published_digits) for x in (row.value, row.published))
    if ours <= theirs if style.falls else ours >= theirs:
        return True
    return row.interval is not None and row.interval[0] <= row.published <= row.interval[1]


def table_for_page(name: str, rows: Sequence[Row]) -> PageTable:
    """A line for each kind of agent, a column for each environment and metric."""
    heads, columns, lines = pivot(rows)
    shown = [column for column in columns if column[1] != SEEDS]
    marks = [mark for row in rows if (mark := is_met(row)) is not None]
    counts = {row.seeds for row in rows}
    known = EXPERIMENTS.get(name)
    return PageTable(
        name=name,
        title=known.title if known is not None else name,
        note=known.note if known is not None else "",
        heads=heads,
        columns=[(place, metric_style(metric).name) for place, metric in shown],
        lines=[
            (names, [entry(line[column]) if column in line else None for column in shown])
            for names, line in lines.items()
        ],
        remarks=[_speedup(row) for row in rows if row.metric.startswith("speedup") and row.value],
        seeds=counts.pop() if len(counts) == 1 else None,
        met=sum(marks),
        compared=len(marks),
    )


def entry(row: Row) -> Entry:
    """One value in words."""
    style = metric_style(row.metric)
    value = "never" if row.value is None else f"{row.value:,.{style.digits}f}"
    between = ""
    if row.interval is not None:
        between = " to ".join(f"{end:,.{style.digits}f}" for end in row.interval)
    published = ""
    if row.published is not None:
        published = f"{row.published:,.{style.published_digits}f}"
    return Entry(value, between, published, is_met(row), row.seeds)


def _speedup(row: Row) -> str:
    published = "" if row.published is None else f" (published: {row.published:g})"
    return f"{speedup_text(row, f'{row.value:.1f}')}{published}."
