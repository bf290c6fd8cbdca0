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
    experiment: str, environment: str, agent: str, schedule: str, max_skip: int, metric: str
) -> float | None:
    """What the paper says about a cell, or None where it says nothing."""
    table = experiment.removesuffix("-skip") if experiment == "gridworlds-skip" else experiment
    return _published().get((table, environment, agent, schedule, str(max_skip), metric))
