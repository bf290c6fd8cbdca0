"""What checkpoints cost, what a sweep adds to its runs, what a folder of many runs takes.

python benchmarks/scaling.py checkpoints overhead folder memory estimates
"""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import tyro

from temporl.agents import make_agent
from temporl.edge.estimates import estimate, size_of
from temporl.environments import EnvironmentSpec
from temporl.runs import checkpoints as checkpointing
from temporl.runs.checkpoints import RunCheckpointer, working
from temporl.runs.config import RunConfig
from temporl.runs.interruption import Interruption
from temporl.runs.plan import PlannedRun, execute, missing_runs, plan_runs
from temporl.runs.progress import ProgressDisplay
from temporl.runs.store import working_folder
from temporl.runs.verify import verify
from temporl.runs.workers import compiler_settings, complete, default_workers
from temporl.training.outcome import ProgressReport
from temporl.trees import Arrays

os.environ.update(compiler_settings())


def deep(steps: int) -> RunConfig:
    """The paper's t-DQN on MountainCar."""
    agent = make_agent("t-dqn", architecture="shared")
    spec = EnvironmentSpec("MountainCar-v0")
    return RunConfig(agent, spec, steps=steps, evaluate_every=200, driver="device")


class Timed(RunCheckpointer):
    """Checkpoints that remember how long each took and when training was where."""

    seconds: list[float]
    began: float
    bytes = 0

    def checkpoint(self, step: int, arrays: Callable[[], Arrays]) -> None:
        """Pause, and look at the clock."""
        before = time.monotonic()
        super().checkpoint(step, arrays)
        took = time.monotonic() - before
        if self._last > before:
            self.seconds.append(took)
            self.bytes = size_of(self._folder)


def checkpoints(place: Path) -> None:
    """The time of a checkpoint of the paper's ring of a million steps, and what is left of it."""
    timed: list[Timed] = []

    def make(*arguments: object) -> Timed:
        made = Timed(*arguments)  # type: ignore[arg-type]
        made.seconds = []
        timed.append(made)
        return made

    config = RunConfig(
        deep(1).agent, deep(1).environment, steps=1_000_000, evaluate_every=2000, driver="device"
    )
    run = PlannedRun(config, 0, place / "seed-0", checkpoint_minutes=5 / 60)
    original, checkpointing.RunCheckpointer = checkpointing.RunCheckpointer, make  # type: ignore[assignment,misc]
    original_cost, checkpointing.MOST_TIME = checkpointing.MOST_TIME, 1.0
    reached: list[tuple[float, int]] = []

    class Enough(Exception):
        pass

    def watch(report: ProgressReport) -> None:
        reached.append((time.monotonic(), report.steps))
        if timed and len(timed[0].seconds) >= 4:
            raise Enough

    try:
        execute(run, watch)
    except Enough:
        pass
    finally:
        checkpointing.RunCheckpointer = original  # type: ignore[misc]
        checkpointing.MOST_TIME = original_cost
    (began, first), (ended, last) = reached[0], reached[-1]  # without compiling
    mean = sum(timed[0].seconds) / len(timed[0].seconds)
    rate = (last - first) / (ended - began - sum(timed[0].seconds))
    print(
        f"checkpoint of t-dqn with a ring of 1,000,000 steps: {timed[0].bytes / 1e6:.1f} MB,"
        f" {mean:.2f} s; every 5 minutes that is {100 * mean / 300:.2f} % of the time, or"
        f" {rate * mean / 300:.1f} of {rate:,.0f} steps/s"
    )


