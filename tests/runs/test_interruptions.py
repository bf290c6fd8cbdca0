"""Signals, deaths and full disks: what is on disk stays whole, and the run resumes from there."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.test_commands import nobody_left_in
from tests.runs.stopping import at, deep, outcome, planned, tabular

from temporl.runs.plan import PlannedRun, execute
from temporl.runs.store import working_folder
from temporl.runs.workers import compiler_settings

TEMPORL = [sys.executable, "-m", "temporl"]
LONG = {
    "device": ["t-dqn", "--env", "CartPole-v1", "--steps", "20000", "--evaluate-every", "1000"],
    "host": ["dqn", "--env", "CartPole-v1", "--driver", "host", "--steps", "4000"],
    "tabular": ["t-q", "--env", "Blackjack-v1", "--step-limit", "20", "--episodes", "6000"],
}
ENDLESS = [*LONG["device"][:-3], "10000000", "--evaluate-every", "1000", "--buffer-size", "2000"]
SMALL = ["--hidden", "8", "--batch-size", "8"]


def train(words: list[str], out: Path, minutes: str = "0.001") -> subprocess.Popen[str]:
    small = [] if words[0] == "t-q" else SMALL
    return subprocess.Popen(
        [*TEMPORL, "train", *words, *small, "--checkpoint-minutes", minutes, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(out: Path, pattern: str) -> None:
    began = time.monotonic()
    while not list(out.glob(pattern)):
        assert time.monotonic() - began < 120
        time.sleep(0.01)


def results(out: Path) -> dict[str, bytes]:
    names = ("evaluations.parquet", "arrays.safetensors")
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.name in names
    }


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """The outcome of each of the long runs without an interruption."""
    found = {}
    for name, words in LONG.items():
        out = tmp_path_factory.mktemp(name)
        _, complaints = train(words, out).communicate(timeout=300)
        assert results(out), complaints
        found[name] = results(out)
    return found


@pytest.mark.parametrize(
    ("name", "number", "code"),
    [
        ("tabular", signal.SIGINT, 130),
        ("host", signal.SIGINT, 130),
        ("device", signal.SIGTERM, 143),
    ],
)
def test_a_signal_leaves_a_checkpoint_and_no_process(name, number, code, calm, tmp_path):
    process = train(LONG[name], tmp_path)
    wait_for(tmp_path, "*/*/seed-0.partial/checkpoint-*")
    began = time.monotonic()
    process.send_signal(number)
    _, complaints = process.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert process.returncode == code
    assert "Traceback" not in complaints
    assert nobody_left_in(process.pid)
    assert list(tmp_path.glob("*/*/seed-0.partial/checkpoint-*"))
    assert not list(tmp_path.glob("*/*/seed-0"))
    resumed = subprocess.run(
        [*TEMPORL, "resume", str(tmp_path)], capture_output=True, text=True, timeout=300
    )
    assert resumed.returncode == 0, resumed.stderr
    assert "1 of 1 unfinished runs finished" in resumed.stdout
    assert results(tmp_path) == calm[name]


def test_what_was_learned_until_a_signal_is_kept(tmp_path):
    process = train(ENDLESS, tmp_path, minutes="60")
    assert process.stderr is not None
    assert any("return" in line for line in process.stderr)
    assert not list(tmp_path.glob("*/*/seed-0.partial/checkpoint-*"))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert list(tmp_path.glob("*/*/seed-0.partial/checkpoint-*"))


def test_a_second_interrupt_stops_at_once(tmp_path):
    """A run in an environment that hangs cannot be interrupted; a second signal ends it at once."""
    (tmp_path / "hanging.py").write_text(
        "import time, gymnasium as gym\n"
        "class Hanging(gym.Env):\n"
        "    observation_space = action_space = gym.spaces.Discrete(2)\n"
        "    def reset(self, *, seed=None, options=None):\n"
        "        open('began', 'w').close()\n"
        "        time.sleep(1000)\n"
        "gym.register('Hanging-v0', entry_point=Hanging, max_episode_steps=5)\n"
    )
    process = subprocess.Popen(
        [*TEMPORL, "train", "q", "--env", "hanging:Hanging-v0", "--workers", "2", "--seeds", "2"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(tmp_path, "began")
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=20)
    assert time.monotonic() - began < 5
    assert process.returncode == 130
    assert "Traceback" not in complaints
    assert nobody_left_in(process.pid)


def test_workers_leave_when_the_process_that_started_them_is_killed(calm, tmp_path):
    process = train(LONG["device"], tmp_path)
    wait_for(tmp_path, "*/*/seed-0.partial/checkpoint-*")
    process.kill()
    process.communicate()
    assert nobody_left_in(process.pid)
    _, complaints = train(LONG["device"], tmp_path).communicate(timeout=300)
    assert results(tmp_path) == calm["device"], complaints


SCRIPT = """
import json, os, signal, sys
from temporl.runs import files
from temporl.tabular import training
from temporl.training import device
from temporl.runs.plan import PlannedRun, execute

