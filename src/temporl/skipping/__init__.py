"""The idea by itself: decisions that last, the connections they reveal, and how skips are valued.

Start with `decision.py` (`Decision`, `Commitment`), then `play.py`, the loop that plays decisions.
`connections.py` has what a run of equal actions teaches, `skips.py` the sets of skips, `targets.py`
the equations. No networks and no environments: nothing here knows what a state is or where a reward
comes from.
"""

from temporl.skipping.connections import Connection, Spanning, Step, connections, skips_taught
from temporl.skipping.decision import FREE, Commitment, Decision, commit
from temporl.skipping.play import EpisodePolicy, Policy, ask, play
from temporl.skipping.skips import Skips, consecutive, powers_of_two, skip_set
from temporl.skipping.targets import extend, target

__all__ = [
    "FREE",
    "Commitment",
    "Connection",
    "Decision",
    "EpisodePolicy",
    "Policy",
    "Skips",
    "Spanning",
    "Step",
    "ask",
    "commit",
    "connections",
    "consecutive",
    "extend",
    "play",
    "powers_of_two",
    "skip_set",
    "skips_taught",
    "target",
]