def overhead(place: Path) -> None:
    """A sweep of one-second runs, against the time that the runs themselves take."""
    agent, spec = make_agent("t-q"), EnvironmentSpec("temporl/ZigZag-v0")
    first = RunConfig(agent, spec, episodes=200_000)
    began = time.monotonic()
    execute(PlannedRun(first, 0, place / "warm" / "seed-0"))
    began = time.monotonic()
    execute(PlannedRun(first, 1, place / "warm" / "seed-1"))
    episodes = int(200_000 / (time.monotonic() - began))
    config = RunConfig(agent, spec, episodes=episodes)
    began = time.monotonic()
    for seed in range(5):
        execute(PlannedRun(config, seed, place / "bare" / f"seed-{seed}"))
    bare = (time.monotonic() - began) / 5
    runs = plan_runs(place, "sweep", config, range(20))
    began = time.monotonic()
    with ProgressDisplay("overhead", len(runs), show=False) as display:
        assert not complete(runs, 1, display)
    each = (time.monotonic() - began) / len(runs)
    print(f"a run alone {bare:.3f} s, in a sweep {each:.3f} s: {100 * (each / bare - 1):+.1f} %")
    began = time.monotonic()
    for number in range(20):
        place_of = working_folder(place / "empty" / f"seed-{number}")
        with working(place_of, runs[0].plan(), 5.0, Interruption()):
            pass
    print(f"lock, plan and removal of a working folder: {(time.monotonic() - began) * 50:.1f} ms")


def folder(place: Path) -> None:
    """Ten thousand finished runs in one folder."""
    config = RunConfig(make_agent("q"), EnvironmentSpec("temporl/Cliff-v0"), episodes=100)
    runs = plan_runs(place, "many", config, range(10_000))
    execute(runs[0])
    for run in runs[1:]:
        shutil.copytree(runs[0].folder, run.folder, copy_function=os.link)
    began = time.process_time()
    assert not missing_runs(plan_runs(place, "many", config, range(10_000)))
    print(f"what is missing of 10,000 runs: {time.process_time() - began:.2f} s of a core")
    group = runs[0].folder.parent
    began = time.process_time()
    for run in runs[:1000]:
        shutil.copytree(run.folder, place / "merged" / run.folder.name)
    print(f"merging (copying) 1,000 runs: {time.process_time() - began:.2f} s of a core")
    began = time.process_time()
    count = sum(1 for _ in islice(verify(group), 1000))
    print(f"verifying {count:,} runs: {time.process_time() - began:.2f} s of a core")


def memory(place: Path) -> None:
    """How much a process grows after it has warmed up."""
    seen: list[tuple[int, float]] = []

    def watch(report: ProgressReport) -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        seen.append((report.steps, pages * resource.getpagesize() / 1e6))

    execute(PlannedRun(deep(1_000_000), 0, place / "seed-0"), watch)
    warm = next(megabytes for steps, megabytes in seen if steps >= 100_000)
    print(f"resident after 100,000 steps {warm:.0f} MB, after 1,000,000 {seen[-1][1]:.0f} MB")


def estimates(place: Path) -> None:
    """What `--estimate` says of a tabular and of a deep sweep, and what they take."""
    stepped = RunConfig(make_agent("t-q"), EnvironmentSpec("Blackjack-v1", {}, 20), episodes=20_000)
    car = EnvironmentSpec("MountainCar-v0")
    networks = [
        RunConfig(make_agent(name), car, steps=80_000, evaluate_every=2000, driver="device")
        for name in ("dqn", "t-dqn")
    ]
    for name, configs, seeds in (("tabular", [stepped], 12), ("deep", networks, 5)):
        runs = [run for config in configs for run in plan_runs(place, name, config, range(seeds))]
        expected = estimate(runs, default_workers()).seconds()
        began = time.monotonic()
        with ProgressDisplay(name, len(runs), show=False) as display:
            assert not complete(runs, default_workers(), display)
        took = time.monotonic() - began
        print(
            f"{name} sweep of {len(runs)} runs: estimated {expected:.1f} s, took {took:.1f} s"
            f" ({100 * (expected / took - 1):+.0f} %)"
        )


PARTS = {part.__name__: part for part in (checkpoints, overhead, folder, memory, estimates)}


def main(what: tyro.conf.Positional[tuple[str, ...]]) -> None:
    """Measure."""
    for name in what:
        with tempfile.TemporaryDirectory(prefix="temporl-scaling-") as place:
            PARTS[name](Path(place))


if __name__ == "__main__":
    tyro.cli(main)
