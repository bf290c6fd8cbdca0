"""The idea, alone: decisions that last, the connections they reveal, and what is learned from them.

No networks and no environments: nothing here knows what a state is or where a reward comes from.
"""

from temporl.skipping.connections import Connection, Step, connections, skips_taught
from temporl.skipping.decision import FREE, Commitment, Decision, commit
from temporl.skipping.skips import Skips, consecutive, powers_of_two, skip_set
from temporl.skipping.targets import extend, target

__all__ = [
    "FREE",
    "Commitment",
    "Connection",
    "Decision",
    "Skips",
    "Step",
    "commit",
    "connections",
    "consecutive",
    "extend",
    "powers_of_two",
    "skip_set",
    "skips_taught",
    "target",
]
