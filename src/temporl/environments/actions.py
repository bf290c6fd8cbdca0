"""Actions as agents know them, and as an environment wants them.

Agents choose among numbers from 0 on, or numbers between -1 and 1; an environment may count from
another number, and has bounds of its own.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np


def within_bounds(action: Any, low: np.ndarray, high: np.ndarray) -> Any:
    """Numbers between -1 and 1 as numbers between bounds; arrays of NumPy and of JAX alike."""
    scaled = low + (action.clip(-1, 1) + 1) * ((high - low) / 2)
    return scaled.clip(low, high)


class NumberedActions:
    """The actions of a `Discrete` space."""

    def __init__(self, space: gym.spaces.Discrete[Any]) -> None:
        self.start = int(space.start)

    def outward(self, action: Any) -> int:
        """As the environment wants it."""
        return int(action) + self.start

    def inward(self, action: Any) -> Any:
        """As the agent knows it."""
        return np.int64(action - self.start)


class BoundedActions:
    """The actions of a `Box` with finite bounds, of any shape and precision."""

    def __init__(self, space: gym.spaces.Box) -> None:
        self.low, self.high = space.low, space.high
        self.shape, self.dtype = space.shape, space.dtype

    def outward(self, action: Any) -> np.ndarray:
        """As the environment wants it: within its bounds, in its precision."""
        chosen = np.asarray(action, self.dtype).reshape(self.shape)
        bounded: np.ndarray = within_bounds(chosen, self.low, self.high).astype(self.dtype)
        return bounded

    def inward(self, action: Any) -> np.ndarray:
        """As the agent knows it."""
        share = (np.asarray(action, self.dtype) - self.low) / (self.high - self.low)
        return np.asarray(share * 2 - 1, np.float32).ravel()


def actions_of(space: gym.Space[Any]) -> NumberedActions | BoundedActions:
    """How to speak of the actions of a space."""
    if isinstance(space, gym.spaces.Discrete):
        return NumberedActions(space)
    assert isinstance(space, gym.spaces.Box)
    return BoundedActions(space)
