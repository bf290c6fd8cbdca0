"""Worlds so small that the right values are known by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.direct import train_tabular
from tests.worlds import TableWorld, grid, limited

from temporl.agents import make_agent
from temporl.evaluation import evaluate
from temporl.training.outcome import Trained

EVERY_AGENT = pytest.mark.parametrize("name", ["q", "t-q", "ez-q"])
BOTH_LOOPS = pytest.mark.parametrize("stepping", [False, True], ids=["compiled", "stepped"])


def learn(name, make, episodes, stepping=False, **options) -> Trained:
    options = {"alpha": 1.0, "gamma": 0.5} | options
    return train_tabular(
        make_agent(name, **options),
        make,
        name="probe",
        seed=0,
        episodes=episodes,
        evaluate_every=0,
        prefer_stepping=stepping,
    )


def road(rewards: list[float], terminal: bool = True) -> TableWorld:
    """A road with a single action and a reward for each step; it ends, or goes on in a circle."""
    last = len(rewards) - 1
    moves = [
        [[(1.0, k + 1 if terminal else (k + 1) % len(rewards), reward, terminal and k == last)]]
        for k, reward in enumerate(rewards)
    ]
    return TableWorld([*moves, [[(1.0, last + 1, 0.0, True)]]] if terminal else moves)


@EVERY_AGENT
@BOTH_LOOPS
def test_one_step_is_worth_its_reward(name, stepping):
    trained = learn(name, lambda: limited(road([3.0]), 5), 1, stepping)
    assert trained.policy.action_values(0).tolist() == [3.0]


@EVERY_AGENT
def test_half_of_the_error_is_learned_at_a_time(name):
    trained = learn(name, lambda: limited(road([1.0]), 5), 3, alpha=0.5)
    assert trained.policy.action_values(0).tolist() == [0.875]


@EVERY_AGENT
def test_a_reward_is_discounted_once_for_every_step_to_it(name):
    trained = learn(name, lambda: limited(road([0.0, 0.0, 8.0]), 5), 3)
    assert [trained.policy.action_values(s).item() for s in range(3)] == [2.0, 4.0, 8.0]


@BOTH_LOOPS
@pytest.mark.parametrize("connections", ["run", "skip"])
def test_every_reward_of_a_skip_counts_once(connections, stepping):
    """Rewards 1, 2, 4, ... at gamma 0.5 add one at a time: j steps from the start are worth j.

    In a first episode nothing is bootstrapped, so these are the rewards of the skips alone. Six
    steps: a reward counted twice after the third would show.
    """
    trained = learn(
        "t-q",
        lambda: limited(road([2.0**k for k in range(6)]), 10),
        1,
        stepping,
        max_skip=8,
        skip_epsilon=0.0,
        skip_ties="longest",
        connections=connections,
    )
    for start in range(6):
        expected = {j: 2.0**start * min(j, 6 - start) for j in range(1, 9)}
        assert trained.policy.skip_values(start, 0) == expected


@BOTH_LOOPS
@pytest.mark.parametrize("skips", ["1,2,3,4,5,6,7", "1,2,4,8,16", "1,3,9"])
def test_the_discount_of_a_skip_is_gamma_to_its_length(skips, stepping):
    """On a road to a single reward every skip is as good as walking: gamma**(steps to go)."""
    trained = learn(
        "t-q", lambda: limited(road([0.0] * 6 + [1.0]), 20), 80, stepping, skips=skips, epsilon=0.5
    )
    for start in range(7):
        assert set(trained.policy.skip_values(start, 0).values()) == {0.5 ** (6 - start)}


@EVERY_AGENT
@BOTH_LOOPS
def test_a_time_limit_is_not_an_end(name, stepping):
    """One state, reward 1 for ever, cut after three steps: worth 1 / (1 - 0.5) all the same."""
    trained = learn(name, lambda: limited(road([1.0], terminal=False), 3), 60, stepping)
    assert trained.policy.action_values(0).item() == pytest.approx(2.0)


@BOTH_LOOPS
@pytest.mark.parametrize("connections", ["run", "skip"])
def test_a_time_limit_in_the_middle_of_a_skip_bootstraps(connections, stepping):
    """Skips of five, always cut at three: up to three they are worth 2, then unknown."""
    trained = learn(
        "t-q",
        lambda: limited(road([1.0], terminal=False), 3),
        60,
        stepping,
        skips="1,2,3,4,5",
        epsilon=0.0,
        skip_ties="longest",
        connections=connections,
    )
    assert list(trained.policy.skip_values(0, 0).values()) == pytest.approx([2, 2, 2, 0, 0])


@BOTH_LOOPS
@pytest.mark.parametrize("connections", ["run", "skip"])
def test_a_terminal_state_in_the_middle_of_a_skip_ends_it(connections, stepping):
    """Three steps of reward 1: skips of three and more from the start are worth 1.75."""
    trained = learn(
        "t-q",
        lambda: limited(road([1.0, 1.0, 1.0]), 10),
        10,
        stepping,
        skips="1,2,3,4,5",
        epsilon=0.0,
        skip_ties="longest",
        connections=connections,
    )
    values = trained.policy.skip_values(0, 0)
    assert [values[j] for j in (3, 4, 5)] == [1.75, 1.75, 1.75]


def test_a_new_episode_is_no_continuation_of_the_last():
    """The road ends after one step, and the next episode plays the same action: no skip of two."""
    trained = learn(
        "t-q", lambda: limited(road([1.0, 1.0], terminal=False), 1), 10, max_skip=2, epsilon=0.0
    )
    assert trained.policy.skip_values(0, 0) == {1: 1.0, 2: 0.0}


def shortcut() -> TableWorld:
    """States 0 to 4, the goal. Action 0 walks on and is safe to repeat. Action 1 jumps from 0 to 2
    and leads into a pit (state 5) from anywhere else."""
    pit = [(1.0, 5, -1.0, True)]
    walk = [[(1.0, state + 1, float(state == 3), state == 3)] for state in range(4)]
    jumps = [[(1.0, 2, 0.0, False)], pit, pit, pit]
    ends = [[[(1.0, state, 0.0, True)]] * 2 for state in (4, 5)]
    return TableWorld([list(pair) for pair in zip(walk, jumps, strict=True)] + ends)


@BOTH_LOOPS
@pytest.mark.parametrize("connections", ["run", "skip"])
def test_the_skip_depends_on_the_action(connections, stepping):
    trained = learn(
        "t-q",
        lambda: limited(shortcut(), 20),
        1000,
        stepping,
        epsilon=1.0,
        max_skip=5,
        connections=connections,
    )
    policy = trained.policy
    assert policy.skip_values(0, 0) == {1: 0.125, 2: 0.25 * 0.5, 3: 0.125, 4: 0.125, 5: 0.125}
    assert policy.skip_values(0, 1) == {1: 0.25, 2: -0.5, 3: -0.5, 4: -0.5, 5: -0.5}
    assert policy.decide(0) == (1, 1)
    assert policy.decide(2) == (0, 5)
    outcome = evaluate(policy, limited(shortcut(), 20), episodes=1)
    assert (outcome.returns[0], outcome.lengths[0], outcome.decisions[0]) == (1.0, 3, 2)


@BOTH_LOOPS
def test_skips_past_a_terminal_state_are_trained(stepping):
    """From the start the pit is three steps to the right: all longer skips know it."""
    trained = learn("t-q", lambda: grid("S..X\n...G"), 400, stepping, epsilon=1.0, max_skip=9)
    right = trained.policy.skip_values(0, 1)
    assert {right[j] for j in range(3, 10)} == {-0.25}
    assert trained.policy.decide(0).skip < 9 or trained.policy.decide(0).action != 1


@EVERY_AGENT
@BOTH_LOOPS
def test_terminal_states_have_no_values(name, stepping):
    trained = learn(name, lambda: grid("S.X\n..G\n.X."), 200, stepping, epsilon=1.0)
    tables = trained.policy.tables
    for terminal in (2, 5, 7):
        assert not tables.action_values[terminal].any()
        if name == "t-q":
            assert not tables.skip_values[4 * terminal : 4 * terminal + 4].any()
    assert tables.action_values[0].any()


@EVERY_AGENT
def test_a_terminal_state_is_not_bootstrapped_from_even_where_it_has_a_value(name):
    """Ending in a state that is also a start: its value must not leak into the step that ends."""
    world = [[[(1.0, 0, 1.0, True)]]]
    trained = learn(name, lambda: limited(TableWorld(world), 5), 50)
    assert trained.policy.action_values(0).tolist() == [1.0]
    if name == "t-q":
        assert set(trained.policy.skip_values(0, 0).values()) == {1.0}


@EVERY_AGENT
def test_the_best_of_two_actions_is_found(name):
    world = TableWorld(
        [[[(1.0, 1, 1.0, True)], [(1.0, 1, 2.0, True)]], [[(1.0, 1, 0.0, True)]] * 2]
    )
    trained = learn(name, lambda: limited(world, 5), 50, epsilon=0.5)
    assert trained.policy.action_values(0).tolist() == [1.0, 2.0]
    assert trained.policy.decide(0).action == 1


def test_the_behaviour_of_a_tempo_agent_learns_from_every_single_step():
    """One skip of four along a road teaches the behaviour in all four states."""
    trained = learn(
        "t-q", lambda: limited(road([1.0] * 4), 10), 1, max_skip=4, epsilon=0.0, skip_ties="longest"
    )
    assert np.all(trained.policy.tables.action_values[:4] == 1.0)
