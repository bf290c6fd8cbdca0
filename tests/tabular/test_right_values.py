"""With enough exploration both Q-functions become what dynamic programming says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.direct import train_tabular
from tests.worlds import TableWorld, grid, limited, right_values

from temporl.agents import make_agent

PITS = "SSXSG\nSSXSS\nSSSSX\nX#SSS"
CHAIN = [
    [[(1.0, max(s - 1, 0), 0.0, False)], [(1.0, s + 1, float(s == 3), s == 3)]] for s in range(4)
]
CHAIN += [[[(1.0, 4, 0.0, True)]] * 2]


def learn(agent, make, **run):
    return train_tabular(agent, make, name="world", seed=0, evaluate_every=0, **run).policy.tables


def reached(environment) -> list[int]:
    """States that are acted in: not walls, and not those in which episodes end."""
    return np.flatnonzero(environment.unwrapped.initial_state_distrib).tolist()


def rows(states, actions: int):
    return [state * actions + action for state in states for action in range(actions)]


@pytest.mark.parametrize("name", ["q", "t-q", "ez-q"])
def test_a_chain_is_learned_exactly(name):
    """Five states in a row; the last step right earns 1, so k steps before it is worth g**k."""

    def make():
        return limited(TableWorld(CHAIN, [0.25] * 4 + [0.0]), 10)

    agent = make_agent(name, alpha=1.0, gamma=0.5, epsilon=1.0)
    tables = learn(agent, make, episodes=2000)
    assert tables.action_values[:4].tolist() == [
        [0.0625, 0.125],
        [0.0625, 0.25],
        [0.125, 0.5],
        [0.25, 1.0],
    ]
    if name == "t-q":
        # Right for j steps from state 0: three steps short of the end, bootstrapped, then at it.
        assert tables.skip_values[1].tolist() == [0.125] * 7
        # Left from state 0 stays there, j steps later.
        assert tables.skip_values[0].tolist() == [0.125 * 0.5**j for j in range(1, 8)]


@pytest.mark.parametrize("connections", ["run", "skip"])
@pytest.mark.parametrize("skips", ["1,2,3,4,5,6,7", "1,2,4,8", "1,3,9"])
def test_a_grid_with_pits_is_learned_exactly(connections, skips):
    def make():
        return grid(PITS, 30)

    agent = make_agent(
        "t-q", alpha=1.0, gamma=0.9, epsilon=1.0, skips=skips, connections=connections
    )
    tables = learn(agent, make, episodes=30_000)
    expected = right_values(make(), 0.9, agent.skip_lengths)
    states = reached(make())
    assert tables.action_values[states] == pytest.approx(expected.action_values[states])
    taught = rows(states, 4)
    assert tables.skip_values[taught] == pytest.approx(expected.skip_values[taught])


@pytest.mark.parametrize("name", ["q", "t-q", "ez-q"])
def test_slippery_grids_are_learned_on_average(name):
    def make():
        return grid(PITS, 30, slip=0.2)

    agent = make_agent(name, alpha=0.002, gamma=0.9, epsilon=1.0)
    tables = learn(agent, make, episodes=200_000)
    states = reached(make())
    expected = right_values(make(), 0.9)
    assert tables.action_values[states] == pytest.approx(expected.action_values[states], abs=0.08)


def test_promised_skips_are_learned_fairly_where_chance_ends_episodes():
    """One state, +1 a step and an end with probability 0.2: playing on for ever is worth 1/0.28.

    A skip of j steps is worth the same, because there is only one action. If an end taught all
    longer skips, they would be valued far too low.
    """
    outcomes = [[[(0.8, 0, 1.0, False), (0.2, 0, 1.0, True)]]]

    def make():
        return limited(TableWorld(outcomes, [1.0]), 50)

    fair, unfair = (
        learn(
            make_agent(
                "t-q",
                alpha=0.001,
                gamma=0.9,
                epsilon=1.0,
                max_skip=5,
                connections="skip",
                padding=padding,
            ),
            make,
            steps=300_000,
        ).skip_values[0]
        for padding in ("committed", "all")
    )
    assert fair == pytest.approx([1 / 0.28] * 5, abs=0.25)
    assert unfair[4] < 1 / 0.28 - 1.0


def test_promised_skips_in_a_slippery_grid_are_learned_on_average():
    def make():
        return grid(PITS, 30, slip=0.2)

    agent = make_agent(
        "t-q",
        alpha=0.002,
        gamma=0.9,
        epsilon=1.0,
        max_skip=4,
        connections="skip",
        padding="committed",
    )
    tables = learn(agent, make, episodes=200_000)
    expected = right_values(make(), 0.9, agent.skip_lengths)
    taught = rows(reached(make()), 4)
    assert tables.skip_values[taught] == pytest.approx(expected.skip_values[taught], abs=0.1)


@st.composite
def certain_worlds(draw):
    """A random world without chance, in which every state is a start and some moves end."""
    states, actions = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    return [
        [
            [
                (
                    1.0,
                    draw(st.integers(0, states - 1)),
                    float(draw(st.integers(-2, 2))),
                    draw(st.sampled_from([False, False, True])),
                )
            ]
            for _ in range(actions)
        ]
        for _ in range(states)
    ]


@settings(max_examples=25)
@given(
    certain_worlds(),
    st.sampled_from(["run", "skip"]),
    st.sampled_from(["all", "1,2,5"]),
    st.sampled_from(["all", "committed"]),
)
def test_any_world_without_chance_is_learned_exactly(outcomes, connections, skips, padding):
    def make():
        return limited(TableWorld(outcomes, [1 / len(outcomes)] * len(outcomes)), 20)

    longest = {} if skips != "all" else {"max_skip": 4}
    agent = make_agent(
        "t-q",
        alpha=1.0,
        gamma=0.5,
        epsilon=1.0,
        skips=skips,
        connections=connections,
        padding=padding,
        **longest,
    )
    tables = learn(agent, make, steps=60_000)
    expected = right_values(make(), 0.5, agent.skip_lengths)
    assert tables.action_values == pytest.approx(expected.action_values, abs=1e-9)
    assert tables.skip_values == pytest.approx(expected.skip_values, abs=1e-9)


@pytest.mark.parametrize("connections", ["run", "skip"])
def test_worlds_of_chance_without_an_end_are_learned_on_average(connections):
    generator = np.random.default_rng(0)
    states, actions = 4, 2
    outcomes = [
        [
            [
                (float(p), int(s), float(generator.integers(-2, 3)), False)
                for p, s in zip(
                    generator.dirichlet([1, 1]), generator.integers(0, 4, 2), strict=True
                )
            ]
            for _ in range(actions)
        ]
        for _ in range(states)
    ]

    def make():
        return limited(TableWorld(outcomes, [0.25] * 4), 20)

    agent = make_agent(
        "t-q", alpha=0.005, gamma=0.7, epsilon=1.0, max_skip=4, connections=connections
    )
    tables = learn(agent, make, steps=600_000)
    expected = right_values(make(), 0.7, agent.skip_lengths)
    assert tables.action_values == pytest.approx(expected.action_values, abs=0.2)
    assert tables.skip_values == pytest.approx(expected.skip_values, abs=0.2)


def test_epsilon_one_explores_the_skips_of_every_action():
    """Every pair of action and skip was tried: no row of either table is left at zero."""
    agent = make_agent("t-q", alpha=1.0, gamma=0.9, epsilon=1.0)
    tables = learn(agent, lambda: grid(PITS, 30), episodes=3000)
    states = reached(grid(PITS))
    assert np.all(tables.action_values[states] != 0)
    assert np.all(tables.skip_values[rows(states, 4)] != 0)
