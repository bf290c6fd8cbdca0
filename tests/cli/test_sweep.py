"""`temporl sweep`, as a user would."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from temporl.cli import main
from temporl.runs.plan import missing_runs, plan_runs
from temporl.runs.store import CONFIG
from temporl.wording import number_of

FILE = """
name = "small"
agents = ["q", "t-q"]
environments = ["temporl/ZigZag-v0"]
seeds = 4
episodes = 40

[options.t-q]
max_skip = [3, 7]
"""


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(FILE)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "course"  # seconds are never the same twice
    }


def test_a_sweep_runs_what_is_missing_and_writes_a_table(file, tmp_path, capsys):
    words = ["sweep", str(file), "--out", str(tmp_path / "out")]
    assert main(words) == 0
    assert "12 runs made, 0 failed, of 12" in capsys.readouterr().out
    rows = list(csv.DictReader((tmp_path / "out/small/table.csv").read_text().splitlines()))
    assert [row["options"] for row in rows] == ["", "max_skip=3", "max_skip=7"]
    assert {row["seeds"] for row in rows} == {"4"}
    assert all(-1 <= float(row["return"]) <= 1 for row in rows)
    shutil.rmtree(next((tmp_path / "out/small").glob("q-*/seed-2")))
    assert main(words) == 0
    assert "1 run made, 0 failed, of 12" in capsys.readouterr().out


def test_shards_in_any_order_together_are_the_sweep(file, tmp_path):
    assert main(["sweep", str(file), "--out", str(tmp_path / "whole"), "--workers", "1"]) == 0
    merged = tmp_path / "merged"
    for number in (3, 1, 2):
        out = tmp_path / f"part-{number}"
        assert main(["sweep", str(file), "--shard", f"{number}/3", "--out", str(out)]) == 0
        shutil.copytree(out, merged, dirs_exist_ok=True)
    assert main(["sweep", str(file), "--out", str(merged)]) == 0  # nothing but the table is left
    assert contents(merged) == contents(tmp_path / "whole")


def test_an_estimate_runs_nothing_of_the_sweep(file, tmp_path, capsys):
    words = ["sweep", str(file), "--out", str(tmp_path / "out"), "--estimate"]
    assert main([*words, "--shard", "1/12"]) == 0
    printed = capsys.readouterr().out
    assert ": 1 run missing" in printed
    assert "32 machines like this one" in printed
    assert "MB" in printed
    assert not (tmp_path / "out").exists()


def test_a_failing_run_is_named_and_the_others_finish(tmp_path, monkeypatch):
    (tmp_path / "unlucky.py").write_text(
        "import gymnasium as gym\n"
        "class Unlucky(gym.Env):\n"
        "    observation_space = action_space = gym.spaces.Discrete(2)\n"
        "    def __init__(self, **options): pass\n"
        "    def reset(self, *, seed=None, options=None):\n"
        "        super().reset(seed=seed)\n"
        "        if self.np_random.random() < 0.2: raise RuntimeError('no luck')\n"
        "        return 0, {}\n"
        "    def step(self, action): return 0, 0.0, True, False, {}\n"
        "gym.register('Unlucky-v0', entry_point=Unlucky, max_episode_steps=5)\n"
    )
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(
        'name = "s"\nagents = ["q"]\nenvironments = ["unlucky:Unlucky-v0"]\nseeds = 6\nepisodes = 2'
    )
    done = subprocess.run(
        [sys.executable, "-m", "temporl", "sweep", "s.toml"], capture_output=True, text=True
    )
    finished = len(list(Path("runs").rglob("config.json")))
    assert 0 < finished < 6
    assert done.returncode == 1
    assert done.stderr.count("RuntimeError: no luck") == 6 - finished
    assert f"{number_of(finished, 'run')} made, {6 - finished} failed, of 6" in done.stdout


def test_what_is_missing_of_ten_thousand_runs_is_known_within_a_second(tmp_path, file):
    from temporl.experiments.sweep_file import read_sweep

    config = read_sweep(file).configs[0]
    planned = plan_runs(tmp_path, "many", config, range(10_000))
    for run in planned[:-7]:
        run.folder.mkdir(parents=True)
        (run.folder / CONFIG).touch()
    took = []
    for _ in range(3):  # the best of three: other tests share the machine
        began = time.process_time()
        assert missing_runs(plan_runs(tmp_path, "many", config, range(10_000))) == planned[-7:]
        took.append(time.process_time() - began)
    assert min(took) < 1.0


@pytest.mark.parametrize(
    "words",
    [
        ["sweep"],
        ["sweep", "nothing.toml"],
        ["sweep", "{file}", "--shard", "5/4"],
        ["sweep", "{file}", "--workers", "0"],
        ["sweep", "{file}", "--ray", "local", "--workers", "2"],
        ["sweep", "{file}", "--colour"],
        ["reproduce", "gridworlds", "--seeds", "99999999999"],
        ["verify", "nowhere"],
        ["resume", "nowhere"],
        ["resume"],
    ],
)
def test_bad_command_lines_are_refused_in_one_line(words, file, capsys):
    assert main([word.format(file=file) for word in words]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("temporl: ")
    assert complaint.count("\n") == 1


def test_the_same_run_in_other_folders_with_other_hash_seeds(tmp_path):
    found = []
    for number in ("1", "2"):
        place = tmp_path / number
        place.mkdir()
        words = ["train", "t-q", "--env", "temporl/Cliff-v0", "--episodes", "50", "--out", "runs"]
        subprocess.run(
            [sys.executable, "-m", "temporl", *words],
            cwd=place,
            env={**os.environ, "PYTHONHASHSEED": number, "MPLBACKEND": "agg"},
            check=True,
            capture_output=True,
        )
        found.append(
            {name: c for name, c in contents(place / "runs").items() if "policy.png" not in name}
        )
    assert len(found[0]) == 6
    assert found[0] == found[1]
