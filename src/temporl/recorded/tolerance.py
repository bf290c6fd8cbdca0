"""How eager to commit a skip policy may be: the most that costs no return, found by playing.

from the most eager tolerance to the least:
    play some episodes with it
    stop if it surely loses no more than is allowed, of what the behaviour earns by itself,
    and in the mean from other starts too: one of many tries may be lucky once
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from temporl.errors import BadInput, require_at_least, require_range
from temporl.evaluation import EnvironmentLike, evaluate
from temporl.recorded.collecting import collect_episodes
from temporl.recorded.policy import SkipPolicy

QUANTILES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
SURE = 1.645
"""Standard errors that a mean is below with a probability of 95 %."""
STEPS = 2000
"""The number of the behaviour's steps from which differences between skips are estimated."""


def keep_return(
    policies: SkipPolicy | Sequence[SkipPolicy],
    environment: EnvironmentLike,
    *,
    loss: float = 0.05,
    episodes: int = 50,
    seed: int = 1,
) -> SkipPolicy:
    """The same policy with the largest tolerance at which its return stays.

    Of several policies on top of one behaviour, the one that then decides least often. If no
    tolerance keeps the return, it decides at every step, as the behaviour does by itself.

    Args:
        policies: From `learn_skips`.
        environment: As in `temporl.evaluate`; this is played in.
        loss: The share of the behaviour's return that may be lost; the loss is below it with a
            confidence of 95 %, over the episodes that are played.
        episodes: How many to play for each tolerance that is tried, from the same starts; and as
            many again from others, to be sure of what was found.
        seed: Where their seeds come from; evaluate with another one afterwards.
    """
    require_range("loss", loss, 0.0, 1.0)
    require_at_least("episodes", episodes, 2)
    given = [policies] if isinstance(policies, SkipPolicy) else list(policies)
    if not given:
        raise BadInput("policies", 0, "allowed: at least one")
    kept = every_step = given[0].with_tolerance(-np.inf)
    alone = {
        start: evaluate(every_step, environment, episodes, start) for start in (seed, seed + 1)
    }

    def decided(policy: SkipPolicy) -> float:
        """The share of steps at which it decides; infinite if it loses too much."""
        share = 1.0
        for start, before in alone.items():
            after = evaluate(policy, environment, episodes, start)
            losses = before.returns - after.returns
            doubt = SURE * losses.std(ddof=1) / episodes**0.5 if start == seed else 0.0
            most = losses.mean() + doubt
            if most > loss * abs(before.returns.mean()):
                return np.inf
            share = float(after.decisions.sum() / after.lengths.sum())
        return share

    rarest = 1.0
    for policy in given:
        tried = map(policy.with_tolerance, tolerances(policy, environment, seed))
        found = ((share, one) for one in tried if (share := decided(one)) < np.inf)
        share, eager = next(found, (1.0, every_step))
        if share < rarest:
            kept, rarest = eager, share
    return kept


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
