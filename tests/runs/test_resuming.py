"""A run that is interrupted and resumed ends as one that never was, bit for bit."""

from __future__ import annotations

import json
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from tests.runs.stopping import at, deep, outcome, planned, stopped, tabular

from temporl.environments import EnvironmentSpec
from temporl.errors import DamagedFile, RunFailed
from temporl.runs.config import RunConfig
from temporl.runs.files import as_json
from temporl.runs.lock import locked
from temporl.runs.plan import execute
from temporl.runs.store import is_finished, read_config, read_course, working_folder
from temporl.tabular import training as tabular_training
from temporl.training import device as device_training
from temporl.training.course import Course


def continuous(agent: str, driver: str, **options) -> RunConfig:
    """Pendulum, evaluated from fixed starts, before the first step as well."""
    config = deep(agent, driver, "Pendulum-v1", steps=900, warm_up=20, **options)
    return replace(config, evaluation_starts=2, evaluate_every=300)


def images(agent: str, driver: str, world: str, **options) -> RunConfig:
    """A ring that keeps every image once, and is full long before the end."""
    few = {"buffer_size": 60, "learning_starts": 20, "train_every": 4}
    config = deep(agent, driver, world, steps=120, architecture="shared", **few, **options)
    return replace(config, environment=EnvironmentSpec(world, {}, 25))


CONFIGS = {
    "q, compiled": tabular("q"),
    "t-q, compiled": tabular("t-q"),
    "ez-q, compiled": tabular("ez-q"),
    "t-q, stepped": RunConfig(
        tabular("t-q").agent, EnvironmentSpec("Blackjack-v1", {}, 20), episodes=40
    ),
    "t-q, steps": RunConfig(
        tabular("t-q").agent, EnvironmentSpec("temporl/ZigZag-v0"), steps=4000, evaluate_every=3
    ),
    "dqn, device": deep("dqn", "device"),
    "t-dqn, device": deep("t-dqn", "device", max_skip=4),
    "dar, device": deep("dar", "device", max_skip=4),
    "ez-dqn, device": deep("ez-dqn", "device"),
    "dqn, host": deep("dqn", "host"),
    "t-dqn, host": deep("t-dqn", "host", max_skip=4, architecture="shared"),
    "dar, host": deep("dar", "host", max_skip=4),
    "ez-dqn, host": deep("ez-dqn", "host"),
    "ddpg, host": continuous("ddpg", "host"),
    "t-ddpg, host": continuous("t-ddpg", "host", max_skip=4),
    "td3, device": continuous("td3", "device"),
    "t-td3, host": continuous("t-td3", "host", max_skip=4),
    "sac, host": continuous("sac", "host"),
    "t-sac, device": continuous("t-sac", "device", max_skip=4),
    "figar, host": continuous("figar", "host", max_skip=4),
    "t-dqn, boards": images("t-dqn", "device", "gymnax/Breakout-MinAtar", max_skip=4),
    "t-dqn, screens": images("t-dqn", "host", "ALE/Pong-v5", max_skip=4),
    "t-dqn, discrete observations": deep("t-dqn", "host", "FrozenLake-v1", 200, max_skip=3),
}


@pytest.fixture(autouse=True)
def _many_pauses(monkeypatch):
    """Let short runs have many moments at which they can be interrupted."""
    monkeypatch.setattr(tabular_training, "CHUNK_EPISODES", 7)
    monkeypatch.setattr(device_training, "FIRST_STRIDE", 13)
    monkeypatch.setattr(device_training, "STRIDE_SECONDS", 0.0)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_run_left_off_again_and_again_ends_as_one_that_never_was(name, tmp_path):
    run = planned(tmp_path / "calm", CONFIGS[name])
    execute(run)
    broken = at(tmp_path / "broken", run)
    times = 0
    while stopped(broken, checkpoints=1 + times % 3):
        times += 1
        assert not broken.folder.exists()
    assert times >= 2
    assert outcome(broken) == outcome(run)
    taken_up, calm = read_course(broken.folder), read_course(run.folder)
    assert np.array_equal(taken_up.step, calm.step)
    assert np.array_equal(taken_up.chosen, calm.chosen)
    assert (np.diff(taken_up.seconds, prepend=0.0) > 0).all()
    assert not working_folder(broken.folder).exists()
    record = read_config(broken.folder)["resumed"]
    assert len(record["at_steps"]) == times
    assert record["at_steps"] == sorted(record["at_steps"])
    assert record["exact"] is True
    assert "resumed" not in read_config(run.folder)


