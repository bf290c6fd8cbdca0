"""Greedy episodes: how much an agent earns, how many steps it takes, how often it decides."""

from __future__ import annotations

from dataclasses import dataclass

import gymnasium as gym
import numpy as np
from jaxtyping import Float, Int

from temporl.environments.catalogue import EnvironmentSpec, step_limit_of
from temporl.environments.images import ImageOptions, with_images
from temporl.environments.types import Environment, MakeEnvironment
from temporl.errors import require_at_least
from temporl.randomness import Purpose, episode_seed
from temporl.skipping import Policy, play
from temporl.types import Record


@dataclass(frozen=True)
class Evaluation:
    """The outcome of greedy episodes, one entry for each."""

    returns: Float[np.ndarray, " episode"]
    lengths: Int[np.ndarray, " episode"]
    decisions: Int[np.ndarray, " episode"]

    def to_data(self) -> Record:
        """What each episode brought, as pure data."""
        columns = {"return": self.returns, "steps": self.lengths, "decisions": self.decisions}
        return {name: values.tolist() for name, values in columns.items()}

    def summary(self, price: float = 0.0) -> Record:
        """Mean, spread and extremes, as `temporl evaluate --json` prints them.

        At a price of decisions also those of the returns less what the decisions cost.
        """
        columns = self.to_data()
        if price:
            columns["priced return"] = (self.returns - price * self.decisions).tolist()
        return {"episodes": len(self.returns)} | {
            name: {
                "mean": float(np.mean(values)),
                "std": float(np.std(values)),
                "min": float(np.min(values)),
                "max": float(np.max(values)),
            }
            for name, values in columns.items()
        }


EnvironmentLike = str | EnvironmentSpec | Environment | MakeEnvironment


def make_environment(environment: EnvironmentLike) -> Environment:
    """Make what a user names: an id, a map file, a function that makes one, or one itself."""
    if isinstance(environment, gym.Env):
        return with_images(environment, ImageOptions())
    if not isinstance(environment, EnvironmentSpec):
        environment = EnvironmentSpec.given(environment)
    return environment.make()


def play_episode(
    policy: Policy,
    environment: Environment,
    seed: int,
    step_limit: int | None = None,
    max_skip: int | None = None,
    chosen: Int[np.ndarray, " skip"] | None = None,
) -> tuple[float, int, int]:
    """Play one episode from a seed: its return, steps and decisions.

    Counts in `chosen`, if given, how often each skip was decided for.
    """
    observation, _ = environment.reset(seed=seed)
    total, steps, decisions = 0.0, 0, 0
    for step in play(policy, environment, observation, step_limit=step_limit, max_skip=max_skip):
        total += step.reward
        steps += 1
        decisions += step.decided
        if chosen is not None and step.decided:
            chosen[step.skip - 1] += 1
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
        policy: The policy to play.
        environment: A Gymnasium id, the path of a map, a function that makes an environment, or
            one itself.
        episodes: How many to play.
        seed: The seed from which each episode's seed is derived.
        step_limit: Steps after which an episode is truncated; default: the environment's own limit.
        max_skip: Longest skip: the policy decides again after that many steps, however long its
            skip; with 1 it decides at every step. Default: no limit.
    """
    require_at_least("episodes", episodes, 1)
    require_at_least("max_skip", max_skip, 1)
    made = make_environment(environment)
    limit = step_limit or step_limit_of(made, str(environment))
    seeds = (episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, n) for n in range(episodes))
    played = [play_episode(policy, made, start, limit, max_skip) for start in seeds]
    if not isinstance(environment, gym.Env):
        made.close()
    returns, lengths, decisions = zip(*played, strict=True)
    return Evaluation(np.array(returns), np.array(lengths), np.array(decisions))