data, moment, times = json.loads(sys.argv[1]), sys.argv[2], [int(sys.argv[3])]
training.CHUNK_EPISODES, device.STRIDE_SECONDS = 7, 0.0

def deadly(function, after=False, half=False):
    def called(*arguments):
        times[0] -= 1
        if times[0] == 0 and half:
            arguments[0].write_bytes(arguments[1][: len(arguments[1]) // 2])
        if times[0] == 0 and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        returned = function(*arguments)
        if times[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return returned
    return called

if moment == "before-write":
    files._write = deadly(files._write)
if moment == "mid-write":
    files._write = deadly(files._write, half=True)
if moment == "before-rename":
    files.Path.rename = deadly(files.Path.rename)
if moment == "after-rename":
    files.Path.rename = deadly(files.Path.rename, after=True)
execute(PlannedRun.from_data(data))
"""


def in_a_process(run: PlannedRun, moment: str = "", times: int = 0) -> int:
    """Execute a run in a process that dies at a moment; returns its exit code."""
    words = [sys.executable, "-c", SCRIPT, json.dumps(run.to_data()), moment, str(times)]
    return subprocess.run(words, env={**os.environ, **compiler_settings()}).returncode


@pytest.mark.parametrize("config", [tabular("t-q"), deep("t-dqn", "device")], ids=["t-q", "t-dqn"])
def test_death_at_every_commit_point(config, tmp_path):
    calm = planned(tmp_path / "calm", config)
    execute(calm)
    killed = at(tmp_path / "killed", planned(tmp_path, config, minutes=0.0))
    for moment in ("before-write", "mid-write", "before-rename", "after-rename"):
        # The first writes are those of checkpoints; the third is within the second of them.
        for times in (1, 3):
            assert in_a_process(killed, moment, times) == -signal.SIGKILL
    assert in_a_process(killed) == 0
    assert outcome(killed) == outcome(calm)
    assert not working_folder(killed.folder).exists()


LIMITED = """
import json, resource, sys
from temporl.errors import CannotWrite
from temporl.tabular import training
from temporl.runs.plan import PlannedRun, execute

training.CHUNK_EPISODES = 7
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    execute(PlannedRun.from_data(json.loads(sys.argv[1])))
except CannotWrite as error:
    sys.exit(f"{error}")
"""


@pytest.mark.parametrize("limit", [0, 10, 200, 1000, 3000, 6000])
def test_a_disk_that_takes_no_more(limit, tmp_path):
    run = planned(tmp_path, tabular("t-q"), minutes=0.0)
    words = [sys.executable, "-c", LIMITED, json.dumps(run.to_data()), str(limit)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot be written: File too large" in done.stderr
    assert done.stderr.count("\n") == 1
    execute(run)  # from the last checkpoint, if there was room for one
    calm = at(tmp_path / "calm", run)
    execute(calm)
    assert outcome(run) == outcome(calm)


def test_a_folder_that_is_deleted_meanwhile(tmp_path):
    process = train(ENDLESS, tmp_path / "runs")
    wait_for(tmp_path, "runs/*/*/seed-0.partial/checkpoint-*")
    for _ in range(50):
        subprocess.run(["rm", "-rf", tmp_path / "runs"], check=False)
        if not (tmp_path / "runs").exists():
            break
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "cannot be written: No such file or directory" in complaints
    assert "Traceback" not in complaints


def obeying_permissions() -> None:
    """Even the superuser may not write where nobody may: for the next program this process runs."""
    drop_from_bounds, override_permissions = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounds, override_permissions)


def test_a_folder_that_nobody_may_write_to(tmp_path):
    words = [*TEMPORL, "train", *LONG["tabular"][:-1], "10", "--out", str(tmp_path / "runs")]
    subprocess.run(words, check=True, capture_output=True)
    before = results(tmp_path / "runs")
    folders = [path for path in (tmp_path / "runs").rglob("*") if path.is_dir()]
    for folder in [tmp_path / "runs", *folders]:
        folder.chmod(0o555)
    done = subprocess.run(
        [*words, "--seeds", "3"], capture_output=True, text=True, preexec_fn=obeying_permissions
    )
    assert done.returncode == 2
    assert "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr
    assert results(tmp_path / "runs") == before
