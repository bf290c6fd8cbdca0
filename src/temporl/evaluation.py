"""Greedy episodes: how much an agent earns, how many steps it takes, how often it decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import gymnasium as gym
import numpy as np
from jaxtyping import Float, Int

from temporl.course import Moments
from temporl.environments.catalogue import EnvironmentSpec, step_limit_of
from temporl.environments.images import ImageOptions, with_images
from temporl.errors import require_at_least
from temporl.randomness import Purpose, episode_seed
from temporl.skipping import FREE, Decision, commit


class Evaluations(NamedTuple):
    """Greedy episodes, a row each: when they were played, and how they went."""

    episode: Int[np.ndarray, " evaluation"]
    step: Int[np.ndarray, " evaluation"]
    returns: Float[np.ndarray, " evaluation"]
    lengths: Int[np.ndarray, " evaluation"]
    decisions: Int[np.ndarray, " evaluation"]


def empty_evaluations(count: int) -> Evaluations:
    """Room for a number of evaluations."""
    whole = [np.zeros(count, dtype=np.int64) for _ in range(4)]
    return Evaluations(whole[0], whole[1], np.zeros(count), whole[2], whole[3])


class Report(NamedTuple):
    """How far a run is, and how it goes."""

    fraction: float
    steps: int
    measured: dict[str, float]
    """The latest greedy episode (return, length, decisions), and what learning says of itself."""


OnProgress = Callable[[Report], None]
"""Called now and then while a run is under way."""


class Policy(Protocol):
    """Anything that answers an observation with an action and a duration."""

    def decide(self, observation: Any) -> Decision:
        """The greedy decision."""
        ...


class CountedSkips:
    """A policy that counts which skips it chooses."""

    def __init__(self, policy: Policy, longest: int) -> None:
        self.policy = policy
        self.chosen = np.zeros(longest, dtype=np.int64)

    def decide(self, observation: Any) -> Decision:
        """What the policy decides."""
        decision = self.policy.decide(observation)
        self.chosen[decision.skip - 1] += 1
        return decision


@dataclass(frozen=True)
class Trained:
    """What a finished run leaves behind."""

    policy: Any
    evaluations: Evaluations
    episodes: int
    steps: int
    course: Moments | None = None


@dataclass(frozen=True)
class Evaluation:
    """The outcome of greedy episodes, one entry for each."""

    returns: Float[np.ndarray, " episode"]
    lengths: Int[np.ndarray, " episode"]
    decisions: Int[np.ndarray, " episode"]

    def summary(self) -> dict[str, Any]:
        """Mean, spread and extremes, as `temporl evaluate --json` prints them."""
        columns = {"return": self.returns, "steps": self.lengths, "decisions": self.decisions}
        return {"episodes": len(self.returns)} | {
            name: {
                "mean": float(np.mean(values)),
                "std": float(np.std(values)),
                "min": float(np.min(values)),
                "max": float(np.max(values)),
            }
            for name, values in columns.items()
        }


EnvironmentLike = str | EnvironmentSpec | gym.Env[Any, Any] | Callable[[], gym.Env[Any, Any]]


def make_environment(environment: EnvironmentLike) -> gym.Env[Any, Any]:
    """Make what a user names: an id, a map file, a function that makes one, or one itself."""
    if isinstance(environment, str):
        environment = EnvironmentSpec.given(environment)
    if isinstance(environment, EnvironmentSpec):
        return environment.make()
    made = environment if isinstance(environment, gym.Env) else environment()
    return with_images(made, ImageOptions())


def play_episode(
    policy: Policy,
    environment: gym.Env[Any, Any],
    seed: int,
    step_limit: int | None = None,
    max_skip: int | None = None,
) -> tuple[float, int, int]:
    """Play one episode from a seed: its return, steps and decisions.

    A commitment that the episode's end cuts short counts as one decision.
    """
    observation, _ = environment.reset(seed=seed)
    commitment, over = FREE, False
    total, steps, decisions = 0.0, 0, 0
    while not over:
        if commitment.spent:
            action, skip = policy.decide(observation)
            commitment = commit(Decision(action, skip if max_skip is None else min(skip, max_skip)))
            decisions += 1
        observation, reward, terminated, truncated, _ = environment.step(commitment.decision.action)
        total += float(reward)
        steps += 1
        over = terminated or truncated or steps == step_limit
        commitment = commitment.after_step(over)
    return total, steps, decisions


def evaluate(
    policy: Policy,
    environment: EnvironmentLike,
    episodes: int = 20,
    seed: int = 0,
    step_limit: int | None = None,
    max_skip: int | None = None,
) -> Evaluation:
    """Play greedy episodes and count.

    Episodes are seeded one by one, so that the k-th episode does not depend on those before it.

    Args:
        policy: What decides.
        environment: A Gymnasium id, the path of a map, a function that makes an environment, or
            one itself.
        episodes: How many to play.
        seed: Where their seeds come from.
        step_limit: Steps after which an episode is cut, where the environment has no limit.
        max_skip: Steps after which a decision is taken again, whatever the policy chose: with 1
            the actions alone play.
    """
    require_at_least("episodes", episodes, 1)
    if max_skip is not None:
        require_at_least("max_skip", max_skip, 1)
    made = make_environment(environment)
    limit = step_limit or step_limit_of(made, str(environment))
    played = [
        play_episode(
            policy,
            made,
            episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, episode),
            limit,
            max_skip,
        )
        for episode in range(episodes)
    ]
    if not isinstance(environment, gym.Env):
        made.close()
    returns, lengths, decisions = zip(*played, strict=True)
    return Evaluation(np.array(returns), np.array(lengths), np.array(decisions))
