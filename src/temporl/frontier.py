"""The frontier of a trained policy: its return against its decisions, without further training.

A policy that has learned what holding an action costs plays at any price of a decision; one that
has learned values of skips, with any tolerance. Fixed repeats of its actions stand beside it: a
policy that has learned when to act should do better than one that decides at every second step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from temporl.environments.catalogue import step_limit_of
from temporl.errors import BadInput, require_at_least, require_range
from temporl.evaluation import EnvironmentLike, Evaluation, evaluate, make_environment
from temporl.randomness import Purpose, episode_seed
from temporl.skipping import Decision, Policy, play
from temporl.training.outcome import TrainedPolicy
from temporl.types import Element, Record

PRICES = ("1%", "2%", "5%", "10%", "20%", "50%", "100%")
"""Prices of a decision to play at, in shares of what a step is worth."""
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Tolerances to play with: quantiles of how much less skips are worth than the best one."""
REPEATS = (2, 4, 8)
ASKED = 500
"""In how many states the values of skips are asked for."""


@dataclass(frozen=True)
class FixedRepeat:
    """A policy whose actions are all played equally long."""

    policy: Policy
    repeat: int

    def decide(self, observation: Element) -> Decision:
        """Its greedy action, for the fixed length."""
        return Decision(self.policy.decide(observation).action, self.repeat)


@dataclass(frozen=True)
class Setting:
    """One way to play a trained policy; default: as it was trained."""

    decision_cost: float | str | None = None
    tie_tolerance: float | None = None
    repeat: int | None = None
    """Number of steps for which every action is played, in place of the learned ones."""

    @property
    def label(self) -> str:
        """What tells it from other settings."""
        if self.repeat is not None:
            return "every step" if self.repeat == 1 else f"repeat {self.repeat}"
        if self.tie_tolerance is not None:
            return f"tolerance {self.tie_tolerance:.3g}"
        return "as trained" if self.decision_cost is None else f"price {self.decision_cost}"

    def apply(self, policy: TrainedPolicy) -> TrainedPolicy:
        """The policy at this price or with this tolerance."""
        if self.decision_cost is not None:
            policy = policy.with_price(self.decision_cost)
        return policy if self.tie_tolerance is None else policy.with_tolerance(self.tie_tolerance)

    def policy(self, trained: TrainedPolicy) -> Policy:
        """What plays."""
        require_at_least("repeat", self.repeat, 1)
        held = self.apply(trained)
        return held if self.repeat is None else FixedRepeat(held, self.repeat)

    def price(self, trained: TrainedPolicy) -> float:
        """What a decision costs, in reward."""
        return self.apply(trained).price if self.repeat is None else 0.0


@dataclass(frozen=True)
class Point:
    """A setting, what a decision costs there in reward, and how it went."""

    setting: Setting
    price: float
    played: Evaluation

    @property
    def earned(self) -> float:
        """The mean return."""
        return float(self.played.returns.mean())

    @property
    def decisions(self) -> float:
        """The mean number of decisions in an episode."""
        return float(self.played.decisions.mean())

    @property
    def steps_per_decision(self) -> float:
        """The mean number of steps for which a decision was played."""
        return float(self.played.lengths.sum() / self.played.decisions.sum())

    def to_data(self) -> Record:
        """As pure data."""
        summary = self.played.summary()
        return {"setting": self.setting.label, "price": self.price} | summary


def settings_of(
    policy: TrainedPolicy, environment: EnvironmentLike, seed: int = 0
) -> list[Setting]:
    """All ways to play a policy: from every step on, as rarely as it can, and in fixed repeats."""
    settings = [Setting(repeat=1), Setting()]
    if policy.held_by == "decision_cost":
        priced = [Setting(decision_cost=price) for price in PRICES]
        own = policy.price
        settings += [one for one in priced if abs(one.price(policy) - own) > 1e-6 * own]
    elif policy.held_by == "tie_tolerance":
        settings += [Setting(tie_tolerance=x) for x in _tolerances(policy, environment, seed)]
    return settings + [Setting(repeat=repeat) for repeat in REPEATS]


def _tolerances(policy: TrainedPolicy, environment: EnvironmentLike, seed: int) -> list[float]:
    """Quantiles of how much less skips are worth than the best, in states that are played."""
    made, number = make_environment(environment), 0
    missing: list[np.ndarray] = []
    limit = step_limit_of(made, str(environment))
    while len(missing) < ASKED:
        start = episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, number)
        observation, _ = made.reset(seed=start)
        for step in play(policy, made, observation, step_limit=limit):
            values = np.array(list(policy.skip_values(step.observation, step.action).values()))
            missing.append(values.max() - values)
        number += 1
    made.close()
    less = np.concatenate(missing)
    found = [float(np.quantile(less[less > 0], share)) for share in QUANTILES if less.any()]
    return list(dict.fromkeys(found))


def frontier(
    policy: TrainedPolicy, environment: EnvironmentLike, episodes: int = 20, seed: int = 0
) -> list[Point]:
    """Play a trained policy in all its settings; the first decides at every step.

    Args:
        policy: The policy, from `temporl.load` or a run.
        environment: What to play in, as in `temporl.evaluate`.
        episodes: Episodes for each setting, all from the same starts.
        seed: The seed of the episodes.
    """
    chosen = settings_of(policy, environment, seed)
    return [
        Point(one, one.price(policy), evaluate(one.policy(policy), environment, episodes, seed))
        for one in chosen
    ]


def best_point(points: Sequence[Point], keep_return: float = 0.95) -> Point:
    """The point with the fewest decisions that keeps such a share of the return of every step."""
    require_range("keep_return", keep_return, 0.0, 1.0)
    every_step = points[0].earned
    enough = every_step - (1 - keep_return) * abs(every_step)
    kept = [p for p in points if p.setting.repeat in (None, 1) and p.earned >= enough]
    return min(kept, key=lambda point: point.decisions)


def sentence(points: Sequence[Point], keep_return: float = 0.95) -> str:
    """What a user gets, in one sentence."""
    every_step, best = points[0], best_point(points, keep_return)
    if best.setting.repeat == 1:
        return f"Nothing but deciding at every step keeps {100 * keep_return:g} % of the return."
    share = best.decisions / every_step.decisions
    change = (best.earned - every_step.earned) / max(abs(every_step.earned), 1e-12)
    word = "more" if change >= 0 else "less"
    how = "As trained" if best.setting == Setting() else f"With {best.setting.label}"
    if best.price:
        how = f"At a price of {best.price:.3g}"
    return (
        f"{how} it makes {100 * share:.0f} % of the decisions and earns"
        f" {abs(100 * change):.1f} % {word} than by deciding at every step."
    )


def with_return_kept(
    policy: TrainedPolicy,
    environment: EnvironmentLike,
    keep_return: float = 0.95,
    episodes: int = 50,
    seed: int = 1,
) -> TrainedPolicy:
    """The policy at the price or tolerance with the fewest decisions that keeps its return.

    Evaluate the result with another seed: the best of many settings may have been lucky.
    """
    if policy.held_by is None:
        raise BadInput("policy", policy, "it has not learned how long to hold an action")
    points = frontier(policy, environment, episodes, seed)
    return best_point(points, keep_return).setting.apply(policy)
