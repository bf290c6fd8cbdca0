"""A transition table does what stepping its environment does."""

from __future__ import annotations

import gymnasium as gym
import pytest
from tests.agreement import oracle

import temporl  # noqa: F401 (registers the gridworlds)
from temporl.environments import GridWorld, transition_table
from temporl.environments.transitions import draw_start, step
from temporl.randomness import Purpose, Stream, stream


def drawn(seed: int) -> Stream:
    """A stream for the table; `oracle.Stream` draws the same numbers for the environment."""
    return stream(seed, Purpose.ENVIRONMENT)


@pytest.mark.parametrize(
    ("world", "repeats"), [("FrozenLake-v1", 30), ("Taxi-v4", 1), ("CliffWalking-v1", 1)]
)
def test_gymnasium_worlds_step_as_their_table_says(world, repeats):
    environment = gym.make(world)
    table = transition_table(environment)
    inner = environment.unwrapped
    environment.reset(seed=0)
    for state in range(inner.observation_space.n):
        for action in range(inner.action_space.n):
            for repeat in range(repeats):
                inner.s = state
                inner.np_random = oracle.Stream(repeat, Purpose.ENVIRONMENT)
                following, reward, terminated, _, _ = inner.step(action)
                expected = (following, reward, terminated)
                assert step(table, state, action, drawn(repeat)) == expected


def test_a_slippery_lake_goes_everywhere_its_table_says():
    """Thirty repeats suffice to see all three outcomes, so the test above meets each of them."""
    table = transition_table(gym.make("FrozenLake-v1"))
    seen = {step(table, 6, 2, drawn(seed))[0] for seed in range(30)}
    assert seen == {2, 7, 10}


@pytest.mark.parametrize("slip", [0.0, 0.25, 1.0])
def test_gridworlds_step_as_their_table_says(slip):
    world = GridWorld("S.X\n.#.\n..G", slip=slip)
    table = transition_table(world)
    for state in range(9):
        for action in range(4):
            for seed in range(30):
                world.reset(seed=0)
                world._state = state
                world.np_random = oracle.Stream(seed, Purpose.ENVIRONMENT)
                following, reward, terminated, truncated, _ = world.step(action)
                assert not truncated
                assert step(table, state, action, drawn(seed)) == (
                    following,
                    reward,
                    terminated,
                )
                assert any(
                    (following, reward, terminated) == tuple(outcome[1:])
                    for outcome in world.P[state][action]
                    if outcome[0] > 0
                )


def test_starts_are_drawn_as_the_gridworld_draws_them():
    world = GridWorld("S.S\n.S.\nS.G")
    table = transition_table(world)
    seen = []
    for seed in range(200):
        world.np_random = oracle.Stream(seed, Purpose.ENVIRONMENT)
        state, _ = world.reset()
        assert draw_start(table, drawn(seed)) == state
        seen.append(state)
    assert set(seen) == {0, 2, 4, 6}


def test_starts_follow_their_probabilities():
    table = transition_table(gym.make("Taxi-v4"))
    lake = transition_table(gym.make("FrozenLake-v1"))
    assert len(table.starts) == 300
    assert table.start_cumulative[149] == pytest.approx(0.5)
    assert lake.starts.tolist() == [0]
