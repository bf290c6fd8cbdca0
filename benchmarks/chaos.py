"""Kill runs with -9 at random moments, fill the disk, and compare bits: `make chaos`.

Every driver gets a number of kills, each of a run of its own, which is then resumed and must end
with the weights and evaluation rows of the same run in peace. Every third run is killed twice.

    python benchmarks/chaos.py kills --kills 200
    python benchmarks/chaos.py disk --sizes 50
"""

from __future__ import annotations

import math
import os
import resource
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

import numpy as np
import tyro

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import CannotWrite
from temporl.runs import checkpoints
from temporl.runs.config import RunConfig
from temporl.runs.plan import PlannedRun, execute
from temporl.runs.verify import verify
from temporl.runs.workers import compiler_settings

os.environ.update(compiler_settings())  # before JAX starts, which is in the children
CLEAR = 42
"""The exit code of a run that said clearly that the disk is full."""
KILLED_TWICE = 3
"""One in this many runs is killed twice."""
SMALL = {"hidden": (32,), "batch_size": 32}
DRIVERS = {
    "tabular": RunConfig(
        make_agent("t-q", epsilon="log"), EnvironmentSpec("Blackjack-v1", {}, 20), episodes=2_000
    ),
    "device": RunConfig(
        make_agent("t-dqn", **SMALL),
        EnvironmentSpec("CartPole-v1"),
        steps=6_000,
        evaluate_every=500,
        driver="device",
    ),
    "host": RunConfig(
        make_agent("t-dqn", **SMALL),
        EnvironmentSpec("CartPole-v1"),
        steps=1_500,
        evaluate_every=250,
        driver="host",
    ),
}


@dataclass(frozen=True)
class Arguments:
    """What to do to runs."""

    what: tyro.conf.Positional[str]
    """kills, or disk."""
    kills: int = 200
    """Kills for each driver."""
    sizes: int = 50
    """Sizes at which the disk is full."""
    drivers: tuple[str, ...] = tuple(DRIVERS)
    """Which drivers."""
    seed: int = 0
    """Of the moments."""


def main() -> None:
    """Do it, and say how often all was well."""
    arguments = tyro.cli(Arguments)
    for part in ("deep", "device", "host"):  # so that children need not; JAX itself they start
        import_module(f"temporl.training.{part}")
    with tempfile.TemporaryDirectory(prefix="temporl-chaos-") as place:
        for driver in arguments.drivers:
            if arguments.what == "kills":
                kills(driver, arguments.kills, Path(place) / driver, arguments.seed)
            else:
                disk(driver, arguments.sizes, Path(place) / driver)


class Child:
    """A process that executes a run; forked, so that it begins at once."""

    def __init__(self, run: PlannedRun, limit: int | None = None) -> None:
        self.process = os.fork()
        if self.process:
            return
        code = 1
        try:
            checkpoints.MOST_TIME = 0.3  # many checkpoints are many moments to be killed at
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            execute(run)
            code = 0
        except CannotWrite:
            code = CLEAR
        finally:
            os._exit(code)

    def wait(self, seconds: float = math.inf) -> int | None:
        """Its exit code; None if it is still there after some time."""
        until = time.monotonic() + seconds
        while True:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > until:
                return None
            time.sleep(0.002)

    def kill(self) -> None:
        """End it with a signal that cannot be handled."""
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def outcome(run: PlannedRun) -> list[bytes]:
    """What must not depend on what was done to the run."""
    names = ("evaluations.parquet", "policy/arrays.safetensors")
    return [(run.folder / name).read_bytes() for name in names]


def calm(run: PlannedRun, place: Path) -> tuple[list[bytes], float]:
    """The same run in peace, and the seconds it takes."""
    began = time.monotonic()
    peaceful = replace(run, folder=place / "calm" / run.folder.name)
    shutil.rmtree(peaceful.folder, ignore_errors=True)
    if not run.config.trainer.needs_process:
        execute(peaceful)  # its children then find everything compiled
    else:
        assert Child(peaceful).wait() == 0
    return outcome(peaceful), time.monotonic() - began


def kills(driver: str, count: int, place: Path, seed: int) -> None:
    """Kill runs at random moments, resume each, and compare."""
    random = np.random.default_rng(seed)
    identical = again = unreadable = 0
    run = PlannedRun(DRIVERS[driver], 0, place / "killed" / "seed-0", checkpoint_minutes=0.0)
    calm(run, place)  # whatever is compiled is compiled now
    expected, seconds = calm(run, place)

    def killed() -> bool:
        nonlocal unreadable
        child = Child(run)
        code = child.wait(float(random.uniform(0.0, seconds)))
        assert code in (0, None)
        if code is None:
            child.kill()
        unreadable += [finding.state for finding in verify(place / "killed")].count("damaged")
        return code is None

    for number in range(1, count + 1):
        shutil.rmtree(run.folder, ignore_errors=True)
        while not killed():  # it was faster than the kill
            shutil.rmtree(run.folder)
        again += number % KILLED_TWICE == 0 and killed()
        if not run.folder.exists():
            assert Child(run).wait() == 0
        identical += outcome(run) == expected
        if number % 20 == 0:
            print(f"  {driver}: {identical} of {number} identical", flush=True)
    print(
        f"{driver}: {count} runs of {seconds:.1f} s killed at a random moment and resumed, {again}"
        f" of them killed twice; {identical} of {count} bit-identical; {unreadable} unreadable"
        " files",
        flush=True,
    )
    assert identical == count
    assert unreadable == 0


def disk(driver: str, sizes: int, place: Path) -> None:
    """Limit the size of files, from nothing to what the run needs."""
    run = PlannedRun(DRIVERS[driver], 0, place / "full" / "seed-0", checkpoint_minutes=0.0)
    expected, _ = calm(run, place)
    largest = max(path.stat().st_size for path in (place / "calm").rglob("*") if path.is_file())
    clear = sound = identical = 0
    for limit in np.linspace(0, largest - 1, sizes).astype(int):
        full = replace(run, folder=place / f"full-{limit}" / "seed-0")
        clear += Child(full, int(limit)).wait() == CLEAR
        sound += all(finding.state != "damaged" for finding in verify(full.folder.parent))
        assert Child(full).wait() == 0
        identical += outcome(full) == expected
    print(
        f"{driver}: {clear} of {sizes} a clear error, {sound} of {sizes} undamaged,"
        f" {identical} of {sizes} identical when there was room again",
        flush=True,
    )
    assert clear == sound == identical == sizes


if __name__ == "__main__":
    main()
