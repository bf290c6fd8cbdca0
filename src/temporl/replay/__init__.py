"""The replay buffer: one ring of steps; transitions and connections are two ways to sample it.

Start with `experience.py`, what an agent declares to learn from, and `ring.py` (`RingLayout`:
`empty`, `add`, `sample`). `contents.py` has the arrays that a ring holds and the batches that it
returns, `frames.py` the storage of stacked images, `sampling.py` the random draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporl.lazy import lazy_names

if TYPE_CHECKING:
    from temporl.replay.contents import Batch, Ring
    from temporl.replay.experience import Experience
    from temporl.replay.ring import RingLayout
else:
    __getattr__ = lazy_names(__name__, __file__)  # tables are trained without JAX

__all__ = ["Batch", "Experience", "Ring", "RingLayout"]
