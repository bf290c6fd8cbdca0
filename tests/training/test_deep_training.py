"""Training deep agents as users do: from the command line and from Python."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import gymnasium as gym
import numpy as np
import pytest

import temporl
from temporl.errors import BadInput, RunFailed
from temporl.runs.store import read_config

OWN_ENVIRONMENT = '''
import gymnasium as gym
import numpy as np


class Corridor(gym.Env):
    """Walk to the right."""

    def __init__(self, length=8, broken="", reward=-0.01, render_mode=None):
        self.length, self.broken, self.reward = length, broken, reward
        self.observation_space = gym.spaces.Box(0, 1, (1,), np.float32)
        self.action_space = gym.spaces.Discrete(2, start=3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.seed = 0, seed
        return self.look(), {}

    def look(self):
        return np.array([self.place / self.length], np.float32)

    def step(self, action):
        assert action in (3, 4)
        self.place = max(0, self.place + (1 if action == 4 else -1))
        seen, reward = self.look(), self.reward
        if self.broken == "observation":
            seen = seen * np.nan
        if self.broken == "reward":
            reward = np.nan
        if self.broken == "shape":
            seen = np.zeros(3, np.float32)
        if self.broken == "dtype":
            seen = np.array(["far"])
        over = self.place >= self.length
        return seen, 1.0 if over else reward, over, False, {}


gym.register("Corridor-v0", entry_point=Corridor, max_episode_steps=60)
'''
QUICK = {"hidden": (8,), "batch_size": 8, "progress": False}


@pytest.fixture
def corridor(tmp_path, monkeypatch):
    """A module outside the package that registers an environment."""
    (tmp_path / "my_corridor.py").write_text(OWN_ENVIRONMENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("my_corridor", None)
    yield "my_corridor:Corridor-v0"
    gym.registry.pop("Corridor-v0", None)


def command(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "temporl", *map(str, words)],
        capture_output=True,
        text=True,
        **options,
    )


@pytest.mark.usefixtures("corridor")
@pytest.mark.parametrize("name", ["CartPole-v1", "my_corridor:Corridor-v0"])
def test_one_command_trains(name, tmp_path):
    done = command(
        *("train", "t-dqn", "--env", name, "--steps", 300, "--seeds", 2, "--hidden", 8),
        *("--batch-size", 8, "--evaluate-every", 100, "--out", tmp_path / "runs"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "2.0 of 2 runs" in done.stderr
    assert "steps/s" in done.stderr
    assert "decisions" in done.stdout
    folders = sorted((tmp_path / "runs").glob("*/*/seed-*"))
    assert [folder.name for folder in folders] == ["seed-0", "seed-1"]
    driver = "host" if ":" in name else "device"
    assert read_config(folders[0])["driver"] == driver


def test_a_short_corridor_is_learned_and_needs_few_decisions(corridor, tmp_path):
    run = temporl.train(
        "t-dqn", corridor, steps=2500, max_skip=8, hidden=(32,), out=tmp_path, progress=False
    )
    outcome = temporl.evaluate(run.policy(), corridor, episodes=2)
    assert outcome.lengths.tolist() == [8, 8]
    assert outcome.decisions.max() <= 3
    assert run.evaluations().num_rows == 2500 // (2500 // 200)


def test_what_was_trained_is_not_trained_again(tmp_path):
    first, second = (
        temporl.train("dqn", "CartPole-v1", steps=100, out=tmp_path, **QUICK) for _ in range(2)
    )
    assert first.path == second.path
    assert len(list(first.path.glob("seed-*"))) == 1


def test_the_driver_can_be_chosen(tmp_path):
    runs = [
        temporl.train("dqn", "CartPole-v1", steps=60, driver=driver, out=tmp_path, **QUICK)
        for driver in ("device", "host")
    ]
    assert runs[0].path != runs[1].path


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("observation", "not finite"),
        ("reward", "reward nan"),
        ("shape", "shape (3,), not (1,)"),
        ("dtype", "not numeric"),
    ],
)
def test_a_broken_environment_fails_with_its_place(broken, said, corridor, tmp_path):
    with pytest.raises(RunFailed) as caught:
        temporl.train(
            "dqn",
            corridor,
            steps=50,
            seeds=1,
            seed=4,
            env_options={"broken": broken},
            out=tmp_path,
            **QUICK,
        )
    message = str(caught.value)
    assert said in message
    assert "Corridor-v0" in message
    assert "seed 4, episode 0, step 1" in message
    assert "\n" not in message
    assert not list(tmp_path.rglob("config.json"))


def test_other_seeds_stay_when_one_fails(tmp_path):
    class SometimesBroken(gym.Env):
        """Returns NaN at its 61st step, in the second seed."""

        observation_space = gym.spaces.Box(-1, 1, (1,), np.float32)
        action_space = gym.spaces.Discrete(2)
        made = 0

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return np.zeros(1, np.float32), {}

        def step(self, action):
            type(self).made += 1
            broken = type(self).made == 61
            return np.full(1, np.nan if broken else 0.5, np.float32), 0.0, False, False, {}

    with pytest.raises(RunFailed, match="seed 1, episode"):
        temporl.train(
            "dqn",
            SometimesBroken,
            steps=50,
            seeds=3,
            step_limit=10,
            evaluate_every=0,
            out=tmp_path,
            **QUICK,
        )
    finished = sorted(folder.parent.name for folder in tmp_path.rglob("config.json"))
    assert finished == ["seed-0", "seed-2"]


def test_learning_that_diverges_is_a_failed_run(corridor, tmp_path):
    with pytest.raises(RunFailed, match=r"behaviour_loss became (inf|nan) \(seed 0, step \d+\)"):
        temporl.train(
            "dqn",
            corridor,
            steps=200,
            env_options={"reward": 1e30},
            evaluate_every=20,
            out=tmp_path,
            **QUICK,
        )


class Odd(gym.Env):
    """An environment with any spaces."""

    def __init__(self, observations, actions):
        self.observation_space, self.action_space = observations, actions


BOX = gym.spaces.Box(-1, 1, (2,), np.float32)
TWO = gym.spaces.Discrete(2)


@pytest.mark.parametrize(
    ("observations", "actions", "field", "said"),
    [
        (BOX, BOX, "action space", "continuous actions"),
        (BOX, gym.spaces.MultiDiscrete([2, 2]), "action space", "discrete"),
        (gym.spaces.Dict({"a": BOX}), TWO, "observation space", "FlattenObservation"),
        (gym.spaces.Box(0, 1, (8, 8, 3), np.float32), TWO, "observation space", "uint8"),
        (gym.spaces.Box(0, 255, (2, 8, 3), np.uint8), TWO, "observation space", "at least 3"),
        (gym.spaces.Tuple((TWO, TWO)), TWO, "observation space", "FlattenObservation"),
    ],
)
def test_spaces_for_which_the_agent_is_not_made(observations, actions, field, said, tmp_path):
    with pytest.raises(BadInput, match=said) as caught:
        temporl.train(
            "t-dqn", lambda: Odd(observations, actions), steps=10, step_limit=5, out=tmp_path
        )
    assert caught.value.field == field


def test_values_that_cannot_be_used(tmp_path):
    refused = {"episodes": 10, "evaluate_every": -1, "steps": 0, "hidden": (), "buffer_size": 3}
    for field, value in refused.items():
        with pytest.raises(BadInput, match=f"^{field}: "):
            temporl.train("t-dqn", "CartPole-v1", out=tmp_path, **{field: value})
    assert not list(tmp_path.rglob("*.json"))


def test_an_environment_without_a_step_limit(tmp_path):
    with pytest.raises(BadInput, match="--step-limit"):
        temporl.train("dqn", "CliffWalking-v1", steps=10, out=tmp_path)


@pytest.mark.parametrize(
    ("agent", "env", "driver", "said"),
    [
        ("dqn", "FrozenLake-v1", "device", "no compiled version"),
        ("q", "FrozenLake-v1", "host", "leave it out"),
    ],
)
def test_a_driver_that_is_not_there(agent, env, driver, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        temporl.train(agent, env, driver=driver, out=tmp_path)


def test_discrete_observations_are_learned_from(tmp_path):
    run = temporl.train("t-dqn", "FrozenLake-v1", steps=100, out=tmp_path, **QUICK)
    policy = run.policy()
    assert policy.decide(0).action in range(4)
    with pytest.raises(BadInput):
        policy.decide(16)


def test_a_log_for_tensorboard(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run = temporl.train(
        "t-dqn",
        "CartPole-v1",
        steps=200,
        evaluate_every=50,
        log="tensorboard",
        out=tmp_path,
        **QUICK,
    )
    log = EventAccumulator(str(run.path / "tensorboard" / "seed-0"))
    log.Reload()
    returns = log.Scalars("greedy/return")
    assert [event.step for event in returns] == [50, 100, 150, 200]
    assert [event.value for event in returns] == run.evaluations()["return"].to_pylist()
    assert {"learning/behaviour_loss", "learning/skip_loss"} <= set(log.Tags()["scalars"])


def test_a_log_for_weights_and_biases(tmp_path):
    """Written without a network, as records that hold names as plain text."""
    run = temporl.train(
        "t-dqn", "CartPole-v1", steps=200, evaluate_every=50, log="wandb", out=tmp_path, **QUICK
    )
    (path,) = run.path.glob("wandb/offline-run-*/run-*.wandb")
    records = path.read_bytes()
    assert records.count(b"greedy/return") >= 4
    assert b"skip_loss" in records
    assert b"max_skip" in records  # the configuration


def test_an_unknown_log_is_refused(tmp_path):
    with pytest.raises(BadInput, match="log: 'wandbb'"):
        temporl.train("q", "temporl/Cliff-v0", episodes=1, log="wandbb", out=tmp_path)


def test_a_saved_policy_answers_in_a_plain_process(tmp_path):
    run = temporl.train("t-dqn", "MountainCar-v0", steps=200, out=tmp_path, progress=False)
    script = f"""
import json, time, temporl
policy = temporl.load({str(run.path)!r})
policy.decide([-0.5, 0.0])
times = []
for _ in range(300):
    began = time.perf_counter()
    policy.decide([-0.5, 0.0])
    times.append(time.perf_counter() - began)
action, skip = policy.decide([-0.5, 0.0])
values = policy.skip_values([-0.5, 0.0])
print(json.dumps([action, skip, list(values), min(times)]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    action, skip, lengths, fastest = json.loads(done.stdout)
    assert action in range(3)
    assert skip in range(1, 11)
    assert lengths == list(range(1, 11))
    assert fastest < 100e-6


def test_the_second_start_finds_its_programs_compiled(tmp_path):
    options = {"steps": 100, "evaluate_every": 0, "out": tmp_path, "progress": False}
    temporl.train("t-dqn", "MountainCar-v0", seed=0, **options)
    began = time.monotonic()
    temporl.train("t-dqn", "MountainCar-v0", seed=1, **options)
    assert time.monotonic() - began < 30  # the benchmark has the exact figure
