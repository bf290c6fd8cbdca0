"""The same runs on a Ray cluster: the same files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from temporl.agents import make_agent
from temporl.edge.cluster import _take_in, execute_remotely, require_cluster
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput
from temporl.runs.config import RunConfig
from temporl.runs.plan import PlannedRun
from temporl.runs.store import working_folder

pytest.importorskip("ray")

FILE = """
name = "both"
agents = ["t-q"]
environments = ["temporl/ZigZag-v0", "{module}:Fragile-v0"]
seeds = 6
episodes = 30
"""
MODULE = """
import os, pathlib
import gymnasium as gym
from temporl import GridWorld


class Fragile(GridWorld):
    '''Kills its process in the first episode of its life, and raises in one of five.'''

    def reset(self, *, seed=None, options=None):
        mark = pathlib.Path(os.environ["FRAGILE"]) / str(seed)
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            if seed % 4 == 0 and "ray" in os.environ["FRAGILE"]:
                os._exit(1)
        if seed % 83 == 0:
            raise RuntimeError("this run cannot be")
        return super().reset(seed=seed)


gym.register("Fragile-v0", entry_point=lambda: Fragile("S..G"), max_episode_steps=20)
"""


def contents(out: Path) -> dict[str, bytes]:
    """All files but those with seconds in them, which are never the same twice."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.parent.name != "course"
    }


def sweep(place: Path, marks: str, *words: str) -> subprocess.CompletedProcess[str]:
    (place / marks).mkdir()
    return subprocess.run(
        [sys.executable, "-m", "temporl", "sweep", "both.toml", "--out", f"out-{marks}", *words],
        cwd=place,
        env={**os.environ, "FRAGILE": str(place / marks), "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
    )


def test_a_cluster_gives_the_same_files_and_retries_only_deaths(tmp_path):
    (tmp_path / "fragile.py").write_text(MODULE)
    (tmp_path / "both.toml").write_text(FILE.format(module="fragile"))
    here = sweep(tmp_path, "here")
    there = sweep(tmp_path, "ray", "--ray", "local")
    assert contents(tmp_path / "out-here") == contents(tmp_path / "out-ray"), there.stderr
    assert len(list((tmp_path / "out-ray").rglob("config.json"))) >= 6
    assert there.returncode == here.returncode
    assert there.stdout.splitlines()[-1] == here.stdout.splitlines()[-1]
    again = subprocess.run(
        [sys.executable, "-m", "temporl", "verify", "out-ray"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert again.returncode == 0


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:99999999", "nowhere", "", ":6379"])
def test_no_cluster_where_there_is_none(address):
    with pytest.raises(BadInput) as caught:
        require_cluster(address)
    assert caught.value.field == "ray"


def test_what_a_dead_driver_was_writing_is_cleared_away(tmp_path):
    config = RunConfig(make_agent("q"), EnvironmentSpec("temporl/Cliff-v0"), episodes=5)
    run = PlannedRun(config, 0, tmp_path / "q" / "seed-0")
    leftover = working_folder(run.folder) / "writing-abc"
    leftover.mkdir(parents=True)
    (leftover / "config.json").write_bytes(b"half of it")
    _take_in(run, execute_remotely(json.dumps(run.to_data())))
    assert {path.name for path in (tmp_path / "q").iterdir()} == {"seed-0", "course"}
