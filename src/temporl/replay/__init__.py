"""The replay buffer: one ring of steps; transitions and connections are two ways to sample it.

Start with `ring.py` (`RingLayout`: `empty`, `add`, `sample`). `contents.py` has the arrays it holds
and the batches it returns, `frames.py` the storage of stacked images, `sampling.py` the random
draws.
"""

from temporl.replay.contents import Batch, Ring
from temporl.replay.ring import RingLayout

__all__ = ["Batch", "Ring", "RingLayout"]
