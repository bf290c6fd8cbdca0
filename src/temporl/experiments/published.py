"""The values that the paper printed."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from temporl.experiments.experiment import Cell

KEYS = ("environment", "agent", "architecture", "schedule", "max_skip")


@cache
def _published() -> dict[tuple[str, ...], float]:
    text = (files(__package__) / "published.csv").read_text()
    return {
        (row["experiment"], row["metric"], *(row[key] for key in KEYS)): float(row["value"])
        for row in csv.DictReader(text.splitlines())
    }


def published_value(table: str, cell: Cell, metric: str) -> float | None:
    """The value of a cell in a table of the paper; None where there is none."""
    return _published().get((table, metric, *(str(getattr(cell, key)) for key in KEYS)))
