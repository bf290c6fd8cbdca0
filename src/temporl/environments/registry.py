"""The environments that the library adds to Gymnasium's registry."""

from __future__ import annotations

from typing import NamedTuple

import gymnasium as gym

from temporl.environments.gridmap import GridMap
from temporl.environments.gymnax_names import GYMNAX


class World(NamedTuple):
    """One of the gridworlds that come with the library."""

    map_name: str
    step_limit: int


WORLDS = {
    "temporl/Cliff-v0": World("cliff", 100),
    "temporl/Bridge-v0": World("bridge", 100),
    "temporl/ZigZag-v0": World("zigzag", 100),
    "temporl/Open-v0": World("open", 1000),
}

OWN_MAP = "temporl/Map-v0"


def register_worlds() -> None:
    """Make all environments known to Gymnasium; doing it twice changes nothing."""
    entry_point = "temporl.environments.gridworld:GridWorld"
    for world_id, world in WORLDS.items():
        if world_id not in gym.registry:
            gym.register(
                world_id,
                entry_point=entry_point,
                max_episode_steps=world.step_limit,
                kwargs={"map": str(GridMap.named(world.map_name))},
            )
    for name, known in GYMNAX.items():
        if f"gymnax/{name}" not in gym.registry:
            gym.register(
                f"gymnax/{name}",
                entry_point="temporl.environments.device:GymnaxEnvironment",
                max_episode_steps=known.step_limit,
                kwargs={"name": name},
            )
    if OWN_MAP not in gym.registry:
        gym.register(OWN_MAP, entry_point=entry_point)
