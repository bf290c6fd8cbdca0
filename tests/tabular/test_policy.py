from __future__ import annotations

import numpy as np
import pytest
from gymnasium.spaces import Discrete, Tuple

from temporl.agents import make_agent
from temporl.environments import enumerate_space
from temporl.errors import BadInput
from temporl.tabular.policy import TabularPolicy
from temporl.tabular.tables import Tables


def policy(name: str, action_values, skip_values=(), **options) -> TabularPolicy:
    agent = make_agent(name, **options)
    skips = len(agent.skip_lengths)
    return TabularPolicy(
        agent,
        Tables(np.array(action_values, float), np.array(skip_values, float).reshape(-1, skips)),
        enumerate_space(Discrete(len(action_values), start=10), "observation", "test"),
        enumerate_space(Discrete(len(action_values[0]), start=5), "action", "test"),
    )


TWO_STATES = {
    "action_values": [[0.0, 1.0], [2.0, 0.0]],
    "skip_values": [[1, 2], [3, 4], [6, 5], [7, 8]],
}


def test_decisions_and_values_by_hand():
    tempo = policy("t-q", **TWO_STATES, max_skip=2)
    assert tempo.decide(10) == (6, 2)
    assert tempo.decide(11) == (5, 1)
    assert tempo.action_values(11).tolist() == [2.0, 0.0]
    assert tempo.skip_values(10) == {1: 3.0, 2: 4.0}
    assert tempo.skip_values(10, action=5) == {1: 1.0, 2: 2.0}


def test_skips_are_named_by_their_length():
    tempo = policy("t-q", [[0.0]], [[1, 2, 3]], skips="1,3,9")
    assert tempo.skip_values(10) == {1: 1.0, 3: 2.0, 9: 3.0}
    assert tempo.decide(10).skip == 9


@pytest.mark.parametrize("name", ["q", "ez-q"])
def test_without_a_skip_policy_the_only_skip_has_the_value_of_the_best_action(name):
    vanilla = policy(name, [[0.5, 2.0]])
    assert vanilla.decide(10) == (6, 1)
    assert vanilla.skip_values(10) == {1: 2.0}


def test_values_are_copies():
    tempo = policy("t-q", **TWO_STATES, max_skip=2)
    tempo.action_values(10)[:] = 99.0
    assert tempo.action_values(10).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("observation", [0, 9, 12, -1, "left", 10.5, None])
def test_an_observation_from_elsewhere_is_refused(observation):
    with pytest.raises(BadInput, match="observation"):
        policy("q", [[0.0, 1.0], [0.0, 1.0]]).decide(observation)


def test_two_equal_policies_break_ties_alike():
    one, other = (policy("q", [[0.0] * 4]) for _ in range(2))
    assert [one.decide(10) for _ in range(20)] == [other.decide(10) for _ in range(20)]


def test_tuples_are_observations_too():
    agent = make_agent("q")
    seen = Tuple((Discrete(2), Discrete(3)))
    vanilla = TabularPolicy(
        agent,
        Tables(np.eye(6), np.zeros((0, 1))),
        enumerate_space(seen, "observation", "test"),
        enumerate_space(Discrete(6), "action", "test"),
    )
    assert vanilla.decide((1, 2)).action == 5
    assert vanilla.decide((0, 1)).action == 1
