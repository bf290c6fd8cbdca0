"""How readily a skip policy may commit without losing return, found by playing.

for every tolerance, from the largest to the smallest:
    play episodes with it, from the same starts as the behaviour alone
    take it if the loss of return is below the limit with a confidence of 95 %,
    and on average from other starts as well: one of many tolerances may be lucky once
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from temporl.errors import BadInput, require_at_least, require_range
from temporl.evaluation import EnvironmentLike, evaluate
from temporl.recorded.episodes import collect_episodes
from temporl.recorded.skip_policy import SkipPolicy

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
    """Find the largest tolerance with which a policy keeps the return of its behaviour.

    Of several policies on top of one behaviour, returns the one that then decides least often. If
    no tolerance keeps the return, the result decides at every step, as the behaviour does alone.

    Args:
        policies: From `learn_skips`.
        environment: The environment to play in, as in `temporl.evaluate`.
        loss: The share of the behaviour's return that may be lost; the loss is below it with a
            confidence of 95 %, over the episodes that are played.
        episodes: Episodes for each tolerance, from the same starts; the tolerance that is found
            is confirmed in as many from other starts.
        seed: The seed of the episodes; evaluate the result with another seed.
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


def tolerances(policy: SkipPolicy, environment: EnvironmentLike, seed: int) -> list[float]:
    """The tolerances to try, largest first: quantiles of differences between values of skips."""
    played = collect_episodes(policy.behaviour, environment, STEPS, repeat=0.0, seed=seed)
    values = np.concatenate(
        [policy.relative_values(episode.observations[:-1], episode.actions) for episode in played]
    )
    best = values.max(axis=1)
    costs, gains = best[:, None] - values, best - values[:, 0]
    eager = [float(np.quantile(costs[costs > 0], share)) for share in QUANTILES if costs.any()]
    wary = [-float(np.quantile(gains[gains > 0], s)) for s in QUANTILES[::-1] if gains.any()]
    return [*eager, 0.0, *wary]
