"""Agents that leave commitments, keep something for an episode, and hear that episodes ended."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium as gym
import jax
import numpy as np
import pytest
from tests.agents.leaving import CountingDQN, LeavingDQN
from tests.direct import train_deep

from temporl.agents.dqn import DQN
from temporl.environments import EnvironmentSpec
from temporl.environments.device import GymnaxEnvironment
from temporl.evaluation import play_episode
from temporl.skipping import play
from temporl.training.outcome import ProgressReport, Trained

SMALL = {"hidden": (16,), "batch_size": 16, "epsilon": 0.3}


def leaving(margin: float) -> LeavingDQN:
    return LeavingDQN(DQN(**SMALL), max_skip=5, margin=margin)


def trained(agent: object, driver: str, hear: Callable[..., None] | None = None) -> Trained:
    """CartPole, the same environment on the device and on the host."""

    def make():
        return gym.wrappers.TimeLimit(GymnaxEnvironment("CartPole-v1"), 30)

    on_host = driver == "host"
    return train_deep(
        agent,
        EnvironmentSpec("CartPole-v1", {}, 30),
        driver=driver,
        seed=0,
        steps=600,
        evaluate_every=200,
        make=make if on_host else None,
        on_progress=hear,
    )


@pytest.mark.parametrize("agent", [leaving(0.01), CountingDQN(**SMALL)], ids=["leaves", "counts"])
def test_both_drivers_give_the_same_bits(agent):
    device, host = trained(agent, "device"), trained(agent, "host")
    for one, other in zip(
        jax.tree.leaves(device.policy.params), jax.tree.leaves(host.policy.params), strict=True
    ):
        assert np.array_equal(one, other)
    for ours, theirs in zip(device.evaluations, host.evaluations, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)


def test_an_agent_that_always_leaves_decides_at_every_step_and_one_that_never_does_as_before():
    always = trained(leaving(-np.inf), "device").evaluations
    assert np.array_equal(always.decisions, always.lengths)
    plain = trained(LeavingDQN.__mro__[1](DQN(**SMALL), max_skip=5), "device")
    never = trained(leaving(np.inf), "device")
    for one, other in zip(
        jax.tree.leaves(plain.policy.params), jax.tree.leaves(never.policy.params), strict=True
    ):
        assert np.array_equal(one, other)
    assert np.array_equal(plain.evaluations.decisions, never.evaluations.decisions)


def test_a_commitment_is_left_exactly_where_another_action_is_better_by_the_margin():
    margin = 0.01
    policy = trained(leaving(margin), "device").policy
    environment = gym.make("CartPole-v1")
    seen, _ = environment.reset(seed=3)
    left = spent = True
    for step in play(policy, environment, seen, step_limit=200):
        assert step.decided == (left or spent)
        values = policy.action_values(step.next_observation)
        left, spent = values.max() - values[step.action] > margin, step.remaining == 0


def test_memory_lasts_for_an_episode_and_no_longer():
    policy = trained(CountingDQN(**SMALL), "device").policy
    environment = gym.make("CartPole-v1")
    for seed in (0, 1):
        seen, _ = environment.reset(seed=seed)
        actions = [int(step.action) for step in play(policy, environment, seen)]
        assert actions[:2] == [0, 0]
        assert set(actions[2:]) == {1}
    assert play_episode(policy, environment, 0)[1] == play_episode(policy, environment, 0)[1]


@pytest.mark.parametrize("driver", ["device", "host"])
def test_an_agent_hears_of_every_episode_once(driver):
    reports: list[ProgressReport] = []
    whole = trained(CountingDQN(**SMALL), driver, reports.append)
    # What it heard before the last update: perhaps all but the end of that very step.
    heard = reports[-1].measured
    assert whole.episodes - heard["episodes"] in (0, 1)
    assert 600 - 30 - 1 <= heard["lengths"] <= 600
