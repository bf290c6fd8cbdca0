"""Actions as agents know them, and as an environment takes them.

Agents choose among indices from 0 on, or arrays in [-1, 1]; a `Discrete` space may start at another
integer, and a `Box` has bounds of its own.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from temporl.environments.types import Space
from temporl.types import Element


def within_bounds(action: Element, low: np.ndarray, high: np.ndarray) -> Any:
    """Rescale from [-1, 1] to bounds; arrays of NumPy and of JAX alike."""
    scaled = low + (action.clip(-1, 1) + 1) * ((high - low) / 2)
    return scaled.clip(low, high)


class DiscreteActions:
    """The actions of a `Discrete` space."""

    def __init__(self, space: gym.spaces.Discrete[Any]) -> None:
        self.start = int(space.start)

    def to_environment(self, action: Element) -> int:
        """As the environment takes it."""
        return int(action) + self.start

    def from_environment(self, action: Element) -> Element:
        """As the agent knows it."""
        return np.int64(action - self.start)

    def rows_to_environment(self, actions: np.ndarray) -> np.ndarray:
        """Many actions as the environment wants them."""
        return actions + self.start

    def rows_from_environment(self, actions: np.ndarray) -> np.ndarray:
        """Many actions as the agent knows them."""
        return actions.astype(np.int64) - self.start


class BoundedActions:
    """The actions of a `Box` with finite bounds, of any shape and precision."""

    def __init__(self, space: gym.spaces.Box) -> None:
        self.low, self.high = space.low, space.high
        self.shape, self.dtype = space.shape, space.dtype

    def to_environment(self, action: Element) -> np.ndarray:
        """As the environment takes it: within its bounds, in its precision."""
        chosen = np.asarray(action, self.dtype).reshape(self.shape)
        bounded: np.ndarray = within_bounds(chosen, self.low, self.high).astype(self.dtype)
        return bounded

    def from_environment(self, action: Element) -> np.ndarray:
        """As the agent knows it."""
        one: np.ndarray = self.rows_from_environment(np.asarray(action)[None])[0]
        return one

    def rows_to_environment(self, actions: np.ndarray) -> np.ndarray:
        """Many actions as the environment wants them."""
        rows = actions.reshape(-1, *self.shape)
        bounded: np.ndarray = within_bounds(rows, self.low, self.high).astype(self.dtype)
        return bounded

    def rows_from_environment(self, actions: np.ndarray) -> np.ndarray:
        """Many actions as the agent knows them."""
        share = (np.asarray(actions, self.dtype) - self.low) / (self.high - self.low)
        return np.asarray(share * 2 - 1, np.float32).reshape(len(actions), -1)


def actions_of(space: Space) -> DiscreteActions | BoundedActions:
    """The conversion for the actions of a space."""
    if isinstance(space, gym.spaces.Discrete):
        return DiscreteActions(space)
    assert isinstance(space, gym.spaces.Box)
    return BoundedActions(space)
