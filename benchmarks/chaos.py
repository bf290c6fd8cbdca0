"""Kill runs with -9 at random moments, fill the disk, and compare bits: `make chaos`.

Every driver gets a number of kills, each followed by a resume. When a run ends between two kills,
its weights and evaluation rows must be those of the same run in peace, and it begins anew.

    python benchmarks/chaos.py kills --kills 200
    python benchmarks/chaos.py disk --sizes 50
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import tyro

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.results.config import RunConfig
from temporl.results.verifying import verify
from temporl.training import PlannedRun
from temporl.training.sweep import compiler_settings

MOMENTS = 0.7
"""Kills come within this part of the time that the whole run takes."""
SMALL = {"hidden": (32,), "batch_size": 32}
DRIVERS = {
    "tabular": RunConfig(
        make_agent("t-q", epsilon="log"), EnvironmentSpec("Blackjack-v1", {}, 20), episodes=20_000
    ),
    "device": RunConfig(
        make_agent("t-dqn", **SMALL),
        EnvironmentSpec("CartPole-v1"),
        steps=30_000,
        evaluate_every=500,
        driver="device",
    ),
    "host": RunConfig(
        make_agent("t-dqn", **SMALL),
        EnvironmentSpec("CartPole-v1"),
        steps=6_000,
        evaluate_every=500,
        driver="host",
    ),
}
EXECUTE = (
    "import json, sys; from temporl.training import PlannedRun, execute;"
    "execute(PlannedRun.from_data(json.loads(sys.argv[1])))"
)
LIMITED = (
    "import json, resource, sys; from temporl.errors import CannotWrite;"
    "from temporl.training import PlannedRun, execute;"
    "limit = int(sys.argv[2]); resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))\n"
    "try: execute(PlannedRun.from_data(json.loads(sys.argv[1])))\n"
    "except CannotWrite as error: sys.exit(str(error))"
)


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
    with tempfile.TemporaryDirectory(prefix="temporl-chaos-") as place:
        for driver in arguments.drivers:
            if arguments.what == "kills":
                kills(driver, arguments.kills, Path(place) / driver, arguments.seed)
            else:
                disk(driver, arguments.sizes, Path(place) / driver)


def start(run: PlannedRun, code: str = EXECUTE, *more: str) -> subprocess.Popen[str]:
    """Execute a run in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", code, json.dumps(run.to_data()), *more],
        env={**os.environ, **compiler_settings()},
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome(run: PlannedRun) -> list[bytes]:
    """What must not depend on what was done to the run."""
    names = ("evaluations.parquet", "policy/arrays.safetensors")
    return [(run.folder / name).read_bytes() for name in names]


def calm(run: PlannedRun, place: Path) -> tuple[list[bytes], float]:
    """The same run in peace, and the seconds it takes."""
    began = time.monotonic()
    peaceful = replace(run, folder=place / "calm" / run.folder.name)
    shutil.rmtree(peaceful.folder, ignore_errors=True)
    complaints = start(peaceful).communicate()[1]
    assert peaceful.folder.exists(), complaints
    return outcome(peaceful), time.monotonic() - began


def kills(driver: str, count: int, place: Path, seed: int) -> None:
    """Kill runs at random moments until there were enough."""
    random = np.random.default_rng(seed)
    done = finished = identical = unreadable = 0
    run = PlannedRun(DRIVERS[driver], 0, place / "killed" / "seed-0", checkpoint_minutes=0.0)
    calm(run, place)  # whatever is compiled is compiled now
    expected, seconds = calm(run, place)
    while done < count:
        shutil.rmtree(run.folder, ignore_errors=True)
        while not run.folder.exists():
            process = start(run)
            moment = float(random.uniform(0.0, MOMENTS * seconds))
            try:
                code = process.wait(moment if done < count else None)
                assert code == 0, process.communicate()[1]
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                done += 1
            states = [finding.state for finding in verify(place / "killed")]
            unreadable += states.count("damaged")
        finished += 1
        identical += outcome(run) == expected
        print(f"  {driver}: {done} kills, {identical} of {finished} identical", flush=True)
    print(
        f"{driver}: {done} kills, each followed by a resume; {identical} of {finished} runs"
        f" bit-identical; {unreadable} unreadable files",
        flush=True,
    )
    assert identical == finished
    assert unreadable == 0


def disk(driver: str, sizes: int, place: Path) -> None:
    """Limit the size of files, from nothing to what the run needs."""
    run = PlannedRun(DRIVERS[driver], 0, place / "full" / "seed-0", checkpoint_minutes=0.0)
    expected, _ = calm(run, place)
    largest = max(path.stat().st_size for path in (place / "calm").rglob("*") if path.is_file())
    clear = sound = identical = 0
    for limit in np.linspace(0, largest - 1, sizes).astype(int):
        full = replace(run, folder=place / f"full-{limit}" / "seed-0")
        process = start(full, LIMITED, str(limit))
        complaints = process.communicate()[1]
        clear += process.returncode == 1 and "cannot be written: File too large" in complaints
        sound += all(finding.state != "damaged" for finding in verify(full.folder.parent))
        assert start(full).wait() == 0
        identical += outcome(full) == expected
    print(
        f"{driver}: {clear} of {sizes} a clear error, {sound} of {sizes} sound afterwards,"
        f" {identical} of {sizes} identical when there was room again",
        flush=True,
    )
    assert clear == sound == identical == sizes


if __name__ == "__main__":
    main()
