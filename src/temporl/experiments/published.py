"""The numbers the paper printed."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files


@cache
def _published() -> dict[tuple[str, ...], float]:
    text = (files(__package__) / "published.csv").read_text()
    keys = ("experiment", "environment", "agent", "schedule", "max_skip", "metric")
    return {
        tuple(row[key] for key in keys): float(row["value"])
        for row in csv.DictReader(text.splitlines())
    }


def published_value(
    table: str, environment: str, agent: str, schedule: str, max_skip: int, metric: str
) -> float | None:
    """What a table of the paper says about a cell, or None where it says nothing."""
    return _published().get((table, environment, agent, schedule, str(max_skip), metric))
