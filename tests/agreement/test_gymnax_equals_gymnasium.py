"""The compiled environments, step by step beside Gymnasium's own of the same name."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import gymnasium as gym
import jax
import numpy as np
import pytest
from tests.replay.quick import quick

from temporl.environments.device import DeviceEnvironment, device_twin
from temporl.environments.registry import GYMNAX

AGREEING = [name for name, about in GYMNAX.items() if about.agrees]
STATE = {
    "MountainCar-v0": ("position", "velocity"),
    "CartPole-v1": ("x", "x_dot", "theta", "theta_dot"),
    "Acrobot-v1": ("joint_angle1", "joint_angle2", "velocity_1", "velocity_2"),
    "Pendulum-v1": ("theta", "theta_dot"),
    "MountainCarContinuous-v0": ("position", "velocity"),
}
RANDOM_EPISODES = {
    "MountainCar-v0": 2,
    "CartPole-v1": 20,
    "Acrobot-v1": 1,
    "Pendulum-v1": 3,
    "MountainCarContinuous-v0": 1,
}
SKILLED = {
    "MountainCar-v0": lambda seen: 2 if seen[1] >= 0 else 0,
    "CartPole-v1": lambda seen: int(seen[2] + 0.3 * seen[3] + 0.03 * seen[1] > 0),
    "Acrobot-v1": lambda seen: 2 if seen[4] < 0 else 0,
    "Pendulum-v1": lambda seen: np.sign(seen[2:]) * 2,
    "MountainCarContinuous-v0": lambda seen: np.where(seen[1:] >= 0, 1.0, -1.0),
}
"""Ways to play that reach the end, or the time limit, that random actions do not reach."""


class Compared(NamedTuple):
    """Both sides of one step."""

    compiled: tuple
    usual: tuple


def anything(space: gym.Space, random: np.random.Generator):
    if isinstance(space, gym.spaces.Discrete):
        return random.integers(space.n)
    return random.uniform(space.low, space.high)


@cache
def compared(name: str) -> list[list[Compared]]:
    """Whole episodes, the last two with skill; before each step both are in the same state."""
    device, usual = DeviceEnvironment(name), gym.make(name)
    reset, step = quick(device.reset), quick(device.step)
    random = np.random.default_rng(0)
    episodes = []
    for number in range(RANDOM_EPISODES[name] + 2):
        usual.reset(seed=number)
        seen, state = reset(np.uint32(number))
        rows, over = [], False
        while not over:
            inner = [float(getattr(state.inner, field)) for field in STATE[name]]
            usual.unwrapped.state = np.array(inner)
            skilled = number >= RANDOM_EPISODES[name]
            action = SKILLED[name](seen) if skilled else anything(usual.action_space, random)
            action = np.asarray(action, np.dtype("int32" if np.ndim(action) == 0 else "float32"))
            seen, state, *outcome = step(state, action)
            seen, outcome = np.asarray(seen), [np.asarray(value) for value in outcome]
            action = int(action) if action.ndim == 0 else action
            rows.append(Compared((seen, *outcome), usual.step(action)[:4]))
            over = bool(outcome[1] or outcome[2])
        episodes.append(rows)
    usual.close()
    return episodes


@pytest.mark.parametrize("name", AGREEING)
def test_every_step_leads_to_the_same(name):
    for rows in compared(name):
        for (seen, reward, terminated, truncated), usual in rows:
            np.testing.assert_allclose(seen, usual[0], atol=1e-4)
            assert seen.dtype == usual[0].dtype == np.float32
            assert float(reward) == pytest.approx(float(usual[1]), abs=1e-4)
            # A terminal state is one, even where a time limit falls on the same step.
            assert (bool(terminated), bool(truncated)) == (usual[2], usual[3] and not usual[2])


@pytest.mark.parametrize("name", AGREEING)
def test_both_ends_of_an_episode_were_seen(name):
    """So that the comparison means something."""
    ends = [rows[-1].usual[2:] for rows in compared(name)]
    assert any(terminated for terminated, _ in ends) == (name != "Pendulum-v1")
    assert any(truncated for _, truncated in ends)
    assert max(map(len, compared(name))) == GYMNAX[name].step_limit


@pytest.mark.parametrize("name", AGREEING)
def test_spaces_and_limits_are_the_same(name):
    usual, device = gym.make(name), DeviceEnvironment(name)
    assert device.action_space == usual.action_space
    assert device.observation_space.shape == usual.observation_space.shape
    assert usual.spec.max_episode_steps == device.step_limit == GYMNAX[name].step_limit
    usual.close()


@pytest.mark.parametrize("name", AGREEING)
def test_episodes_begin_alike(name):
    """Not the same starts, but from the same range, all of it."""
    usual = gym.make(name)
    theirs = np.array([usual.reset(seed=seed)[0] for seed in range(300)])
    usual.close()
    device = DeviceEnvironment(name)
    ours = np.asarray(
        quick(jax.vmap(lambda s: device.reset(s)[0]))(np.arange(300, dtype=np.uint32))
    )
    span = np.ptp(theirs, axis=0) + 1e-3
    np.testing.assert_allclose(ours.min(axis=0), theirs.min(axis=0), atol=0.1 * span.max())
    np.testing.assert_allclose(ours.max(axis=0), theirs.max(axis=0), atol=0.1 * span.max())
    assert len(np.unique(ours[:, 0])) > 290


def test_another_step_limit_is_kept():
    device = device_twin("CartPole-v1", {}, 3)
    reset, step = quick(device.reset), quick(device.step)
    _, state = reset(np.uint32(0))
    ends = []
    for _ in range(3):
        _, state, _, terminated, truncated = step(state, np.int32(0))
        ends.append((bool(terminated), bool(truncated)))
    assert ends == [(False, False), (False, False), (False, True)]


def test_which_names_have_a_compiled_version():
    assert device_twin("MountainCar-v0", {}, None) == DeviceEnvironment("MountainCar-v0", None)
    assert device_twin("MountainCar-v0", {"goal_velocity": 0.1}, None) is None
    assert device_twin("LunarLander-v3", {}, None) is None
    assert device_twin("gymnax/CartPole-v1", {}, 50) == DeviceEnvironment("CartPole-v1", 50)


def test_the_wall_on_the_left_stops_the_car():
    """gymnax's own car keeps its speed there."""
    device = DeviceEnvironment("MountainCarContinuous-v0")
    _, state = device.reset(np.uint32(0))
    state = state._replace(inner=state.inner.replace(position=-1.19, velocity=-0.05))
    seen, *_ = device.step(state, np.array([-1.0], np.float32))
    assert np.asarray(seen).tolist() == [np.float32(-1.2), 0.0]
