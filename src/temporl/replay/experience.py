"""What an agent learns from, as it declares it."""

from __future__ import annotations

from dataclasses import dataclass

from temporl.skipping.connections import Spanning
from temporl.skipping.skips import Skips, consecutive


@dataclass(frozen=True)
class Experience:
    """What an agent learns from: its samples are drawn accordingly."""

    batch_size: int
    gamma: float
    buffer_size: int
    """How many of the last steps, and of the last connections, are sampled."""
    transitions: bool = True
    """Whether single steps are sampled."""
    connections: Spanning = "none"
    """Which connections are sampled."""
    skips: Skips = consecutive(1)  # noqa: RUF009
    """The lengths of connections."""
    warm_up: int = 0
    """Steps before the first update; default: as many as a batch has samples."""
    train_every: int = 1
    """Steps between two updates."""
    decision_cost: float = 0.0
    """What a decision costs, in reward: subtracted from the reward of every sample."""
    note: int = 0
    """The size of the note, an array of floats, that is attached to every decision."""
