"""Fresh episodes of a frozen behaviour, for those who have none recorded."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from temporl.environments.catalogue import step_limit_of
from temporl.errors import require_at_least, require_range
from temporl.evaluation import EnvironmentLike, make_environment
from temporl.randomness import Purpose, episode_seed, generator
from temporl.recorded.behaviour import behaviour_of
from temporl.recorded.episodes import Episode
from temporl.skipping import FREE, Decision, Step, commit


def collect_episodes(
    behaviour: Any,
    environment: EnvironmentLike,
    steps: int,
    *,
    max_skip: int = 10,
    repeat: float = 0.5,
    epsilon: float = 0.0,
    seed: int = 0,
) -> list[Episode]:
    """Play whole episodes until there are so many steps.

    Args:
        behaviour: Who picks the actions, as in `learn_skips`.
        environment: As in `temporl.evaluate`.
        steps: How many to play at least.
        max_skip: The longest time for which an action is played.
        repeat: The share of decisions that last, for any number of steps up to the longest; what an
            action leads to beyond its time is seen only there.
        epsilon: The share of decisions for any action at all, as agents explore in training.
        seed: What everything random follows from.
    """
    require_at_least("steps", steps, 1)
    require_at_least("max_skip", max_skip, 1)
    require_range("repeat", repeat, 0.0, 1.0)
    require_range("epsilon", epsilon, 0.0, 1.0)
    frozen, made = behaviour_of(behaviour), make_environment(environment)
    limit = step_limit_of(made, str(environment))
    random = generator(seed, Purpose.EXPLORATION)
    episodes: list[Episode] = []
    while sum(map(len, episodes)) < steps:
        start = episode_seed(seed, Purpose.ENVIRONMENT, len(episodes))
        observation, _ = made.reset(seed=start)
        played: list[Step] = []
        commitment, over = FREE, False
        while not over:
            if commitment.spent:
                action = frozen.act(np.asarray(observation)[None])[0]
                if random.random() < epsilon:
                    action = _any(frozen.actions, random)
                lasts = random.random() < repeat
                skip = int(random.integers(1, max_skip + 1)) if lasts else 1
                commitment = commit(Decision(action, skip))
            action = commitment.decision.action
            following, reward, terminated, truncated, _ = made.step(action)
            truncated = truncated or len(played) + 1 == limit
            over = terminated or truncated
            commitment = commitment.after_step(over)
            played.append(
                Step(observation, action, float(reward), following, terminated, truncated)
            )
            observation = following
        episodes.append(Episode.from_steps(played))
    if made is not environment:
        made.close()
    return episodes


def _any(actions: gym.Space[Any], random: np.random.Generator) -> Any:
    if isinstance(actions, gym.spaces.Discrete):
        return int(actions.start) + int(random.integers(int(actions.n)))
    assert isinstance(actions, gym.spaces.Box)
    return random.uniform(actions.low, actions.high).astype(actions.dtype)
