"""How fast agents for continuous actions learn, beside their peers and beside what is possible.

    python benchmarks/continuous.py            three rounds, a few minutes
    python benchmarks/continuous.py --quick    the same with one short round

Everybody trains on Pendulum-v1 with layers of 400 and 300 units, a batch of 256, and one update of
every network after every step, without evaluation. The floor is the matrix products of these
updates and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from race import CORES, Contestant, race

BASELINE = "Stable-Baselines3 DDPG"


def contestants() -> Iterator[Contestant]:
    """Everybody."""
    for agent, updates in (("ddpg", 2), ("t-ddpg", 3)):
        for seeds in sorted({1, CORES}):
            yield Contestant(
                f"ours on the device, {agent}, seeds and processes: {seeds}",
                "ours",
                [["device", "continuous", agent, str(seed)] for seed in range(seeds)],
                steps=400,
                updates=updates,
                floor=agent if seeds == 1 else "",
            )
    command = ["host", "continuous", "ddpg"]
    yield Contestant("ours on the host, ddpg", "ours", [command], 400, updates=2, floor="ddpg")
    needs = ("torch", "stable_baselines3")
    for threads in sorted({1, CORES}):
        name, each = (
            f"{BASELINE}, threads: {threads}",
            [["stable_baselines3", "DDPG", str(threads)]],
        )
        yield Contestant(name, "baseline", each, 400, updates=2, needs=needs)
    for agent, updates in (("ddpg", 2), ("t-ddpg", 3)):
        for samples in ("rows", "columns"):
            name = f"floor: {agent}'s products, samples in {samples}"
            each = [["products", agent, samples]]
            yield Contestant(name, "floor", each, 400, updates=updates, floor=agent)


if __name__ == "__main__":
    race(list(contestants()), __doc__)
