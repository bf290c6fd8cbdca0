"""What a ring holds, and the batches sampled from it."""

from __future__ import annotations

from typing import NamedTuple

from jax import Array
from jaxtyping import Float, Int

from temporl.replay.frames import Frames
from temporl.skipping import Connection


class Ring(NamedTuple):
    """What was played, and what it teaches. What is read together lies together."""

    observation: Array | Frames
    facts: Float[Array, "slot fact"]
    """For each slot the action, the reward, and 1, or 0 where the step terminated the episode."""
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
    note: Float[Array, "slot note"] | tuple[()] = ()
    """For each slot what the agent attached to the decision that was being played."""


class Batch(NamedTuple):
    """The samples of one update; None for a kind that the agent does not learn from."""

    transitions: Connection | None
    connections: Connection | None
