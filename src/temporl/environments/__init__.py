"""Where agents act: the paper's gridworlds, maps of one's own, and any Gymnasium environment.

Start with `catalogue.py`, which makes environments by name. `gridworld.py` has the paper's worlds,
`device.py` the gymnax environments that are compiled together with training, `images.py` the
wrappers for screens; `spaces.py`, `actions.py` and `transitions.py` are how spaces and dynamics
look to agents.
"""

from typing import TYPE_CHECKING

from temporl.lazy import lazy_names

if TYPE_CHECKING:
    from temporl.environments.catalogue import EnvironmentSpec
    from temporl.environments.gridmap import GridMap
    from temporl.environments.gridworld import GridWorld
    from temporl.environments.registry import WORLDS, register_worlds
    from temporl.environments.spaces import Enumeration, enumerate_space
    from temporl.environments.transitions import TransitionTable, transition_table
else:
    __getattr__ = lazy_names(__name__, __file__)

__all__ = [
    "WORLDS",
    "Enumeration",
    "EnvironmentSpec",
    "GridMap",
    "GridWorld",
    "TransitionTable",
    "enumerate_space",
    "register_worlds",
    "transition_table",
]
