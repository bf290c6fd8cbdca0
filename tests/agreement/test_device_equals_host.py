"""The two drivers beside one another: the same environment and seed, the same run."""

from __future__ import annotations

from functools import cache
from typing import Any

import gymnasium as gym
import jax
import numpy as np
import pytest
from tests.agents.small import CONTINUOUS, small
from tests.direct import train_deep

from temporl.agents.policy import agent_spaces
from temporl.environments import EnvironmentSpec
from temporl.environments.device import DeviceEnvironment, GymnaxEnvironment
from temporl.training.device import DeviceTraining
from temporl.training.learner import Learner
from temporl.training.outcome import Trained

STEPS, EVALUATE_EVERY = 1500, 250
CASES = {
    "dqn": ("dqn", "MountainCar-v0", 200),
    "t-dqn-shared": ("t-dqn-shared", "MountainCar-v0", 200),
    "dar": ("dar", "MountainCar-v0", 200),
    "t-dqn-concat": ("t-dqn-concat", "CartPole-v1", 12),
    "t-td3": ("t-td3", "Pendulum-v1", 50),
    "sac": ("sac", "Pendulum-v1", 50),
    "figar": ("figar", "Pendulum-v1", 50),
}
"""An agent, an environment and a step limit. CartPole ends both ways: by falling and by time."""
EVERY_CASE = pytest.mark.parametrize("case", CASES)


class Recorded(gym.Wrapper[Any, Any, Any, Any]):
    """An environment that writes down every step."""

    def __init__(self, environment: gym.Env[Any, Any]) -> None:
        super().__init__(environment)
        self.steps: list[tuple] = []

    def reset(self, **options):
        self.seen, info = self.env.reset(**options)
        return self.seen, info

    def step(self, action):
        before = self.seen
        self.seen, reward, terminated, truncated, info = self.env.step(action)
        self.steps.append((before, action, reward, self.seen, terminated, truncated))
        return self.seen, reward, terminated, truncated, info


@cache
def agent(case: str):
    name = CASES[case][0]
    return small(name, **{} if name in CONTINUOUS else {"epsilon": 0.3})


@cache
def on_device(case: str, seed: int = 0, evaluate_every: int = EVALUATE_EVERY) -> Trained:
    _, environment, limit = CASES[case]
    return train_deep(
        agent(case),
        EnvironmentSpec(environment, {}, limit),
        driver="device",
        seed=seed,
        steps=STEPS,
        evaluate_every=evaluate_every,
    )


@cache
def on_host(case: str, evaluate_every: int = EVALUATE_EVERY) -> tuple[Trained, list[tuple]]:
    """The run, and every step of it."""
    _, name, limit = CASES[case]
    made: list[Recorded] = []

    def make():
        environment = GymnaxEnvironment(name)
        made.append(Recorded(gym.wrappers.TimeLimit(environment, limit)))
        return made[-1]

    trained = train_deep(
        agent(case),
        EnvironmentSpec(f"gymnax/{name}"),
        driver="host",
        seed=0,
        steps=STEPS,
        evaluate_every=evaluate_every,
        make=make,
    )
    return trained, made[0].steps


def assert_same_networks(one: Trained, other: Trained) -> None:
    for first, second in zip(
        jax.tree.leaves(one.policy.params), jax.tree.leaves(other.policy.params), strict=True
    ):
        assert np.array_equal(first, second)


@EVERY_CASE
def test_the_same_evaluations(case):
    device, (host, _) = on_device(case), on_host(case)
    for ours, theirs in zip(device.evaluations, host.evaluations, strict=True):
        # NumPy answers on the host: what is added up there may be rounded differently.
        assert ours == pytest.approx(theirs, rel=1e-4)
    assert len(device.evaluations.step) == STEPS // EVALUATE_EVERY
    assert (device.episodes, device.steps) == (host.episodes, host.steps)


@EVERY_CASE
def test_the_same_weights_bit_for_bit(case):
    assert_same_networks(on_device(case), on_host(case)[0])


@EVERY_CASE
def test_the_same_steps_in_the_ring(case):
    """Every observation, action, reward and end that the host saw is in the ring of the device."""
    _, name, limit = CASES[case]
    environment = DeviceEnvironment(name, limit)
    spaces = agent_spaces(environment.observation_space, environment.action_space)
    learner = Learner(agent(case), spaces, STEPS, spare=STEPS // limit + 1)
    training, key = DeviceTraining(learner, environment), jax.random.key(0)
    play = training.begin(learner.draw(0), key)
    ring = training.advance(play, key, np.int32(STEPS)).learner.ring
    observation, facts = np.asarray(ring.observation), np.asarray(ring.facts)
    slot = 0
    steps = on_host(case)[1]
    for before, action, reward, after, terminated, truncated in steps:
        assert np.array_equal(observation[slot], before)
        *played, earned, goes_on = facts[slot].tolist()
        # What the environment was given is the agent's action within its bounds.
        assert np.asarray(
            environment.to_environment(np.asarray(played, np.float32))
        ) == pytest.approx(np.ravel(action), abs=1e-6)
        assert (earned, goes_on) == (reward, 1.0 - terminated)
        if not terminated:
            assert np.array_equal(observation[slot + 1], after)
        slot += 1 + (truncated and not terminated)
    assert len(steps) == int(ring.steps) == STEPS
    assert int(ring.slots) == slot
    ends = [(terminated, truncated) for *_, terminated, truncated in steps]
    assert (False, True) in ends
    assert any(terminated for terminated, _ in ends) == (name == "CartPole-v1")
    if isinstance(environment.action_space, gym.spaces.Discrete):
        assert len({step[1] for step in steps}) == environment.action_space.n


@pytest.mark.parametrize("case", ["dar", "t-dqn-concat", "t-td3"])
def test_evaluation_does_not_change_training_on_the_device(case):
    unwatched = on_device(case, evaluate_every=0)
    assert_same_networks(on_device(case), unwatched)
    assert len(unwatched.evaluations.step) == 0


@pytest.mark.parametrize("case", ["dqn", "dar"])
def test_evaluation_does_not_change_training_on_the_host(case):
    (watched, steps), (unwatched, others) = on_host(case), on_host(case, evaluate_every=0)
    assert_same_networks(watched, unwatched)
    assert [step[1:3] for step in steps] == [step[1:3] for step in others]


@EVERY_CASE
def test_two_seeds_differ(case):
    """In all arrays, and not only in those that are learned."""
    one, other = on_device(case), on_device(case, seed=1)
    for first, second in zip(
        jax.tree.leaves(one.policy.params), jax.tree.leaves(other.policy.params), strict=True
    ):
        assert not np.array_equal(first, second)
