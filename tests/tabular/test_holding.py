"""Costs of holding an action beside dynamic programming, and what is decided from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.direct import train_tabular
from tests.tabular.test_right_values import PITS, certain_worlds, learn, reached, rows
from tests.worlds import TableWorld, grid, limited, right_values

from temporl.agents import make_agent
from temporl.agents.options import WORTH_RATE, DecisionCost
from temporl.errors import BadInput
from temporl.randomness import Purpose, stream
from temporl.tabular.holding import hold, price
from temporl.tabular.tables import Tables, Ties

GO_OR_DODGE = [
    [[(0.85, 0, 1.0, False), (0.15, 1, 1.0, False)], [(1.0, 0, 0.0, False)]],
    [[(1.0, 1, 0.0, True)], [(1.0, 0, 0.0, False)]],
]
"""Calm, where going earns 1 and a threat comes up with a chance of .15; a threat, which going on
does not survive."""
SKIP_VALUES = [17.51, 15.14, 13.22, 11.68, 10.43, 9.42]
"""What going on for 1, 2, ... steps is worth there, with a discount of .95."""


def skip_values(agent, tables: Tables) -> np.ndarray:
    """The values of all skips, from the costs of holding."""
    lost = np.pad(np.cumsum(tables.skip_values, axis=1), [(0, 0), (1, 0)])
    return tables.action_values.reshape(-1, 1) - lost[:, np.array(agent.skip_lengths) - 1]


@settings(max_examples=25)
@given(certain_worlds())
def test_in_any_world_without_chance_costs_are_exact(outcomes):
    def make():
        return limited(TableWorld(outcomes, [1 / len(outcomes)] * len(outcomes)), 20)

    agent = make_agent("frugal-q", alpha=1.0, gamma=0.5, epsilon=1.0, max_skip=4)
    tables = learn(agent, make, steps=60_000)
    expected = right_values(make(), 0.5, agent.skip_lengths)
    assert skip_values(agent, tables) == pytest.approx(expected.skip_values, abs=1e-9)


def test_in_a_slippery_grid_costs_are_right_on_average():
    def make():
        return grid(PITS, 30, slip=0.2)

    agent = make_agent("frugal-q", alpha=0.002, gamma=0.9, epsilon=1.0, skips="1,2,4")
    tables = learn(agent, make, episodes=200_000)
    expected = right_values(make(), 0.9, agent.skip_lengths)
    taught = rows(reached(make()), 4)
    found = skip_values(agent, tables)[taught]
    assert found == pytest.approx(expected.skip_values[taught], abs=0.1)


def test_holding_on_under_a_threat_costs_what_it_should():
    """Learned with little exploration: the losses of skips of two to six steps, within 3 %."""

    def make():
        return limited(TableWorld(GO_OR_DODGE), 200)

    expected = right_values(make(), 0.95, tuple(range(1, 7))).skip_values[0]
    assert expected == pytest.approx(SKIP_VALUES, abs=0.006)
    agent = make_agent(
        "frugal-q", alpha=0.002, gamma=0.95, epsilon=0.1, max_skip=6, decision_cost=0.5
    )
    tables = learn(agent, make, steps=1_000_000)
    assert skip_values(agent, tables)[0] == pytest.approx(SKIP_VALUES, rel=0.03)
    lost = tables.skip_values[0, 0]
    assert lost == pytest.approx(SKIP_VALUES[0] - SKIP_VALUES[1], rel=0.1)


@pytest.mark.parametrize("world", ["temporl/Cliff-v0", "temporl/ZigZag-v0"])
def test_free_decisions_make_it_q_learning_bit_for_bit(world):
    from temporl.environments import EnvironmentSpec

    runs = []
    for name, options in (("q", {}), ("frugal-q", {"decision_cost": 0})):
        agent = make_agent(name, epsilon="linear", **options)
        make = EnvironmentSpec(world, {"slip": 0.1}).make
        runs.append(train_tabular(agent, make, name=world, seed=1, episodes=300))
    plain, frugal = runs
    ours, theirs = (run.policy.tables.action_values for run in runs)
    assert np.array_equal(ours, theirs)
    for column, other in zip(plain.evaluations, frugal.evaluations, strict=True):
        assert np.array_equal(column, other)


def chosen(costs, decision_cost=0.2, ties=Ties.LAST, draws=1, **options) -> list[int]:
    """The lengths that are held in a state with these costs of holding."""
    agent = make_agent("frugal-q", decision_cost=decision_cost, **options)
    tables = Tables(np.zeros((1, 1)), np.array([costs], float), np.array([0.0, 0.1, 0.0, 1.0]))
    numbers = stream(0, Purpose.EXPLORATION)
    return [hold(agent.settings(), tables, 0, int(ties), numbers) for _ in range(draws)]


@pytest.mark.parametrize(
    ("costs", "decision_cost", "length"),
    [
        ([0.1, 0.3, 0.3], 0.2, 2),
        ([0.1, 0.3, 0.1, 0.0, 0.0, 0.0], 0.2, 7),
        ([0.3, 0.3, 0.1], 0.2, 1),
        ([0.0, 0.0, 0.0], 0.2, 4),
        ([-0.1, 0.3, 0.3], 0.2, 2),
        ([0.0, 0.0, 0.0], 0, 1),
        ([0.0, 0.1, 0.0], "5%", 2),
    ],
)
def test_an_action_is_held_as_long_as_that_costs_less_than_decisions(costs, decision_cost, length):
    """Beyond a costly stretch too, if what follows pays; for 5 % of nothing, while it is free."""
    assert chosen(costs, decision_cost, max_skip=len(costs) + 1) == [length]


def test_of_lengths_that_lose_equally_little_training_plays_any():
    assert set(chosen([0.0, 0.0, 0.3], ties=Ties.RANDOM, draws=60, max_skip=4)) == {1, 2, 3}
    assert set(chosen([0.1, 0.0, 0.3], ties=Ties.RANDOM, draws=60, max_skip=4)) == {2, 3}
    assert set(chosen([0.1, 0.0, 0.3], ties=Ties.LAST, draws=9, max_skip=4)) == {3}
    assert set(chosen([0.0, 0.0, 0.0], ties=Ties.LAST, draws=9, skips="1,2,4")) == {4}


def test_a_percentage_is_of_what_a_step_earns_or_should_earn():
    agent = make_agent("frugal-q", decision_cost="10%", gamma=0.9)
    nothing = np.zeros((1, 1)), np.zeros((1, 6))
    # A reward of 2 at each step, and an end with a chance of a tenth: 1 - 0.9 * 0.9 = 0.19.
    earned = np.array([2.0, 0.19, 0.0, 1.0]) * WORTH_RATE
    assert price(agent.settings(), Tables(*nothing, earned)) == pytest.approx(0.1 * 0.1 * 2 / 0.19)
    expected = np.array([0.0, 0.1, 3.0, 1.0]) * WORTH_RATE
    assert price(agent.settings(), Tables(*nothing, expected)) == pytest.approx(0.3)
    unknown = make_agent("frugal-q", decision_cost=0.7)
    assert price(unknown.settings(), Tables(*nothing, np.zeros(4))) == 0.7


@pytest.mark.parametrize("given", [-1, "-5%", "much", "%", float("nan"), float("inf")])
def test_what_is_no_price_is_refused_by_name(given):
    with pytest.raises(BadInput, match="decision_cost"):
        DecisionCost.read(given)
