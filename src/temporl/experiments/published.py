"""The numbers the paper printed."""

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
    """What a table of the paper says about a cell, or None where it says nothing."""
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