@pytest.mark.parametrize("name", ["t-q, compiled", "t-dqn, device"])
def test_a_run_that_goes_on_from_an_older_checkpoint_has_no_course(name, tmp_path, monkeypatch):
    run = planned(tmp_path, CONFIGS[name])
    with monkeypatch.context() as older:
        older.setattr(Course, "arrays", lambda _: {})
        assert stopped(run, checkpoints=2)
    execute(run)
    assert read_course(run.folder) is None
    assert is_finished(run.folder)


@pytest.mark.parametrize("name", ["t-q, compiled", "t-dqn, device", "t-dqn, host"])
def test_checkpoints_change_nothing(name, tmp_path):
    run = planned(tmp_path / "without", CONFIGS[name])
    execute(run)
    often = at(tmp_path / "with", planned(tmp_path, CONFIGS[name], minutes=0.0))
    execute(often)
    assert outcome(often) == outcome(run)


def test_only_the_newest_checkpoint_is_kept(tmp_path):
    run = planned(tmp_path, CONFIGS["t-q, compiled"], minutes=0.0)
    stopped(run, checkpoints=5)
    inside = {path.name for path in working_folder(run.folder).iterdir()}
    assert len(inside) == 3
    assert {"lock.json", "plan.json"} < inside


def test_what_a_dead_process_was_writing_is_cleared_away(tmp_path):
    run = planned(tmp_path, CONFIGS["t-q, compiled"])
    stopped(run, checkpoints=2)
    place = working_folder(run.folder)
    (place / "writing-abc").mkdir()
    (place / "writing-abc" / "state.safetensors").write_bytes(b"half of it")
    (place / "checkpoint-0").mkdir()
    (place / "checkpoint-none").write_bytes(b"")
    stopped(run, checkpoints=2)
    assert len(list(place.iterdir())) == 3


def test_an_environment_that_keeps_state_across_resets_is_noticed(tmp_path):
    class Restless(gym.Env):
        """Begins every episode elsewhere, whatever its seed."""

        observation_space = gym.spaces.Box(-np.inf, np.inf, (1,), np.float32)
        action_space = gym.spaces.Discrete(2)
        resets = 0

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            type(self).resets += 1
            return np.full(1, type(self).resets, np.float32), {}

        def step(self, action):
            return np.zeros(1, np.float32), 0.0, False, False, {}

    gym.register("Restless-v0", entry_point=Restless, max_episode_steps=10)
    try:
        run = planned(tmp_path, deep("dqn", "host", "Restless-v0", 100))
        assert stopped(run, checkpoints=3)
        execute(run)
    finally:
        gym.registry.pop("Restless-v0")
    assert read_config(run.folder)["resumed"] == {"at_steps": [30], "exact": False}


@pytest.fixture
def left_off(tmp_path):
    run = planned(tmp_path, CONFIGS["t-q, compiled"])
    stopped(run, checkpoints=3)
    (checkpoint,) = working_folder(run.folder).glob("checkpoint-*")
    return run, checkpoint


@pytest.mark.parametrize("file", ["state.safetensors", "manifest.json"])
@pytest.mark.parametrize("damage", ["cut", "flip", "gone", "empty"])
def test_a_damaged_checkpoint_is_refused_by_name(file, damage, left_off):
    run, checkpoint = left_off
    path = checkpoint / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    changed = {"cut": content[:-9], "flip": content, "empty": b""}
    path.unlink()
    if damage != "gone":
        path.write_bytes(changed[damage])
    before = {found: found.read_bytes() for found in checkpoint.iterdir()}
    with pytest.raises(DamagedFile, match="checkpoint-"):
        execute(run)
    assert {found: found.read_bytes() for found in checkpoint.iterdir()} == before


def test_the_checkpoint_of_another_run_is_refused(left_off, tmp_path):
    _, checkpoint = left_off
    other = planned(tmp_path / "other", CONFIGS["q, compiled"])
    place = working_folder(other.folder)
    place.mkdir(parents=True)
    checkpoint.rename(place / checkpoint.name)
    with pytest.raises(DamagedFile, match="of another run"):
        execute(other)


def test_a_plan_says_nothing_of_the_machine(left_off):
    run, checkpoint = left_off
    plan = json.loads((checkpoint.parent / "plan.json").read_bytes())
    assert (checkpoint.parent / "plan.json").read_bytes() == as_json(plan)
    assert RunConfig.from_data(plan) == run.config
    assert set(plan) - set(run.config.to_data()) == {"seed", "log", "checkpoint_minutes"}


def test_two_processes_do_not_work_on_one_run(left_off):
    run, checkpoint = left_off
    with (
        locked(checkpoint.parent),
        pytest.raises(RunFailed, match=r"worked on by process \d+ on "),
        locked(checkpoint.parent, patience=0.3),
    ):
        pass
    execute(run)
