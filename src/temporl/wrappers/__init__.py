"""Environments whose actions last, so that any library can learn with durations."""

from temporl.wrappers.committed import CommittedActions
from temporl.wrappers.vector import VectorCommittedActions

__all__ = ["CommittedActions", "VectorCommittedActions"]
