"""Training on images as users do, and what is left of it on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from safetensors.numpy import load_file
from tests.refusals import refusal

import temporl
from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput
from temporl.runs.config import RunConfig
from temporl.runs.plan import PlannedRun
from temporl.runs.store import read_config
from temporl.runs.train import defaults_for
from temporl.runs.workers import ONE_THREAD, WorkerProcess, compiler_settings, run_threads

FEW = {"steps": 60, "evaluate_every": 30, "workers": 1, "progress": False}
SMALL = {"hidden": (8,), "batch_size": 4, "learning_starts": 8, "buffer_size": 40}


class Dot(gym.Env):
    """A dot to bring to the right edge of a small picture."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(0, 255, (3, 6), np.uint8)
        self.action_space = gym.spaces.Discrete(2)

    def _picture(self):
        picture = np.zeros((3, 6), np.uint8)
        picture[1, self.place] = 255
        return picture

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(3))
        return self._picture(), {}

    def step(self, action):
        self.place = max(0, self.place + 2 * int(action) - 1)
        over = self.place == 5
        return self._picture(), float(over), over, False, {}


def stacked_dot():
    return gym.wrappers.FrameStackObservation(Dot(), 2)


PLAY = """
import json, sys
import numpy as np
import temporl
policy = temporl.load(sys.argv[1])
image = np.zeros((3, 6, 2), np.uint8)
image[1, 2] = 255
action, skip = policy.decide(image)
values = {str(length): value for length, value in policy.skip_values(image).items()}
print(json.dumps({"action": int(action), "skip": skip, "values": values}))
"""


def test_a_policy_for_images_is_trained_saved_and_loaded_elsewhere(tmp_path):
    run = temporl.train(
        "t-dqn", stacked_dot, step_limit=12, out=tmp_path, max_skip=3, **FEW, **SMALL
    )
    options = read_config(run.path / "seed-0")["options"]
    assert (options["loss"], options["train_every"], options["architecture"]) == (
        "huber",
        4,
        "shared",
    )
    (arrays,) = run.path.glob("seed-0/policy/*.safetensors")
    assert all(array.dtype == np.float32 for array in load_file(arrays).values())
    answer = subprocess.run(
        [sys.executable, "-c", PLAY, str(run.path)], capture_output=True, text=True, check=True
    )
    told = json.loads(answer.stdout)
    policy = run.policy()
    image = np.zeros((3, 6, 2), np.uint8)
    image[1, 2] = 255
    assert tuple(policy.decide(image)) == (told["action"], told["skip"])
    assert list(told["values"].values()) == pytest.approx(list(policy.skip_values(image).values()))
    played = temporl.evaluate(policy, stacked_dot, episodes=2, step_limit=12)
    assert (played.decisions <= played.lengths).all()
    with pytest.raises(BadInput, match="uint8"):
        policy.decide(image.astype(np.float32))


def test_the_same_run_twice_on_the_host(tmp_path):
    """Stacks are formed on sampling, and still two runs are one."""
    weights = []
    for name in ("first", "second"):
        run = temporl.train("dar", stacked_dot, step_limit=12, out=tmp_path / name, **FEW, **SMALL)
        weights.append(load_file(next(run.path.rglob("*.safetensors"))))
    assert weights[0].keys() == weights[1].keys()
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])


def test_what_is_given_stays_and_the_rest_is_for_images():
    usual = defaults_for("dqn", gym.wrappers.FrameStackObservation(Dot(), 2))
    assert usual["buffer_size"] == 100_000
    assert defaults_for("dqn", gym.make("CartPole-v1")) == {}
    assert defaults_for("q", Dot()) == {}
    assert make_agent("dqn", **usual | {"loss": "squared"}).loss == "squared"


REFUSED = {"loss": "absolute", "train_every": 0, "target_every": 0, "clip_gradient": 0.0}
REFUSED |= {"learning_starts": -1, "epsilon_steps": 0}


def test_options_that_are_refused(tmp_path):
    for field, value in REFUSED.items():
        assert refusal("t-dqn", **{field: value}).field == field
    with pytest.raises(BadInput, match=r"^architecture: .*"):
        temporl.train("t-dqn", Dot, step_limit=12, out=tmp_path, architecture="concat", **FEW)


def test_agents_for_continuous_actions_take_no_images(tmp_path):
    class Picture(Dot):
        def __init__(self):
            super().__init__()
            self.action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    with pytest.raises(BadInput, match="this agent does not take images"):
        temporl.train("t-ddpg", Picture, step_limit=12, out=tmp_path, **FEW)


def planned(place, name, **options):
    agent = make_agent("dqn", **SMALL, **options)
    config = RunConfig(agent, EnvironmentSpec(name), steps=24, evaluate_every=0, driver="host")
    return PlannedRun(config, 0, place)


@pytest.mark.parametrize(
    ("name", "threads"),
    [("ALE/Freeway-v5", 2), ("gymnax/Breakout-MinAtar", 1), ("CartPole-v1", 1), ("Nowhere-v0", 1)],
)
def test_screens_have_two_threads(name, threads, tmp_path):
    assert run_threads(planned(tmp_path, name)) == threads


def test_two_threads_are_two_whoever_starts_them(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", f"--xla_dump_to=here {ONE_THREAD}")
    assert compiler_settings(2)["XLA_FLAGS"] == "--xla_dump_to=here"
    assert compiler_settings(1)["XLA_FLAGS"].count(ONE_THREAD) == 1


def test_a_worker_has_the_threads_that_each_run_needs(tmp_path):
    process = WorkerProcess()
    used = []
    try:
        for number, name in enumerate(("CartPole-v1", "ALE/Freeway-v5", "CartPole-v1")):
            process.execute(planned(tmp_path / str(number), name), lambda _report: None)
            used.append(process.threads)
    finally:
        process.kill()
    assert used == [1, 2, 1]
    first, again = (load_file(*(tmp_path / n).glob("policy/*.safetensors")) for n in ("0", "2"))
    assert all((first[name] == again[name]).all() for name in first)


def test_the_same_policy_for_screens_on_any_number_of_cores(tmp_path):
    cores = os.sched_getaffinity(0)
    policies = []
    for allowed in ({min(cores)}, cores):
        os.sched_setaffinity(0, allowed)  # a child has what its parent has
        process = WorkerProcess(2)
        os.sched_setaffinity(0, cores)
        try:
            run = planned(tmp_path / str(len(allowed)), "ALE/Freeway-v5", train_every=2)
            process.execute(run, lambda _report: None)
        finally:
            process.kill()
        policies.append(load_file(*run.folder.glob("policy/*.safetensors")))
    assert all((policies[0][name] == policies[1][name]).all() for name in policies[0])
