"""How fast agents learn from images, beside Stable-Baselines3.

    python benchmarks/pixels.py            three rounds, five minutes
    python benchmarks/pixels.py --quick    the same with one short round

Everybody trains on Atari's Freeway with the network of Mnih et al. (2015), a batch of 32, a
memory of 50,000 steps, and one update of every network after every fourth step, without evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator

from race import CORES, Contestant, race
from temporl.training.deep import SCREEN_THREADS

STEPS = 500
"""Of each turn; a step is four frames of the game."""


def contestants() -> Iterator[Contestant]:
    """Everybody."""
    both = SCREEN_THREADS
    for agent, updates, threads in (
        ("dqn", 1, both),
        ("dqn", 1, 1),
        ("t-dqn", 2, both),
        ("t-dqn", 2, 1),
        ("dar", 1, both),
    ):
        name, command = f"ours, {agent}, threads: {threads}", ["host", "pixels", agent]
        each = updates / 4
        yield Contestant(name, "ours", [command], STEPS, updates=each, threads=threads)
    needs = ("torch", "stable_baselines3")
    for threads in sorted({1, CORES}):
        name = f"Stable-Baselines3 DQN, CnnPolicy, threads: {threads}"
        command = ["stable_baselines3_on_pixels", str(threads)]
        yield Contestant(name, "baseline", [command], STEPS, updates=1 / 4, needs=needs)


if __name__ == "__main__":
    race(list(contestants()), __doc__)
