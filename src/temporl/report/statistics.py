"""Statistics over seeds: means and their confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from temporl.randomness import Purpose, generator

RESAMPLES = 2000
GOOD_FRACTION = 0.95
"""The share of evaluations that must succeed for an agent to count as reliable."""


class Estimate(NamedTuple):
    """A value with its 95 % confidence interval over seeds."""

    value: float
    low: float
    high: float


def count_seeds(counts: Iterable[int]) -> str:
    """In words, how many seeds several things have.

    Examples:
        >>> count_seeds([10, 10]), count_seeds([10, 4, 7]), count_seeds([1])
        ('10 seeds', '4 to 10 seeds', '1 seed')
    """
    known = sorted(set(counts))
    text = " to ".join(str(count) for count in dict.fromkeys((known[0], known[-1])))
    return f"{text} seed" if text == "1" else f"{text} seeds"


def normalized(
    returns: Float[np.ndarray, "seed evaluation"], lowest: float, highest: float
) -> Float[np.ndarray, "seed evaluation"]:
    """Returns as fractions of the way from the lowest to the highest."""
    return (returns - lowest) / (highest - lowest)


def estimate(
    statistic: Callable[..., float], *curves: Float[np.ndarray, "seed evaluation"]
) -> Estimate:
    """A statistic of mean curves, with its percentile-bootstrap interval over seeds.

    Every curve's seeds are drawn anew, with replacement; the statistic sees the mean curves.
    """
    value = float(statistic(*(curve.mean(axis=0) for curve in curves)))
    draws = generator(0, Purpose.BOOTSTRAP)
    resampled = [_resampled_means(curve, draws) for curve in curves]
    values = [statistic(*means) for means in zip(*resampled, strict=True)]
    low, high = np.quantile(values, [0.025, 0.975], method="nearest")
    return Estimate(value, float(low), float(high))


def _resampled_means(
    curves: Float[np.ndarray, "seed evaluation"], draws: np.random.Generator
) -> Float[np.ndarray, "resample evaluation"]:
    seeds = len(curves)
    weights = draws.multinomial(seeds, np.full(seeds, 1 / seeds), size=RESAMPLES) / seeds
    return weights.astype(np.float32) @ curves.astype(np.float32)


def first_reaching(curve: Float[np.ndarray, " evaluation"], level: float) -> float:
    """The number of the first evaluation at which a mean curve reaches a level, or infinity."""
    reached = np.flatnonzero(curve >= level - 1e-6)
    return float(reached[0] + 1) if len(reached) else np.inf
