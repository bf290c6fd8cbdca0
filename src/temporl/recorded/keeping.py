"""How eager to commit a skip policy may be: the most that costs no return, found by playing.

from the most eager tolerance to the least:
    play some episodes with it
    stop if the mean return is within the allowed loss of what the behaviour earns by itself
"""

from __future__ import annotations

from typing import Any

import numpy as np

from temporl.errors import require_range
from temporl.evaluation import EnvironmentLike, evaluate
from temporl.recorded.collecting import collect_episodes
from temporl.recorded.policy import SkipPolicy

QUANTILES = (0.9, 0.75, 0.5, 0.25, 0.1)
STEPS = 2000
"""How many of the behaviour's steps say how large differences between skips are."""


def keep_return(
    policy: SkipPolicy,
    environment: EnvironmentLike,
    *,
    loss: float = 0.02,
    episodes: int = 30,
    seed: int = 1,
) -> SkipPolicy:
    """The same policy with the largest tolerance at which its return stays.

    If none does, it decides at every step, as the behaviour does by itself.

    Args:
        policy: From `learn_skips`.
        environment: As in `temporl.evaluate`; this is played in.
        loss: The share of the behaviour's return that may be lost.
        episodes: How many to play for each tolerance that is tried.
        seed: Where their seeds come from; evaluate with another one afterwards.
    """
    require_range("loss", loss, 0.0, 1.0)
    every_step = policy.with_tolerance(-np.inf)
    before = evaluate(every_step, environment, episodes, seed).returns.mean()
    for tolerance in tolerances(policy, environment, seed):
        tried = policy.with_tolerance(tolerance)
        after = evaluate(tried, environment, episodes, seed).returns.mean()
        if after >= before - loss * abs(before):
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
