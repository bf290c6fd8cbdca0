"""How fast deep agents learn from features, beside their peers and beside what is possible.

    python benchmarks/featurized.py            three rounds, a few minutes
    python benchmarks/featurized.py --quick    the same with one short round

Everybody trains on MountainCar-v0 with two layers of 50 units, a batch of 64, a memory of a million
steps and one update (t-dqn: two) after every step, without evaluation. The floor is the matrix
products of t-dqn's updates and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from race import CORES, Contestant, race

SEEDS = 16
BASELINE = "Stable-Baselines3 DQN"


def contestants() -> Iterator[Contestant]:
    """Everybody."""
    for agent, updates in (("t-dqn", 2), ("dqn", 1)):
        shares = [range(SEEDS)[core::CORES] for core in range(min(CORES, SEEDS))]
        yield Contestant(
            f"ours on the device, {agent}, {SEEDS} seeds, {len(shares)} processes",
            "ours",
            [["device", "featurized", agent, *map(str, share)] for share in shares],
            steps=3000,
            updates=updates,
            floor="t-dqn" if agent == "t-dqn" else "",
        )
    command = ["host", "featurized", "t-dqn"]
    yield Contestant("ours on the host, t-dqn", "ours", [command], 10_000, updates=2, floor="t-dqn")
    needs = ("torch", "stable_baselines3")
    for threads in sorted({1, CORES}):
        name = f"{BASELINE}, threads: {threads}"
        command = ["stable_baselines3", "DQN", str(threads)]
        yield Contestant(name, "baseline", [command], 1500, needs=needs)
    name = f"{BASELINE}, {CORES} seeds, {CORES} processes"
    each = [["stable_baselines3", "DQN", "1"]] * CORES
    yield Contestant(name, "peer", each, 1500, needs=needs)
    yield Contestant("sbx DQN", "peer", [["sbx"]], 1500, needs=("sbx",))
    for samples in ("rows", "columns"):
        name = f"floor: t-dqn's products, samples in {samples}, {CORES} processes"
        each = [["products", "t-dqn", samples]] * CORES
        yield Contestant(name, "floor", each, 15_000, updates=2, floor="t-dqn")


if __name__ == "__main__":
    race(list(contestants()), __doc__)
