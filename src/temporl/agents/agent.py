"""What an agent is to those who train it and those who use it.

Agents are frozen dataclasses of hyperparameters with pure methods over an explicit state. They own
no environment, no replay, no loop and no file.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from jax import Array
from jaxtyping import Float

from temporl.networks.layers import Numbers
from temporl.replay import Batch, RingLayout
from temporl.skipping import Decision

Networks = Any
"""The arrays that a trained policy consists of, as nested tuples."""
State = Any
"""Everything that learning changes: networks, targets, optimisers."""
Metrics = dict[str, Float[Array, ""]]
"""What an update says about itself, for a log."""


class Spaces(NamedTuple):
    """What an agent must know of an environment."""

    observation_shape: tuple[int, ...]
    observation_count: int | None
    """How many observations there are, where they are numbered."""
    actions: int
    """How many actions there are, or of how many numbers one consists."""
    continuous: bool = False
    """Whether an action consists of numbers between -1 and 1, or is one of so many."""

    @property
    def shows_images(self) -> bool:
        """Whether an observation is an image: rows, columns and channels."""
        return len(self.observation_shape) == 3

    @property
    def inputs(self) -> int:
        """How many numbers a network sees of an observation."""
        return self.observation_count or int(np.prod(self.observation_shape))

    @property
    def observation_dtype(self) -> Any:
        """How an observation is kept."""
        if self.shows_images:
            return np.dtype(np.uint8)
        return np.dtype(np.float32 if self.observation_count is None else np.int32)

    @property
    def action_shape(self) -> tuple[int, ...]:
        """The shape of a single action."""
        return (self.actions,) if self.continuous else ()

    @property
    def action_dtype(self) -> Any:
        """How an action is kept."""
        return np.dtype(np.float32 if self.continuous else np.int32)


class Agent(Protocol):
    """What the drivers, the evaluation and a saved policy need of any agent."""

    continuous: bool
    """Whether its actions are numbers within bounds, rather than numbered."""

    def networks(self, random: np.random.Generator, spaces: Spaces) -> Networks:
        """Draw the networks of the policy."""
        ...

    def init(self, networks: Networks) -> State:
        """The state in which learning begins."""
        ...

    def policy(self, state: State) -> Networks:
        """The networks of the policy as they are now."""
        ...

    def greedy(self, networks: Networks, observation: Numbers) -> Decision:
        """The best known decision; NumPy arrays are answered by NumPy, JAX arrays by JAX."""
        ...

    def decide(self, state: State, observation: Array, key: Array, spent: Array) -> Decision:
        """A decision in training, with exploration after a fraction of the budget is spent."""
        ...

    def replay(self, capacity: int, spare: int | None) -> RingLayout:
        """What the agent learns from."""
        ...

    def update(self, state: State, batch: Batch, key: Array) -> tuple[State, Metrics]:
        """Learn from a batch; the key is for agents that draw while they learn."""
        ...


class Behaviour(Protocol):
    """An agent that knows nothing of skips, and that a skip policy can be put on top of."""

    continuous: bool
    hidden: tuple[int, ...]
    optimiser: Any
    """How gradients change networks."""

    def error(self, values: Array, targets: Array) -> Array:
        """How far values are from their targets."""
        ...

    def networks(self, random: np.random.Generator, spaces: Spaces) -> Networks:
        """Draw the networks of the policy."""
        ...

    def init(self, networks: Networks) -> State:
        """The state in which learning begins."""
        ...

    def policy(self, state: State) -> Networks:
        """The networks of the policy as they are now."""
        ...

    def best_action(self, networks: Networks, observation: Numbers) -> Numbers:
        """The best known action."""
        ...

    def act(self, state: State, observation: Array, key: Array, spent: Array) -> Array:
        """An action in training."""
        ...

    def is_blind(self, state: State) -> Array | bool:
        """Whether it still acts at random, only to have something to learn from."""
        ...

    def value(self, state: State, observation: Array) -> Array:
        """How good it is to be somewhere: what targets bootstrap from."""
        ...

    def replay(self, capacity: int, spare: int | None) -> RingLayout:
        """What it learns from."""
        ...

    def update(self, state: State, batch: Batch, key: Array) -> tuple[State, Metrics]:
        """Learn from single steps."""
        ...


def longest_skip(agent: Any) -> int:
    """The longest skip that an agent's greedy policy can choose."""
    return int(getattr(agent, "skip_lengths", (1,))[-1])
