"""A Ray cluster of two nodes on this machine, whose workers are killed while a sweep runs.

One node is removed on the way, and the driver is killed and started again. Afterwards every run is
there once, and the same as in a calm sweep without Ray.

    python benchmarks/chaos_cluster.py --runs 500
"""

from __future__ import annotations

import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import tyro

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_raylet_start_wait_time_s"] = "300"  # noqa: SIM112 (so it is called)
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)  # of this cluster, for as long as it lasts
FIRST, SECOND = "127.0.0.2", "127.0.0.3"
"""Addresses of this machine alone; Ray would take 127.0.0.1 for the one in the network."""
TEMPORL = [sys.executable, "-m", "temporl"]
FILE = """
name = "cluster"
agents = ["q", "t-q"]
environments = ["temporl/ZigZag-v0"]
seeds = {seeds}
episodes = {episodes}
"""


def node(*words: str) -> subprocess.Popen[bytes]:
    """A node of the cluster with one core, which nobody else can reach."""
    command = [str(Path(sys.executable).with_name("ray")), "start", "--block", "--num-cpus", "1"]
    return subprocess.Popen([*command, "--node-ip-address", *words], stdout=subprocess.DEVNULL)


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as found:
        found.bind((FIRST, 0))
        return int(found.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until the first node answers."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with suppress(OSError):
            socket.create_connection((FIRST, port), timeout=1).close()
            return
        time.sleep(0.5)


def workers() -> list[int]:
    """The processes that execute runs of ours."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"ray::execute_remotely"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of the runs in a results folder."""
    found = (path for path in folder.rglob("seed-*/**/*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def main(runs: int = 500, episodes: int = 20_000, every: float = 5.0, seed: int = 0) -> None:
    """Run the sweep calmly and in chaos, and compare.

    Args:
        runs: How many runs.
        episodes: How long each of them is.
        every: Seconds between two kills of a worker.
        seed: Which workers.
    """
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="temporl-cluster-") as text:
        place = Path(text)
        (place / "sweep.toml").write_text(FILE.format(seeds=runs // 2, episodes=episodes))
        sweep = [*TEMPORL, "sweep", "sweep.toml", "--out"]
        port = free_port()
        first = node(FIRST, "--head", "--port", str(port), "--include-dashboard", "false")
        wait_for(port)
        second = node(SECOND, "--address", f"{FIRST}:{port}")
        time.sleep(5.0)
        command = [*sweep, "chaos", "--ray", f"{FIRST}:{port}"]
        driver = subprocess.Popen(command, cwd=place)
        kills, removed, restarted = 0, False, False
        while driver.poll() is None:
            time.sleep(every)
            if found := workers():
                os.kill(chance.choice(found), signal.SIGKILL)
                kills += 1
            done = len(list(place.glob("chaos/*/*/seed-*/config.json")))
            if not removed and done > runs // 3:
                second.terminate()
                removed = True
            if not restarted and done > runs // 2:
                driver.kill()
                driver.wait()
                driver, restarted = subprocess.Popen(command, cwd=place), True
        for one in (second, first):
            one.terminate()
            one.wait()
        subprocess.run([*sweep, "calm"], cwd=place, check=True)
        chaos, calm = contents(place / "chaos"), contents(place / "calm")
        different = sorted(n for n in chaos.keys() | calm.keys() if chaos.get(n) != calm.get(n))
        finished = len(list(place.glob("chaos/*/*/seed-*/config.json")))
        print(
            f"{finished} of {runs} runs finished, {kills} workers killed, node removed: {removed},"
            f" driver killed: {restarted}; {len(different)} of {len(calm)} files"
            f" differ from those of a calm local sweep {different[:3]}"
        )
        assert driver.returncode == 0
        assert not different
        assert finished == runs


if __name__ == "__main__":
    tyro.cli(main)
