"""A price for every agent that chooses lengths: paid where a decision is made, in training."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from tests.direct import train_deep, train_tabular
from tests.worlds import TableWorld, limited

from temporl.agents import agent_options, make_agent
from temporl.environments import EnvironmentSpec
from temporl.wrappers import CommittedActions

CORRIDOR = [[[(1.0, state + 1, 1.0, state == 5)]] for state in range(6)] + [[[(1.0, 6, 0.0, True)]]]
"""Six steps to the end, each earns 1; there is only one action."""
PRICE = 0.25


def corridor():
    return limited(TableWorld(CORRIDOR), 10)


def test_tables_pay_once_for_every_skip():
    agent = make_agent("t-q", alpha=1.0, gamma=1.0, epsilon=1.0, max_skip=3, decision_cost=PRICE)
    tables = train_tabular(
        agent, corridor, name="corridor", seed=0, episodes=500, evaluate_every=0
    ).policy.tables
    # The behaviour decides at every step; a skip of j saves j - 1 of its decisions.
    steps_left = np.arange(6, 0, -1)
    worth = steps_left * (1 - PRICE)
    assert tables.action_values[:6, 0] == pytest.approx(worth)
    for state in range(3):
        saved = worth[state] + PRICE * np.arange(3)
        assert tables.skip_values[state] == pytest.approx(saved)


@pytest.mark.parametrize("name", ["t-dqn", "dar", "ez-dqn"])
def test_networks_learn_from_priced_rewards(name):
    """Only one action and one reward: what is learned differs by what decisions cost."""
    options = {"hidden": (8,), "batch_size": 16, "gamma": 0.0, "learning_rate": 0.01}
    if name == "t-dqn":
        options |= {"max_skip": 2}
    spec = EnvironmentSpec("corridor", {}, 10)
    run = {"driver": "host", "seed": 0, "steps": 1200, "evaluate_every": 0, "make": corridor}
    values = []
    for cost in (0.0, PRICE):
        policy = train_deep(make_agent(name, **options, decision_cost=cost), spec, **run).policy
        assert policy.price == cost
        values.append(policy.action_values(0)[0])
    assert values == pytest.approx([1.0, 1.0 - PRICE], abs=0.05)


def test_folders_keep_their_names_where_decisions_are_free():
    for name in ("t-q", "t-dqn", "dar", "figar", "ez-dqn", "ez-q"):
        assert "decision_cost" not in agent_options(make_agent(name))
        assert agent_options(make_agent(name, decision_cost=0.5))["decision_cost"] == 0.5
    assert agent_options(make_agent("frugal-dqn", decision_cost=0))["decision_cost"] == 0
    assert agent_options(make_agent("frugal-dqn"))["decision_cost"] == "5%"


def test_a_wrapped_environment_charges_for_every_decision():
    env = CommittedActions(gym.make("CartPole-v1"), (1, 3), gamma=0.5, decision_cost=0.4)
    env.reset(seed=0)
    assert env.step((0, 1))[1] == pytest.approx(1 - 0.4)
    assert env.step((1, 2))[1] == pytest.approx(1 + 0.5 + 0.25 - 0.4)
