"""One ring of steps; transitions and connections are two ways to sample it."""

from temporl.replay.contents import Batch, Happening, Ring
from temporl.replay.ring import RingLayout

__all__ = ["Batch", "Happening", "Ring", "RingLayout"]
