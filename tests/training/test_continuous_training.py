"""Training with continuous actions, as users do it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from tests.refusals import refusal

import temporl
from temporl.errors import BadInput, RunFailed
from temporl.training.learner import EvaluationSchedule

SMALL: dict[str, Any] = {"hidden": (16, 16), "batch_size": 16, "warm_up": 64, "progress": False}
BOX = Box(-1, 1, (2,), np.float32)


@pytest.mark.parametrize("name", ["ddpg", "sac", "t-td3", "figar"])
def test_every_agent_trains_on_the_device_and_is_loaded_again(name, tmp_path):
    run = temporl.train(name, "Pendulum-v1", steps=150, evaluate_every=75, out=tmp_path, **SMALL)
    assert run.config.driver == "device"
    policy = temporl.load(run.path)
    seen = np.array([1.0, 0.0, 0.5], np.float32)
    action, skip = policy.decide(seen)
    assert policy.actions == Box(-2.0, 2.0, (1,), np.float32)
    assert policy.actions.contains(action)
    values = policy.skip_values(seen, action)
    assert skip in values
    assert values == policy.skip_values(seen)
    assert list(values) == list(range(1, 11)) if name.startswith("t-") or name == "figar" else [1]
    with pytest.raises(BadInput, match="skip_values"):
        policy.action_values(seen)


def test_an_environment_with_several_joints_trains_on_the_host(tmp_path):
    run = temporl.train(
        "t-td3",
        "HalfCheetah-v5",
        steps=120,
        step_limit=50,
        evaluate_every=60,
        out=tmp_path,
        **SMALL,
    )
    assert run.config.driver == "host"
    action, _ = run.policy().decide(np.zeros(17))
    assert action.shape == (6,)
    assert np.abs(action).max() <= 1


def test_the_same_starts_every_time(tmp_path):
    run = temporl.train(
        "ddpg",
        "Pendulum-v1",
        steps=60,
        evaluate_every=20,
        evaluation_starts=3,
        out=tmp_path,
        **SMALL | {"warm_up": 60},
    )
    rows = run.evaluations().to_pydict()
    assert rows["step"] == [0] * 3 + [20] * 3 + [40] * 3 + [60] * 3
    # Nothing is learned before the last step, so that the same starts end in the same returns.
    returns = np.array(rows["return"]).reshape(4, 3)
    assert (returns[:3] == returns[0]).all()
    assert len(set(returns[0])) == 3


def test_when_training_pauses():
    assert list(EvaluationSchedule(10, 4)) == [(4, [0]), (8, [1]), (10, [])]
    assert list(EvaluationSchedule(8, 4)) == [(4, [0]), (8, [1])]
    assert list(EvaluationSchedule(8, 4, starts=2)) == [(0, [0, 1]), (4, [0, 1]), (8, [0, 1])]
    assert [episodes for _, episodes in EvaluationSchedule(8, 0, starts=2)] == [[]] * 8


class Odd(gym.Env[Any, Any]):
    """Whatever spaces are wanted."""

    def __init__(self, observations: gym.Space, actions: gym.Space) -> None:
        self.observation_space, self.action_space = observations, actions


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        (Discrete(2), "t-dqn"),
        (Box(0, 3, (2,), np.int32), "continuous"),
        (Box(-np.inf, np.inf, (2,), np.float32), "RescaleAction"),
        (Box(np.array([-1, -np.inf], np.float32), np.ones(2, np.float32)), "without bounds"),
    ],
)
def test_actions_for_which_these_agents_are_not_made(actions, said, tmp_path):
    with pytest.raises(BadInput, match=said) as caught:
        temporl.train("t-ddpg", lambda: Odd(BOX, actions), steps=10, step_limit=5, out=tmp_path)
    assert caught.value.field == "action space"


REFUSED = {
    "figar": {"max_skip": 0, "epsilon": "sometimes"},
    "t-ddpg": {"max_skip": 0, "architecture": "shared"},
    "ddpg": {"noise": -1.0, "warm_up": -1, "hidden": (), "epsilon": 0.1},
    "td3": {"actor_every": 0, "target_noise": -0.1},
}


def test_values_that_cannot_be_used():
    for name, options in REFUSED.items():
        for field, value in options.items():
            assert refusal(name, **{field: value}).field == field


def test_a_number_of_starts_below_one(tmp_path):
    with pytest.raises(BadInput, match="evaluation_starts"):
        temporl.train("ddpg", "Pendulum-v1", evaluation_starts=0, out=tmp_path)
    with pytest.raises(BadInput, match="deep agents only"):
        temporl.train("q", "FrozenLake-v1", evaluation_starts=2, out=tmp_path)


class Failing(gym.Env[Any, Any]):
    """Fine for a while, then not a number."""

    observation_space = Box(-1.0, 1.0, (2,), np.float32)
    action_space = BOX

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        self.time = 0
        return np.zeros(2, np.float32), {}

    def step(self, action: np.ndarray):
        self.time += 1
        return np.zeros(2, np.float32), float("nan") if self.time == 7 else 0.0, False, False, {}


def test_an_environment_that_returns_no_number_is_named_with_its_place(tmp_path):
    with pytest.raises(RunFailed, match=r"reward nan \(seed 0, episode 0, step 7\)"):
        temporl.train(
            "t-sac", Failing, steps=50, step_limit=20, evaluate_every=0, out=tmp_path, **SMALL
        )
    assert not list(tmp_path.rglob("policy"))


class Enormous(Failing):
    """Rewards that no network can bear."""

    def step(self, action: np.ndarray):
        return np.ones(2, np.float32), 3e38, False, False, {}


def test_a_loss_that_is_not_finite_ends_the_run(tmp_path):
    with pytest.raises(RunFailed, match="behaviour_loss became"):
        temporl.train(
            "ddpg",
            Enormous,
            steps=100,
            step_limit=20,
            evaluate_every=10,
            out=tmp_path,
            **SMALL,
        )
    assert not list(tmp_path.rglob("policy"))
