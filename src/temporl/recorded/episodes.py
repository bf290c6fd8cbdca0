"""Recorded episodes as arrays: from wherever they were recorded, or fresh ones of a behaviour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import gymnasium as gym
import numpy as np
from jaxtyping import Bool, Float

from temporl.environments.catalogue import step_limit_of
from temporl.environments.types import Space
from temporl.errors import BadInput, require_at_least, require_range
from temporl.evaluation import EnvironmentLike, make_environment
from temporl.randomness import Purpose, episode_seed, generator
from temporl.recorded.behaviour import FrozenBehaviour, behaviour_of
from temporl.skipping import Decision, Step, play
from temporl.types import Element


@dataclass(frozen=True)
class Episode:
    """What was seen, done and received; there is one observation more than there are steps."""

    observations: Float[np.ndarray, "step+1 ..."]
    actions: np.ndarray
    rewards: Float[np.ndarray, " step"]
    terminated: bool
    """Whether it ended in a terminal state, and not by a time limit or the end of the recording."""

    def __post_init__(self) -> None:
        steps = len(self.rewards)
        if steps == 0 or len(self.actions) != steps or len(self.observations) != steps + 1:
            found = (len(self.observations), len(self.actions), steps)
            raise BadInput(
                "episode", found, "allowed: n + 1 observations, n actions and n rewards, n >= 1"
            )
        if not np.isfinite(self.observations).all() or not np.isfinite(self.rewards).all():
            raise BadInput("episode", "values", "allowed: finite observations and rewards")

    @classmethod
    def from_steps(cls, steps: Sequence[Step]) -> Self:
        """An episode from its steps."""
        seen = [step.observation for step in steps] + [steps[-1].next_observation]
        return cls(
            np.asarray(seen, dtype=np.float64),
            np.asarray([step.action for step in steps]),
            np.asarray([step.reward for step in steps], dtype=np.float64),
            bool(steps[-1].terminated),
        )

    def __len__(self) -> int:
        return len(self.rewards)

    def continues(self) -> Bool[np.ndarray, " step"]:
        """For every step whether the next one played the same action."""
        flat = np.asarray(self.actions).reshape(len(self), -1)
        return np.append((flat[1:] == flat[:-1]).all(axis=1), False)


def minari_episodes(dataset: Any) -> Iterator[Episode]:
    """The episodes of a Minari data set: its name, or one that is loaded already."""
    if isinstance(dataset, str):
        import minari  # imported only for Minari data

        dataset = minari.load_dataset(dataset)
    for recorded in dataset.iterate_episodes():
        yield Episode(
            np.asarray(recorded.observations, dtype=np.float64),
            np.asarray(recorded.actions),
            np.asarray(recorded.rewards, dtype=np.float64),
            bool(recorded.terminations[-1]),
        )


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
        steps_played = list(play(explorer, made, observation, step_limit=limit))
        episodes.append(Episode.from_steps(steps_played))
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


def _any(actions: Space, random: np.random.Generator) -> Element:
    if isinstance(actions, gym.spaces.Discrete):
        return int(actions.start) + int(random.integers(int(actions.n)))
    assert isinstance(actions, gym.spaces.Box)
    return random.uniform(actions.low, actions.high).astype(actions.dtype)
