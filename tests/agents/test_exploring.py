"""What agents play in training: how often they explore, and what they reach when they do."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.agents.small import PLANE, SMALL, decisions, drawn, greedy, small

from temporl.randomness import zeta_cumulative

EVERY_AGENT = pytest.mark.parametrize("name", SMALL)


def pairs(agent, **options):
    return Counter(map(tuple, decisions(agent, **options).tolist()))


def assert_even(counts, choices, total):
    """All choices were made, none more often than chance has it (five standard deviations)."""
    assert set(counts) == set(choices)
    spread = 5 * np.sqrt(total / len(counts))
    assert all(abs(count - total / len(counts)) < spread for count in counts.values())


@pytest.mark.parametrize("architecture", ["concat", "context", "shared"])
def test_tempo_dqn_reaches_every_action_and_skip(architecture):
    agent = small(f"t-dqn-{architecture}", epsilon=1.0)
    every_pair = {(action, skip) for action in range(3) for skip in range(1, 6)}
    assert_even(pairs(agent), every_pair, 6000)


def test_tempo_dqn_explores_actions_and_skips_apart():
    """Where only the skip policy explores, the action stays; where only the behaviour does, not."""
    agent = small("t-dqn-concat", epsilon=0.0, skip_epsilon=1.0)
    action = greedy(agent)[0]
    assert_even(pairs(agent), {(action, skip) for skip in range(1, 6)}, 6000)
    agent = small("t-dqn-concat", epsilon=1.0, skip_epsilon=0.0)
    assert {action for action, _ in pairs(agent)} == {0, 1, 2}
    assert len(pairs(agent)) == 3


def test_dar_reaches_every_pair_of_an_action_and_a_repeat():
    assert_even(
        pairs(small("dar", epsilon=1.0, fine_skip=2, max_skip=7)),
        {(action, skip) for action in range(3) for skip in (2, 7)},
        6000,
    )


def test_dqn_reaches_every_action_for_one_step():
    assert_even(pairs(small("dqn", epsilon=1.0)), {(action, 1) for action in range(3)}, 6000)


@pytest.mark.parametrize("mu", [2.0, 1.2])
def test_exploratory_repeats_of_ez_dqn_follow_the_zeta_distribution(mu):
    count = 20_000
    made = decisions(small("ez-dqn", epsilon=1.0, mu=mu, max_repeat=200), count=count)
    cumulative = zeta_cumulative(mu, 200)
    weights = np.array([n**-mu for n in range(1, 201)])
    chances = weights / weights.sum()
    np.testing.assert_allclose(np.diff(cumulative, prepend=0.0), chances, atol=1e-12)
    for length in (1, 2, 3, 5):
        expected = count * chances[length - 1]
        assert abs((made[:, 1] == length).sum() - expected) < 5 * np.sqrt(expected)
    for longer in (10, 50):
        expected = count * chances[longer:].sum()
        assert abs((made[:, 1] > longer).sum() - expected) < 5 * np.sqrt(expected)
    assert made[:, 1].min() == 1
    assert made[:, 1].max() <= 200
    assert_even(Counter(made[:, 0].tolist()), range(3), count)


def test_greedy_actions_of_ez_dqn_last_one_step():
    agent = small("ez-dqn", epsilon=0.0, mu=1.1)
    assert pairs(agent) == {greedy(agent): 6000}
    assert greedy(agent)[1] == 1


def test_the_longest_repeat_of_ez_dqn_is_kept():
    made = decisions(small("ez-dqn", epsilon=1.0, mu=1.01, max_repeat=3))
    assert set(made[:, 1].tolist()) == {1, 2, 3}


@EVERY_AGENT
def test_one_in_ten_decisions_explores(name):
    """Of those that explore, some are the greedy one by chance: of 3 actions, or 6 or 15 pairs."""
    agent = small(name)
    made = pairs(agent)[greedy(agent)] / 6000
    if name.startswith("t-dqn"):
        expected = (0.9 + 0.1 / 3) * (0.9 + 0.1 / 5)
    elif name == "ez-dqn":
        expected = 0.9 + 0.1 / 3 * zeta_cumulative(2.0, 10_000)[0]
    else:
        expected = 0.9 + 0.1 / (6 if name == "dar" else 3)
    assert abs(made - expected) < 5 * np.sqrt(expected * (1 - expected) / 6000)


@EVERY_AGENT
def test_a_linear_schedule_ends_with_greedy_decisions(name):
    agent = small(name, epsilon="linear")
    assert pairs(agent, progress=1.0) == {greedy(agent): 6000}
    assert len(pairs(agent, progress=0.5)) > 2


def test_schedules_fade_with_the_budget():
    for schedule, progress, epsilon in (
        ("linear", 0.0, 1.0),
        ("linear", 0.75, 0.25),
        ("linear:0.8:0.2", 0.5, 0.5),
        ("log", 0.0, 1.0),
        ("log", 0.25, 10**-1.5),
        ("log:1:0.01", 0.5, 0.1),
    ):
        agent = small("dqn", epsilon=schedule)
        others = 1 - pairs(agent, progress=progress)[greedy(agent)] / 6000
        expected = epsilon * 2 / 3
        assert abs(others - expected) < 5 * np.sqrt(expected * (1 - expected) / 6000)


@EVERY_AGENT
def test_without_exploration_agents_do_what_they_would_do_in_earnest(name):
    agent = small(name, epsilon=0.0)
    assert pairs(agent) == {greedy(agent): 6000}


@pytest.mark.parametrize("architecture", ["concat", "context", "shared"])
def test_the_longest_skip_within_the_tolerance_is_played(architecture):
    seen = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    shorter = 0
    for tolerance in (0.0, 0.05, 0.2, 10.0):
        agent = small(f"t-dqn-{architecture}", tie_tolerance=tolerance)
        networks = drawn(agent)
        for observation in seen:
            action, skip = agent.greedy(networks, observation, ()).decision
            values = agent.skip_values(networks, observation, action)
            best = max(values.values())
            good = [length for length, value in values.items() if value >= best - tolerance]
            assert skip == max(good)
            shorter += skip != 5
            assert tolerance < 10 or skip == 5
    assert shorter > 0


def test_of_equal_skips_the_longest_is_played():
    agent = small("t-dqn-concat")
    networks = drawn(agent)
    head = networks.skip.head
    bias = np.array([1.0, 2.0, 2.0, 2.0, 0.0], np.float32)
    tied = head._replace(weight=np.zeros_like(head.weight), bias=bias)
    networks = networks._replace(skip=networks.skip._replace(head=tied))
    assert agent.greedy(networks, np.zeros(2, np.float32), ()).decision.skip == 4
    assert agent.draw(np.random.default_rng(0), PLANE).skip.head.bias.shape == (5,)
