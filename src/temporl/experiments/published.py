"""The values that the paper printed."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from temporl.experiments.experiment import Cell


@cache
def _published() -> dict[tuple[str, ...], float]:
    text = (files(__package__) / "published.csv").read_text()
    keys = ("experiment", "environment", "agent", "architecture", "schedule", "max_skip", "metric")
    return {
        tuple(row[key] for key in keys): float(row["value"])
        for row in csv.DictReader(text.splitlines())
    }


def published_value(table: str, cell: Cell, metric: str) -> float | None:
    """The value of a cell in a table of the paper; None where there is none."""
    key = (
        table,
        cell.environment,
        cell.agent,
        cell.architecture,
        cell.schedule,
        str(cell.max_skip),
        metric,
    )
    return _published().get(key)
