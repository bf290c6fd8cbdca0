"""Environments whose actions last, so that any library can learn with durations.

Start with `committed.py` (`CommittedActions`), for a single environment; `vector.py` is the same
for vector environments.
"""

from temporl.wrappers.committed import CommittedActions
from temporl.wrappers.vector import VectorCommittedActions

__all__ = ["CommittedActions", "VectorCommittedActions"]
