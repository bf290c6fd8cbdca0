"""How eager to commit a skip policy may be: the most that costs no return, found by playing.

from the most eager tolerance to the least:
    play some episodes with it
    stop if it surely loses no more than is allowed, of what the behaviour earns by itself
"""

from __future__ import annotations

from typing import Any

import numpy as np

from temporl.errors import require_at_least, require_range
from temporl.evaluation import EnvironmentLike, evaluate
from temporl.recorded.collecting import collect_episodes
from temporl.recorded.policy import SkipPolicy

QUANTILES = (0.9, 0.75, 0.5, 0.25, 0.1)
SURE = 1.645
"""Standard errors that a mean is below with a probability of 95 %."""
STEPS = 2000
"""How many of the behaviour's steps say how large differences between skips are."""


def keep_return(
    policy: SkipPolicy,
    environment: EnvironmentLike,
    *,
    loss: float = 0.05,
    episodes: int = 50,
    seed: int = 1,
) -> SkipPolicy:
    """The same policy with the largest tolerance at which its return stays.

    If none does, it decides at every step, as the behaviour does by itself.

    Args:
        policy: From `learn_skips`.
        environment: As in `temporl.evaluate`; this is played in.
        loss: The share of the behaviour's return that may be lost: with a probability of 95 %, as
            far as so many episodes can tell, it is not more.
        episodes: How many to play for each tolerance that is tried, from the same starts.
        seed: Where their seeds come from; evaluate with another one afterwards.
    """
    require_range("loss", loss, 0.0, 1.0)
    every_step = policy.with_tolerance(-np.inf)
    require_at_least("episodes", episodes, 2)
    before = evaluate(every_step, environment, episodes, seed).returns
    allowed = loss * abs(before.mean())
    for tolerance in tolerances(policy, environment, seed):
        tried = policy.with_tolerance(tolerance)
        losses = before - evaluate(tried, environment, episodes, seed).returns
        if losses.mean() + SURE * losses.std(ddof=1) / episodes**0.5 <= allowed:
            return tried
    return every_step


def tolerances(policy: SkipPolicy, environment: Any, seed: int) -> list[float]:
    """Those worth trying, the most eager first: how much skips differ where the behaviour goes."""
    played = collect_episodes(policy.behaviour, environment, STEPS, repeat=0.0, seed=seed)
    values = np.concatenate(
        [policy.relative_values(episode.observations[:-1], episode.actions) for episode in played]
    )
    best = values.max(axis=1)
    costs, gains = best[:, None] - values, best - values[:, 0]
    eager = [float(np.quantile(costs[costs > 0], share)) for share in QUANTILES if costs.any()]
    wary = [-float(np.quantile(gains[gains > 0], s)) for s in QUANTILES[::-1] if gains.any()]
    return [*eager, 0.0, *wary]
