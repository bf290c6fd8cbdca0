"""What goes into a ring, what it holds, and what comes out of it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from jax import Array
from jaxtyping import Float, Int

from temporl.replay.frames import Frames
from temporl.skipping import Connection

Spanning = Literal["none", "run", "skip", "decision"]
"""Which connections are kept: none, those of runs of equal actions, those within single decisions
(the paper's), or whole decisions only."""


class Happening(NamedTuple):
    """One step as it is added: what was seen, done and received, and under which commitment."""

    observation: Array
    action: Array
    reward: Array
    next_observation: Array
    terminated: Array
    truncated: Array
    decided: Array
    """Whether the agent decided at the start of this step."""
    skip: Array
    """For how many steps it did."""
    remaining: Array
    """For how many more steps it was committed at the end of this step."""


class Ring(NamedTuple):
    """What was played, and what it teaches. What is read together lies together."""

    observation: Array | Frames
    facts: Float[Array, "slot fact"]
    """For each slot the action, the reward, and 0 where the step terminated the episode, else 1."""
    step_slot: Int[Array, " step"]
    pointer: Int[Array, "connection 3"]
    """For each connection the slot where it starts, its length, and the skip that it teaches."""
    outcome: Float[Array, "connection 2"]
    """For each connection its discounted reward, and the discount of what follows."""
    slots: Int[Array, ""]
    steps: Int[Array, ""]
    connections: Int[Array, ""]
    oldest: Int[Array, ""]
    """The oldest connection whose slots are still there."""
    run: Int[Array, ""]
    """How many steps back a connection may start."""
    recent: Float[Array, " distance"]
    """The discounted reward of the last 1, 2, ... steps."""


class Batch(NamedTuple):
    """What an agent learns from at a time; None where it does not learn from it."""

    transitions: Connection | None
    connections: Connection | None
