"""One seed makes one tree of random streams; nothing in the library reads a global generator."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from jaxtyping import Float64, UInt64

from temporl.compilation import compiled


class Purpose(IntEnum):
    """What a stream is used for. Never change the values: results of a seed depend on them."""

    EXPLORATION = 0
    ENVIRONMENT = 1
    EVALUATION = 2
    EVALUATION_ENVIRONMENT = 3
    BOOTSTRAP = 4
    NETWORKS = 5
    REPLAY = 6


Stream = UInt64[np.ndarray, " 1"]
"""A random stream for compiled code: its state is one integer, which every draw changes."""


def stream(seed: int, purpose: Purpose) -> Stream:
    """The stream that the run with this seed uses for one purpose."""
    return np.random.SeedSequence(seed, spawn_key=(purpose,)).generate_state(1, np.uint64)


@compiled
def uniform(stream: Stream) -> float:
    """The next number of a stream, uniform in [0, 1).

    SplitMix64 (Steele, Lea and Flood, 2014): a counter in steps of the golden ratio, scrambled.
    """
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = stream[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = bits ^ (bits >> np.uint64(31))
    return float(bits >> np.uint64(11)) * 2.0**-53


def generator(seed: int, purpose: Purpose) -> np.random.Generator:
    """NumPy's generator for one purpose, where whole arrays are drawn."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(purpose,))))


def episode_seed(seed: int, purpose: Purpose, episode: int) -> int:
    """The seed that resets an environment for one episode, whatever was played before it."""
    sequence = np.random.SeedSequence(seed, spawn_key=(purpose, episode))
    return int(sequence.generate_state(1)[0])


def zeta_cumulative(mu: float, longest: int) -> Float64[np.ndarray, " length"]:
    """The chance of a length of at most 1, 2, ..., where P(n) ~ n**-mu up to the longest.

    Examples:
        >>> zeta_cumulative(mu=2.0, longest=2).tolist()
        [0.8, 1.0]
    """
    weights = np.arange(1, longest + 1, dtype=np.float64) ** -mu
    cumulative: Float64[np.ndarray, " length"] = np.cumsum(weights) / weights.sum()
    cumulative[-1] = 1.0
    return cumulative
