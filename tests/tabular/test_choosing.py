from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporl.agents import make_agent
from temporl.randomness import Purpose, Stream, stream
from temporl.tabular.learning import best_value, decide, epsilon_greedy, greedy
from temporl.tabular.tables import Tables, Ties

DRAWS = 20_000


def fresh(seed: int = 0) -> Stream:
    return stream(seed, Purpose.EXPLORATION)


def undrawn(drawn: Stream) -> bool:
    return drawn[0] == fresh()[0]


def frequencies(draw, choices: int) -> np.ndarray:
    return np.bincount([draw() for _ in range(DRAWS)], minlength=choices) / DRAWS


def near(expected: list[float]):
    """Within five standard deviations of a frequency of `DRAWS` draws."""
    return pytest.approx(expected, abs=5 * 0.5 / DRAWS**0.5)


values = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=8)


@given(values)
def test_the_best_value_is_the_largest(row):
    assert best_value(np.array([[9.0] * len(row), row]), 1) == max(row)


@given(values, st.sampled_from([0.0, 1.0, 2.5]))
def test_ties_are_broken_by_their_rule(row, tolerance):
    table = np.array([row])
    tied = [k for k, value in enumerate(row) if value >= max(row) - tolerance]
    assert greedy(table, 0, Ties.FIRST.value, tolerance, fresh()) == tied[0]
    assert greedy(table, 0, Ties.LAST.value, tolerance, fresh()) == tied[-1]
    assert greedy(table, 0, Ties.RANDOM.value, tolerance, fresh(7)) in tied


def test_a_tolerance_lets_slightly_worse_choices_tie():
    table = np.array([[1.0, 0.95, 0.5]])
    assert greedy(table, 0, Ties.LAST.value, 0.0, fresh()) == 0
    assert greedy(table, 0, Ties.LAST.value, 0.1, fresh()) == 1
    assert greedy(table, 0, Ties.LAST.value, 0.5, fresh()) == 2


def test_random_ties_are_uniform():
    table, generator = np.array([[0.0, 1.0, 1.0, 0.5, 1.0]]), fresh()
    drawn = frequencies(lambda: greedy(table, 0, Ties.RANDOM.value, 0.0, generator), 5)
    assert drawn == near([0, 1 / 3, 1 / 3, 0, 1 / 3])
    assert drawn[0] == drawn[3] == 0


def test_nothing_is_drawn_where_nothing_is_random():
    generator = fresh()
    greedy(np.array([[0.0, 1.0]]), 0, Ties.RANDOM.value, 0.0, generator)
    greedy(np.array([[1.0, 1.0]]), 0, Ties.FIRST.value, 0.0, generator)
    greedy(np.array([[1.0, 1.0]]), 0, Ties.LAST.value, 0.0, generator)
    epsilon_greedy(np.array([[0.0, 1.0]]), 0, 0.0, Ties.RANDOM.value, 0.0, generator)
    assert undrawn(generator)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_exploration_is_uniform_over_all_choices(epsilon):
    table, generator = np.array([[0.0, 0.0, 1.0]]), fresh()
    draws = [
        epsilon_greedy(table, 0, epsilon, Ties.RANDOM.value, 0.0, generator) for _ in range(DRAWS)
    ]
    chosen = np.bincount([choice for choice, _ in draws], minlength=3) / DRAWS
    assert chosen == near([epsilon / 3, epsilon / 3, 1 - epsilon * 2 / 3])
    assert np.mean([explores for _, explores in draws]) == near(epsilon)
    assert all(choice == 2 for choice, explores in draws if not explores)


@given(st.integers(1, 40), st.floats(1e-9, 1.0), st.integers(0, 50))
def test_a_choice_always_exists(choices, epsilon, seed):
    choice, _ = epsilon_greedy(
        np.zeros((1, choices)), 0, epsilon, Ties.RANDOM.value, 0.0, fresh(seed)
    )
    assert 0 <= choice < choices


def decide_often(agent, tables: Tables, epsilon: float, skip_epsilon: float) -> np.ndarray:
    settings, generator = agent.settings(), fresh()
    return np.array(
        [
            decide(settings, tables, 0, epsilon, skip_epsilon, settings.greedy_skip_ties, generator)
            for _ in range(DRAWS)
        ]
    )


def test_repeats_are_zeta_distributed():
    """P(n) ~ n**-2: 36/49, 9/49 and 4/49 for at most three repeats."""
    agent = make_agent("ez-q", max_repeat=3)
    drawn = decide_often(agent, Tables(np.zeros((1, 2)), np.zeros((0, 1))), 1.0, 0.0)
    lengths = np.bincount(drawn[:, 1], minlength=4) / DRAWS
    assert lengths == near([0, 36 / 49, 9 / 49, 4 / 49])


def test_repeats_do_not_depend_on_the_action():
    agent = make_agent("ez-q", max_repeat=3)
    drawn = decide_often(agent, Tables(np.zeros((1, 2)), np.zeros((0, 1))), 1.0, 0.0)
    means = [drawn[drawn[:, 0] == action, 1].mean() for action in (0, 1)]
    assert means[0] == pytest.approx(means[1], abs=0.05)


def test_only_exploratory_actions_are_repeated():
    agent = make_agent("ez-q", mu=1.1)
    tables = Tables(np.array([[0.0, 1.0]]), np.zeros((0, 1)))
    drawn = decide_often(agent, tables, 0.5, 0.0)
    assert (drawn[drawn[:, 0] == 0, 1] > 1).any()
    assert np.all(decide_often(agent, tables, 0.0, 0.0) == [1, 1])


def test_the_skip_is_chosen_for_the_action():
    """Action 0 is best played for two steps, action 1 for three."""
    agent = make_agent("t-q", max_skip=3)
    skip_values = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    drawn = decide_often(agent, Tables(np.zeros((1, 2)), skip_values), 1.0, 0.0)
    assert {tuple(row) for row in drawn.tolist()} == {(0, 2), (1, 3)}


def test_actions_and_skips_explore_by_their_own_epsilon():
    agent = make_agent("t-q", max_skip=4)
    tables = Tables(np.array([[1.0, 0.0]]), np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)))
    drawn = decide_often(agent, tables, 0.2, 0.8)
    assert np.mean(drawn[:, 0] == 1) == near(0.1)
    assert np.bincount(drawn[:, 1], minlength=5) / DRAWS == near([0, 0.4, 0.2, 0.2, 0.2])


def test_q_learning_decides_at_every_step():
    drawn = decide_often(make_agent("q"), Tables(np.zeros((1, 2)), np.zeros((0, 1))), 0.5, 0.5)
    assert np.all(drawn[:, 1] == 1)
