"""Environments whose actions last."""

from __future__ import annotations

import warnings
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

import temporl
from temporl.skipping import connections, consecutive
from temporl.wrappers import CommittedActions, VectorCommittedActions

SKIPS = (1, 2, 4, 8)


@pytest.mark.parametrize(
    "name", ["temporl/ZigZag-v0", "Acrobot-v1", "Pendulum-v1", "MountainCarContinuous-v0"]
)
def test_gymnasium_finds_nothing_wrong(name):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        warnings.filterwarnings("ignore", message=".*recommend using a symmetric and normalized")
        warnings.filterwarnings("ignore", message=".*Not able to test alternative render modes.*")
        check_env(CommittedActions(gym.make(name).unwrapped, SKIPS), skip_render_check=True)


def test_it_can_be_made_again_from_its_specification():
    made = CommittedActions(gym.make("CartPole-v1"), SKIPS, gamma=0.5)
    again = gym.make(made.spec)
    assert isinstance(again, CommittedActions)
    assert (again.skips, again.gamma) == (SKIPS, 0.5)


def test_a_decision_is_played_to_its_end_with_the_discounted_reward():
    gamma = 0.9
    env = CommittedActions(gym.make("MountainCar-v0"), SKIPS, gamma)
    plain = gym.make("MountainCar-v0")
    before, _ = env.reset(seed=3)
    plain.reset(seed=3)
    observation, reward, terminated, truncated, info = env.step((2, 3))
    played = [plain.step(2) for _ in range(4)]
    assert np.array_equal(observation, played[-1][0])
    assert reward == pytest.approx(-(1 + gamma + gamma**2 + gamma**3))
    assert (terminated, truncated) == (False, False)
    assert info["steps_played"] == 4
    assert info["discount"] == pytest.approx(gamma**4)
    steps = info["intermediate"]
    assert np.array_equal(steps[0].observation, before)
    assert [step.decided for step in steps] == [True, False, False, False]
    assert [step.remaining for step in steps] == [3, 2, 1, 0]
    revealed = list(connections(steps, consecutive(4), gamma))
    assert len(revealed) == 4 * 5 // 2
    assert revealed[-1].reward == pytest.approx(reward)


def test_the_end_of_an_episode_cuts_it_short():
    env = CommittedActions(gym.make("temporl/Cliff-v0"), SKIPS, gamma=0.9)
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step((1, 4))  # right, into the pit after two steps
    assert (terminated, truncated) == (True, False)
    assert info["steps_played"] == 2
    assert info["discount"] == 0.0
    assert reward == pytest.approx(-0.9)


def test_a_time_limit_still_bootstraps():
    env = CommittedActions(gym.make("MountainCar-v0", max_episode_steps=3), SKIPS, gamma=0.9)
    env.reset(seed=0)
    _, _, terminated, truncated, info = env.step((1, 4))
    assert (terminated, truncated) == (False, True)
    assert info["discount"] == pytest.approx(0.9**3)


@pytest.mark.parametrize("skips", [(2, 4), (), (1, 1), (1, 2.5)])
def test_skips_that_are_none_are_refused(skips):
    with pytest.raises(temporl.BadInput, match="skips"):
        CommittedActions(gym.make("CartPole-v1"), skips)


def test_every_environment_of_a_vector_can_be_wrapped_by_itself():
    wrap = partial(CommittedActions, skips=SKIPS)
    vector = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync", wrappers=[wrap])
    vector.reset(seed=0)
    actions = vector.action_space.sample()
    _, rewards, _, _, info = vector.step(actions)
    played = info["steps_played"]
    lengths = np.asarray(SKIPS)[np.asarray(actions[1]) - 1]
    assert (played <= lengths).all()
    expected = [sum(0.99**k for k in range(steps)) for steps in played]
    assert rewards == pytest.approx(expected)
    vector.close()


def singles(seeds):
    return [CommittedActions(gym.make("CartPole-v1", max_episode_steps=9), SKIPS) for _ in seeds]


@given(data=st.data())
def test_rows_of_a_vector_are_what_single_environments_give(data):
    """Each row, taken at the moments it is free, tells the same story as an environment alone."""
    seeds = [5, 6, 7]
    vector = VectorCommittedActions(
        gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync", max_episode_steps=9),
        SKIPS,
    )
    alone = singles(seeds)
    observations, info = vector.reset(seed=seeds)
    for row, (env, seed) in enumerate(zip(alone, seeds, strict=True)):
        assert np.array_equal(env.reset(seed=seed)[0], observations[row])
    free, over = info["free"], np.zeros(3, dtype=bool)
    decisions = [(0, 1)] * 3
    for _ in range(12):
        for row in np.flatnonzero(free):
            decisions[row] = (data.draw(st.integers(0, 1)), data.draw(st.integers(1, len(SKIPS))))
        actions = tuple(np.array(part) for part in zip(*decisions, strict=True))
        observations, rewards, terminated, truncated, info = vector.step(actions)
        free = info["free"]
        assert free.any()
        for row in np.flatnonzero(free):
            if over[row]:  # the step that resets it
                assert info["steps_played"][row] == 0
                expected = (alone[row].reset()[0], 0.0, False, False)
            else:
                *expected, known = alone[row].step(decisions[row])
                assert info["steps_played"][row] == known["steps_played"]
                assert info["discount"][row] == pytest.approx(known["discount"])
            assert np.allclose(observations[row], expected[0])
            assert rewards[row] == pytest.approx(expected[1])
            assert (terminated[row], truncated[row]) == tuple(expected[2:])
            over[row] = terminated[row] or truncated[row]
    vector.close()


def test_a_vector_without_resets_is_refused():
    mode = gym.vector.AutoresetMode.DISABLED
    vector = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1")], autoreset_mode=mode)
    with pytest.raises(temporl.BadInput, match="reset"):
        VectorCommittedActions(vector, SKIPS)
