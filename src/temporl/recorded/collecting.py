"""Fresh episodes of a frozen behaviour, where none are recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from temporl.environments.catalogue import step_limit_of
from temporl.environments.types import Space
from temporl.errors import require_at_least, require_range
from temporl.evaluation import EnvironmentLike, make_environment
from temporl.randomness import Purpose, episode_seed, generator
from temporl.recorded.behaviour import FrozenBehaviour, behaviour_of
from temporl.recorded.episodes import Episode
from temporl.skipping import Decision, play
from temporl.types import Element


def collect_episodes(
    behaviour: Element,
    environment: EnvironmentLike,
    steps: int,
    *,
    max_skip: int = 10,
    repeat: float = 0.5,
    epsilon: float = 0.0,
    seed: int = 0,
) -> list[Episode]:
    """Play whole episodes until there are enough steps.

    Args:
        behaviour: What picks the actions, as in `learn_skips`.
        environment: As in `temporl.evaluate`.
        steps: How many to play at least.
        max_skip: The longest time for which an action is played.
        repeat: The share of decisions that last, for any number of steps up to the longest; what an
            action leads to beyond its time is seen only there.
        epsilon: The share of decisions for any action at all, as agents explore in training.
        seed: The seed of everything random.
    """
    require_at_least("steps", steps, 1)
    require_at_least("max_skip", max_skip, 1)
    require_range("repeat", repeat, 0.0, 1.0)
    require_range("epsilon", epsilon, 0.0, 1.0)
    frozen, made = behaviour_of(behaviour), make_environment(environment)
    limit = step_limit_of(made, str(environment))
    explorer = Explorer(frozen, max_skip, repeat, epsilon, generator(seed, Purpose.EXPLORATION))
    episodes: list[Episode] = []
    while sum(map(len, episodes)) < steps:
        observation, _ = made.reset(seed=episode_seed(seed, Purpose.ENVIRONMENT, len(episodes)))
        episodes.append(
            Episode.from_steps(list(play(explorer, made, observation, step_limit=limit)))
        )
    if made is not environment:
        made.close()
    return episodes


@dataclass(frozen=True)
class Explorer:
    """A frozen behaviour whose decisions last, or are for any action, now and then."""

    behaviour: FrozenBehaviour
    max_skip: int
    repeat: float
    epsilon: float
    random: np.random.Generator

    def decide(self, observation: Element) -> Decision:
        """The behaviour's action or any, for one step or several."""
        action = self.behaviour.act(np.asarray(observation)[None])[0]
        if self.random.random() < self.epsilon:
            action = _any(self.behaviour.actions, self.random)
        lasts = self.random.random() < self.repeat
        return Decision(action, int(self.random.integers(1, self.max_skip + 1)) if lasts else 1)


def _any(actions: Space, random: np.random.Generator) -> Any:
    if isinstance(actions, gym.spaces.Discrete):
        return int(actions.start) + int(random.integers(int(actions.n)))
    assert isinstance(actions, gym.spaces.Box)
    return random.uniform(actions.low, actions.high).astype(actions.dtype)
