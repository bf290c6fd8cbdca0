"""Recorded episodes as arrays, from wherever they were recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from jaxtyping import Bool, Float

from temporl.errors import BadInput
from temporl.skipping import Step


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
