from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Discrete
from tests.worlds import TableWorld

import temporl  # noqa: F401 (registers the gridworlds)
from temporl.environments import GridWorld, transition_table


class Renamed(gym.Wrapper):
    """A wrapper the library knows nothing about."""


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: gym.wrappers.TransformReward(env, lambda reward: 2 * reward),
        lambda env: gym.wrappers.TransformObservation(env, lambda o: 59 - o, Discrete(60)),
        lambda env: gym.wrappers.TimeLimit(Renamed(env), 10),
        Renamed,
    ],
)
def test_a_wrapper_that_may_change_anything_hides_the_table(wrap):
    assert transition_table(wrap(gym.make("temporl/Cliff-v0"))) is None


def test_a_subclass_of_a_known_wrapper_hides_the_table():
    class Mine(gym.wrappers.TimeLimit):
        def step(self, action):
            observation, reward, *rest = super().step(action)
            return observation, 2 * reward, *rest

    assert transition_table(Mine(gym.make("temporl/Cliff-v0"), 10)) is None


@pytest.mark.parametrize("world", ["CartPole-v1", "Blackjack-v1"])
def test_environments_without_a_table_have_none(world):
    assert transition_table(gym.make(world)) is None


def test_limits_and_checks_leave_the_table_visible():
    environment = gym.wrappers.TimeLimit(gym.make("temporl/Cliff-v0"), 10)
    assert transition_table(environment) is not None


@pytest.mark.parametrize(
    "spaces",
    [
        (Discrete(2, start=1), Discrete(1)),
        (Discrete(2), Discrete(1, start=1)),
        (gym.spaces.MultiBinary(1), Discrete(1)),
    ],
)
def test_spaces_that_are_not_row_numbers_hide_the_table(spaces):
    world = TableWorld([[[(1.0, 1, 0.0, True)]], [[(1.0, 1, 0.0, True)]]])
    world.observation_space, world.action_space = spaces
    assert transition_table(world) is None


def test_a_table_by_hand():
    """From 0: stay with 1/4, earn 2 and go to 1 with 3/4. From 1: always over, with -1."""
    world = TableWorld(
        [[[(0.25, 0, 0.0, False), (0.75, 1, 2.0, False)]], [[(1.0, 1, -1.0, True)]]], [0.4, 0.6]
    )
    table = transition_table(world)
    assert table.next_state[0, 0].tolist() == [0, 1]
    assert table.reward[0, 0].tolist() == [0.0, 2.0]
    assert table.cumulative[0, 0].tolist() == [0.25, 1.0]
    assert (table.next_state[1, 0, 0], table.reward[1, 0, 0]) == (1, -1.0)
    assert table.terminated[:, 0, 0].tolist() == [False, True]
    assert table.cumulative[1, 0, 0] == 1.0
    assert table.starts.tolist() == [0, 1]
    assert table.start_cumulative.tolist() == [0.4, 1.0]


def test_running_probabilities_end_with_exactly_one():
    """Ten times 0.1 does not sum to 1 in floating point, and a draw above the sum needs a home."""
    tenths = [(0.1, 0, 0.0, False)] * 10
    table = transition_table(TableWorld([[tenths]] * 10, [0.1] * 10))
    assert np.cumsum([0.1] * 10)[-1] < 1.0
    assert np.all(table.cumulative[:, 0, -1] == 1.0)
    assert table.start_cumulative[-1] == 1.0


def test_deterministic_worlds_have_one_outcome():
    assert transition_table(GridWorld("S.G")).next_state.shape == (3, 4, 1)
    slippery = transition_table(GridWorld("S.G", slip=0.1))
    assert slippery.next_state.shape == (3, 4, 3)
    assert np.all(slippery.cumulative[:, :, -1] == 1.0)
