"""Training through Gymnasium's steps gives the same run as the compiled loop, bit for bit."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agreement import oracle
from tests.agreement.test_compiled_equals_oracle import agents, budgets, maps
from tests.direct import train_tabular
from tests.worlds import grid, limited

import temporl
from temporl.agents import make_agent
from temporl.environments import GridWorld
from temporl.randomness import Purpose
from temporl.training.outcome import Trained


def assert_same(one: Trained, other: Trained) -> None:
    for first, second in zip(one.policy.tables, other.policy.tables, strict=True):
        assert np.array_equal(first, second)
    for first, second in zip(one.evaluations, other.evaluations, strict=True):
        assert np.array_equal(first, second)
    assert (one.episodes, one.steps) == (other.episodes, other.steps)


class UnbrokenGridWorld(GridWorld):
    """A gridworld whose resets go on with the same random stream, as the compiled loop does."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=None)


def unbroken(text: str, step_limit: int, slip: float, seed: int):
    """A function that makes first the training environment and then the one for evaluation."""
    purposes = iter((Purpose.ENVIRONMENT, Purpose.EVALUATION_ENVIRONMENT))

    def make() -> gym.Env:
        world = UnbrokenGridWorld(text, slip=slip)
        world.np_random = oracle.Stream(seed, next(purposes))
        return limited(world, step_limit)

    return make


@pytest.mark.parametrize("name", ["q", "t-q", "ez-q"])
@pytest.mark.parametrize("world", ["temporl/ZigZag-v0", "temporl/Cliff-v0"])
def test_paper_worlds(name, world):
    def run(prefer_stepping: bool) -> Trained:
        return train_tabular(
            make_agent(name, epsilon="linear"),
            temporl.EnvironmentSpec(world).make,
            name=world,
            seed=5,
            episodes=60,
            prefer_stepping=prefer_stepping,
        )

    assert_same(run(False), run(True))


@settings(max_examples=25)
@given(
    agents,
    maps,
    st.sampled_from([0.0, 0.3, 1.0]),
    st.integers(1, 15),
    budgets,
    st.integers(0, 2),
    st.integers(0, 1000),
)
def test_any_grid_when_both_draw_the_same_numbers(
    agent, text, slip, step_limit, budget, evaluate_every, seed
):
    name, options = agent
    run = {"name": "grid", "seed": seed, "evaluate_every": evaluate_every} | budget
    made = make_agent(name, **options)
    compiled = train_tabular(made, lambda: grid(text, step_limit, slip=slip), **run)
    stepped = train_tabular(
        made, unbroken(text, step_limit, slip, seed), prefer_stepping=True, **run
    )
    assert_same(compiled, stepped)
