"""One ring of steps; transitions and connections are two ways to sample it."""

from temporl.replay.ring import Batch, Happening, Ring, RingLayout

__all__ = ["Batch", "Happening", "Ring", "RingLayout"]
