"""One seed makes one tree of random streams; nothing in the library reads a global generator."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What a stream is used for. The numbers are part of what a seed means: never change them."""

    EXPLORATION = 0
    ENVIRONMENT = 1
    EVALUATION = 2
    EVALUATION_ENVIRONMENT = 3
    BOOTSTRAP = 4


def stream(seed: int, purpose: Purpose) -> np.random.Generator:
    """The generator that the run with this seed uses for one purpose."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(purpose,))))


def episode_seed(seed: int, purpose: Purpose, episode: int) -> int:
    """The seed that resets an environment for one episode, whatever was played before it."""
    sequence = np.random.SeedSequence(seed, spawn_key=(purpose, episode))
    return int(sequence.generate_state(1)[0])
