"""Learning curves for the page: few points, interquartile means and their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.stats import bootstrap, trim_mean

from temporl.randomness import Purpose, generator
from temporl.report.cells import averaged_over_starts
from temporl.report.page.groups import Group
from temporl.training.course import Moments
from temporl.training.outcome import last_evaluations
from temporl.types import Record

POINTS = 90
"""Half of the most points of a curve; they are evenly spaced, the others closer to the start."""
RESAMPLES = 300
COLUMNS = {"return": "return", "length": "steps of an episode", "decisions": "decisions"}

Curves = Float[np.ndarray, "seed point"]
Evaluated = Float[np.ndarray, "seed evaluation"]


def interquartile_mean(values: Float[np.ndarray, "seed ..."], axis: int = 0) -> Any:
    """The mean of the middle half."""
    return trim_mean(values, 0.25, axis=axis)


def interval(values: Float[np.ndarray, "seed ..."]) -> tuple[Any, Any]:
    """The 95 % bootstrap interval of the interquartile mean over seeds; one seed has none."""
    if len(values) < 2:
        return None, None
    outcome = bootstrap(
        (values,),
        interquartile_mean,
        axis=0,
        n_resamples=RESAMPLES,
        batch=max(1, 4_000_000 // values.size),
        vectorized=True,
        method="percentile",
        rng=generator(0, Purpose.BOOTSTRAP),
    )
    return outcome.confidence_interval.low, outcome.confidence_interval.high


def edges(evaluations: int) -> Int[np.ndarray, " edge"]:
    """Where the evaluations are cut into bins, one of which becomes one point.

    Examples:
        >>> edges(3).tolist()
        [0, 1, 2, 3]
    """
    even = np.linspace(0, evaluations, POINTS + 1)
    early = np.geomspace(1, evaluations, POINTS) if evaluations > POINTS else np.empty(0)
    return np.unique(np.concatenate([even, early]).astype(np.int64))


def thin(values: Evaluated) -> Curves:
    """The mean of every bin."""
    cut = edges(values.shape[1])
    return np.add.reduceat(values, cut[:-1], axis=1) / np.diff(cut)


def group_curves(group: Group) -> Record | None:
    """What the page draws of a configuration; None where nothing was evaluated."""
    tables = [table for table in group.evaluations if len(table)]
    if not tables:
        return None
    starts = group.record.get("evaluation_starts") or 1
    shortest = min(len(table) for table in tables) // starts * starts
    columns = {}
    for name in ("episode", "step", *COLUMNS):
        values = np.stack([table[name].to_numpy()[:shortest] for table in tables])
        columns[name] = averaged_over_starts(values, starts)
    places = _places(columns)
    if group.courses:
        places["seconds"] = _seconds(group.courses, places["steps"])
    last = last_evaluations(columns["step"].shape[1])
    final = {name: columns[name][:, last].mean(axis=1) for name in COLUMNS}
    return {
        "x": {name: short(values.mean(axis=0)) for name, values in places.items()},
        "curves": {name: _curve(thin(columns[name])) for name in COLUMNS},
        "final": {name: short(values) for name, values in final.items()},
        "summary": {name: _summary(values) for name, values in final.items()},
    }


def _places(columns: dict[str, Evaluated]) -> dict[str, Curves]:
    """Where points lie: how many steps, episodes and decisions training had taken.

    Decisions in training are not recorded: they are counted as if training decided as rarely as the
    greedy policy of its time.
    """
    played = np.diff(columns["step"], axis=1, prepend=0)
    decided = np.cumsum(played * columns["decisions"] / np.maximum(columns["length"], 1), axis=1)
    places = {"steps": columns["step"], "decisions": decided}
    if columns["episode"].max() > 0:
        places["episodes"] = columns["episode"]
    return {name: thin(values) for name, values in places.items()}


def _seconds(courses: Sequence[Moments], steps: Curves) -> Curves:
    """How long training had taken by each of these steps; interpolated between moments."""
    mean = steps.mean(axis=0)
    return np.stack(
        [
            np.interp(mean, np.append(0, course.step), np.append(0.0, course.seconds))
            for course in courses
        ]
    )


def _curve(values: Curves) -> Record:
    low, high = interval(values)
    return {
        "mean": short(interquartile_mean(values)),
        "low": None if low is None else short(low),
        "high": None if high is None else short(high),
        "seeds": [short(seed) for seed in values] if len(values) > 1 else [],
    }


def _summary(values: Float[np.ndarray, " seed"]) -> tuple[float, float | None, float | None]:
    low, high = (None if end is None else float(end[0]) for end in interval(values[:, None]))
    return float(interquartile_mean(values)), low, high


def short(values: Any) -> list[float]:
    """Values with four significant digits: more cannot be seen, and the page must stay small.

    Examples:
        >>> short([0.123456, 123456.7])
        [0.1235, 123500.0]
    """
    return [float(f"{value:.4g}") for value in np.asarray(values, dtype=np.float64)]
