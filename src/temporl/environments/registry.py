"""The environments that the library adds to Gymnasium's registry."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gymnasium.envs.registration import register, registry

MAPS = Path(__file__).parent / "maps"


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


class GymnaxName(NamedTuple):
    """An environment of gymnax."""

    step_limit: int
    agrees: bool = False
    """Whether Gymnasium has one of the same name that behaves alike, step by step."""


GYMNAX = {
    "MountainCar-v0": GymnaxName(200, agrees=True),
    "CartPole-v1": GymnaxName(500, agrees=True),
    "Acrobot-v1": GymnaxName(500, agrees=True),
    "Pendulum-v1": GymnaxName(200, agrees=True),
    "MountainCarContinuous-v0": GymnaxName(999, agrees=True),
    "Asterix-MinAtar": GymnaxName(1000),
    "Breakout-MinAtar": GymnaxName(1000),
    "Freeway-MinAtar": GymnaxName(2500),
    "Seaquest-MinAtar": GymnaxName(1000),
    "SpaceInvaders-MinAtar": GymnaxName(1000),
    "Catch-bsuite": GymnaxName(1000),
    "DeepSea-bsuite": GymnaxName(8),
    "MemoryChain-bsuite": GymnaxName(1000),
    "UmbrellaChain-bsuite": GymnaxName(100),
    "DiscountingChain-bsuite": GymnaxName(100),
    "SimpleBandit-bsuite": GymnaxName(100),
    "FourRooms-misc": GymnaxName(500),
    "MetaMaze-misc": GymnaxName(200),
    "BernoulliBandit-misc": GymnaxName(100),
    "GaussianBandit-misc": GymnaxName(100),
    "FrozenLake-misc": GymnaxName(100),
}
"""Environments of gymnax, named here because importing it takes seconds. Boards with channels are
images; those without are flattened."""

OWN_MAP = "temporl/Map-v0"


def register_worlds() -> None:
    """Make all environments known to Gymnasium; doing it twice changes nothing."""
    entry_point = "temporl.environments.gridworld:GridWorld"
    for world_id, world in WORLDS.items():
        if world_id not in registry:
            register(
                world_id,
                entry_point=entry_point,
                max_episode_steps=world.step_limit,
                kwargs={"map": (MAPS / f"{world.map_name}.txt").read_text().strip("\n")},
            )
    for name, known in GYMNAX.items():
        if f"gymnax/{name}" not in registry:
            register(
                f"gymnax/{name}",
                entry_point="temporl.environments.device:GymnaxEnvironment",
                max_episode_steps=known.step_limit,
                kwargs={"name": name},
            )
    if OWN_MAP not in registry:
        register(OWN_MAP, entry_point=entry_point)
