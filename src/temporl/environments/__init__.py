"""Where agents act: the paper's gridworlds, maps of one's own, and any Gymnasium environment."""

from temporl.environments.catalogue import WORLDS, EnvironmentSpec, register_worlds
from temporl.environments.gridmap import GridMap
from temporl.environments.gridworld import GridWorld
from temporl.environments.spaces import Enumeration, enumerate_space
from temporl.environments.transitions import TransitionTable, transition_table

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
