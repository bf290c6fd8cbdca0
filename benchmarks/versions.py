"""How long a step of training takes in two versions of the library, in one run.

    python benchmarks/versions.py --before d97c1c1           this checkout beside a revision
    python benchmarks/versions.py --before ../baseline       beside another checkout
    python benchmarks/versions.py --rounds 1 --only td3      rough numbers, some cases only

In every round both versions take turns to train for few steps and for many; the difference is what
the steps in between cost, without starting and compiling. The first round fills the caches and does
not count. On a machine that is shared, trust the seconds of the processor more than the clock's.
Numbers are medians, with the least and the most in brackets; ratios are taken round by round, and
below 1 where the present version is faster.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from golden import ROOT, Version, checkout
from machine import print_machine
from race import ratio, spread

CASES = {  # a short run, after which every agent learns, and one that takes ten seconds
    "t-q --env temporl/ZigZag-v0": (20_000_000, 400_000_000),
    "t-dqn --env MountainCar-v0 --driver device": (10_000, 200_000),
    "dqn --env CartPole-v1 --driver host": (2_000, 60_000),
    "td3 --env Pendulum-v1 --driver device": (1_200, 2_800),
    "t-dqn --env gymnax/Breakout-MinAtar --driver device": (6_000, 36_000),
    "dqn --env LunarLander-v3 --driver host": (2_000, 50_000),
}
UNITS = ("processor", "clock")
COLUMNS = [f"{unit}: {what}" for unit in UNITS for what in ("before, µs", "present, µs", "ratio")]


class Seconds(NamedTuple):
    """Those of the processor in processes that have ended, and those on the clock."""

    processor: float
    clock: float


def now() -> Seconds:
    """How many it were until now."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Seconds(used.ru_utime + used.ru_stime, time.perf_counter())


def training(version: Version, case: str, steps: int) -> Seconds:
    """How long a run takes from its start to its folder, without evaluation."""
    folder = Path(tempfile.mkdtemp(dir=version.place))
    options = f"--steps {steps} --evaluate-every 0 --workers 1 --seeds 1 --out runs"
    began = now()
    version.finish(version.start(f"-m temporl train {case} {options}".split(), folder))
    return Seconds(*(end - begin for begin, end in zip(began, now(), strict=True)))


def a_step(version: Version, case: str) -> Seconds:
    """How long a step of training takes."""
    few, many = CASES[case]
    short, long = (training(version, case, steps) for steps in (few, many))
    return Seconds(*((b - a) / (many - few) for a, b in zip(short, long, strict=True)))


def print_line(cells: Sequence[str]) -> None:
    """Print a line of a table in Markdown."""
    print(f"| {' | '.join(cells)} |", flush=True)


def compare(versions: Sequence[Version], case: str, rounds: int) -> None:
    """Print the line of a case."""
    turns = [[a_step(version, case) for version in versions] for _ in range(1 + rounds)][1:]
    cells = [case]
    for unit in range(len(UNITS)):
        before, present = ([turn[place][unit] for turn in turns] for place in (0, 1))
        digits = 1 if min(before) > 1e-6 else 4
        cells += [spread(values, 1e6, digits) for values in (before, present)]
        cells.append(ratio(present, before))
    print_line(cells)


def main() -> None:
    """Measure, and print every line as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", default="HEAD", help="a checkout's folder, or a revision")
    parser.add_argument("--present", default=str(ROOT), help="the same for the version to judge")
    parser.add_argument("--rounds", type=int, default=3, help="after the one that does not count")
    parser.add_argument("--only", default="", help="only cases with this in their line")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="temporl-versions-") as folder,
        checkout(given.before, Path(folder) / "before") as old,
        checkout(given.present, Path(folder) / "present") as new,
    ):
        named = {"before": old, "present": new}
        versions = [Version(name, place, Path(folder)) for name, place in named.items()]
        for version in versions:
            version.require_own_library()
        print_machine("jax", "numba", "gymnasium")
        print_line(["a step of training", *COLUMNS])
        print_line(["---", *["---:"] * len(COLUMNS)])
        for case in CASES:
            if given.only in case:
                compare(versions, case, given.rounds)


if __name__ == "__main__":
    main()
