"""Which environments gymnax has, without importing it: that takes seconds."""

from __future__ import annotations

from typing import NamedTuple


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
"""Boards with channels are images; those without are flattened."""
