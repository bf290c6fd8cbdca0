"""The compiled loop gives the same tables and evaluations as plain Python, bit for bit."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agreement import oracle
from tests.direct import train_tabular
from tests.worlds import grid

from temporl.agents import make_agent
from temporl.training.outcome import Trained

ZIGZAG = "S.XX......\n..XX......\n..XX..XX..\n..XX..XX..\n......XX..\n......XX.G"


def assert_identical(trained: Trained, expected: oracle.Outcome) -> None:
    tables = trained.policy.tables
    assert tables.action_values.tolist() == expected.action_values
    assert tables.skip_values.tolist() == expected.skip_values
    columns = [column.tolist() for column in trained.evaluations]
    assert list(zip(*columns, strict=True)) == [tuple(row) for row in expected.evaluations]
    assert trained.steps == expected.steps


def compare(name, options, make, step_limit, **run) -> Trained:
    agent = make_agent(name, **options)
    trained = train_tabular(agent, make, name="world", **run)
    assert_identical(trained, oracle.train(name, agent, make(), step_limit=step_limit, **run))
    return trained


CASES = {
    "q": ("q", {}),
    "q, linear": ("q", {"epsilon": "linear"}),
    "q, log": ("q", {"epsilon": "log"}),
    "q, first of tied actions": ("q", {"action_ties": "first"}),
    "q, greedy": ("q", {"epsilon": 0.0}),
    "q, quick": ("q", {"alpha": 1.0, "gamma": 0.5}),
    "t-q": ("t-q", {}),
    "t-q, within skips": ("t-q", {"connections": "skip"}),
    "t-q, promised": ("t-q", {"connections": "skip", "padding": "committed"}),
    "t-q, promised, across skips": ("t-q", {"padding": "committed", "skips": (1, 3, 9)}),
    "t-q, linear": ("t-q", {"epsilon": "linear"}),
    "t-q, log, within skips": ("t-q", {"epsilon": "log", "connections": "skip"}),
    "t-q, log with ends": ("t-q", {"epsilon": "log:0.5:0.001"}),
    "t-q, skips of one": ("t-q", {"max_skip": 1}),
    "t-q, powers of two": ("t-q", {"skips": "powers-of-two", "max_skip": 16}),
    "t-q, 1,3,9": ("t-q", {"skips": "1,3,9"}),
    "t-q, 1,3,9 within skips": ("t-q", {"skips": (1, 3, 9), "connections": "skip"}),
    "t-q, skips explored more": ("t-q", {"epsilon": 0.05, "skip_epsilon": "linear:1:0.2"}),
    "t-q, skips never explored": ("t-q", {"skip_epsilon": 0.0}),
    "t-q, longest in training": ("t-q", {"skip_ties": "longest"}),
    "t-q, shortest always": ("t-q", {"skip_ties": "shortest", "greedy_skip_ties": "shortest"}),
    "t-q, random when greedy": ("t-q", {"greedy_skip_ties": "random"}),
    "t-q, tolerance": ("t-q", {"tie_tolerance": 0.05}),
    "ez-q": ("ez-q", {}),
    "ez-q, linear": ("ez-q", {"epsilon": "linear"}),
    "ez-q, long repeats": ("ez-q", {"epsilon": 0.5, "mu": 1.2}),
    "ez-q, short repeats": ("ez-q", {"epsilon": 0.5, "mu": 1.5, "max_repeat": 3}),
}


@pytest.mark.parametrize(
    ("name", "options", "slip"),
    [
        *(pytest.param(*case, 0.3, id=f"{title}, slippery") for title, case in CASES.items()),
        *(pytest.param(name, {}, 0.0, id=f"{name}, certain") for name in ("q", "t-q", "ez-q")),
    ],
)
def test_zigzag_agrees_with_the_oracle(name, options, slip):
    trained = compare(name, options, lambda: grid(ZIGZAG, slip=slip), 100, seed=3, episodes=80)
    assert np.any(trained.policy.tables.action_values != 0.0)


@pytest.mark.parametrize("name", ["q", "t-q", "ez-q"])
@pytest.mark.parametrize("world", ["FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"])
def test_gymnasium_worlds_agree_with_the_oracle(name, world):
    def make() -> gym.Env:
        return gym.make(world, max_episode_steps=40)

    compare(name, {"epsilon": "linear"}, make, 40, seed=1, episodes=60)


@pytest.mark.parametrize("name", ["q", "t-q", "ez-q"])
@pytest.mark.parametrize("steps", [1, 99, 1000])
def test_step_budgets_are_spent_exactly(name, steps):
    trained = compare(name, {"epsilon": "log"}, lambda: grid(ZIGZAG), 100, seed=0, steps=steps)
    assert trained.steps == steps


cells = st.sampled_from("..SXG#")
maps = (
    st.tuples(st.integers(1, 4), st.integers(2, 6))
    .flatmap(
        lambda shape: st.lists(
            st.text(cells, min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )
    .map(lambda rows: "\n".join(["S" + rows[0][1:-1] + "G", *rows[1:]]))
)
schedules = st.one_of(
    st.floats(0.0, 1.0),
    st.sampled_from(["linear", "log", "linear:0.9:0.1", "log:0.5:0.01"]),
)
common = {
    "alpha": st.floats(0.01, 1.0),
    "gamma": st.floats(0.0, 1.0),
    "epsilon": schedules,
    "action_ties": st.sampled_from(["random", "first"]),
}
skip_ties = st.sampled_from(["random", "shortest", "longest"])
skips = st.one_of(
    st.fixed_dictionaries(
        {"skips": st.sampled_from(["all", "powers-of-two"]), "max_skip": st.integers(1, 12)}
    ),
    st.fixed_dictionaries(
        {"skips": st.sets(st.integers(2, 20), max_size=4).map(lambda s: (1, *sorted(s)))}
    ),
)
agents = st.one_of(
    st.tuples(st.just("q"), st.fixed_dictionaries(common)),
    st.tuples(
        st.just("ez-q"),
        st.fixed_dictionaries(
            common | {"mu": st.floats(1.05, 4.0), "max_repeat": st.integers(1, 200)}
        ),
    ),
    st.tuples(
        st.just("t-q"),
        st.builds(
            lambda chosen, rest: chosen | rest,
            skips,
            st.fixed_dictionaries(
                common
                | {
                    "connections": st.sampled_from(["run", "skip"]),
                    "padding": st.sampled_from(["all", "committed"]),
                    "skip_epsilon": st.none() | schedules,
                    "skip_ties": skip_ties,
                    "greedy_skip_ties": skip_ties,
                    "tie_tolerance": st.sampled_from([0.0, 0.01, 0.5]),
                }
            ),
        ),
    ),
)
budgets = st.one_of(
    st.fixed_dictionaries({"episodes": st.integers(1, 15)}),
    st.fixed_dictionaries({"steps": st.integers(1, 150)}),
)


@given(
    agents,
    maps,
    st.sampled_from([0.0, 0.2, 1.0]),
    st.integers(1, 25),
    budgets,
    st.integers(0, 3),
    st.integers(0, 2**32),
)
def test_any_agent_in_any_grid_agrees_with_the_oracle(
    agent, text, slip, step_limit, budget, evaluate_every, seed
):
    name, options = agent
    compare(
        name,
        options,
        lambda: grid(text, step_limit, slip=slip),
        step_limit,
        seed=seed,
        evaluate_every=evaluate_every,
        **budget,
    )
