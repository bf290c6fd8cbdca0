"""Worlds so small that the right values are known by hand, learned by networks.

Most of these fill a ring with exactly the steps that are wanted, and learn from it; the last go
through training from end to end.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.agents.small import SMALL, small
from tests.direct import train_deep
from tests.learning.teaching import playing, taught
from tests.worlds import TableWorld, grid, limited, right_values

from temporl.environments import EnvironmentSpec

GAMMA = 0.5
LONGEST, COARSE = 5, 4
EVERY_AGENT = pytest.mark.parametrize("name", SMALL)
TEMPO = [name for name in SMALL if name.startswith("t-dqn")]
WITH_SKIPS = pytest.mark.parametrize("name", [*TEMPO, "dar"])
CLOSE = 0.05


@cache
def agent(name, **options):
    learning = {"gamma": GAMMA, "learning_rate": 0.005, "tau": 0.05, "batch_size": 32}
    return small(name, hidden=(32,), **learning | options)


def lengths_of(name):
    """What has to be played so that an agent can learn everything: its connections do the rest."""
    if name == "dar":
        return (1, COARSE)
    return (LONGEST,) if name in TEMPO else (1,)


def skips_of(name):
    return (1, COARSE) if name == "dar" else tuple(range(1, LONGEST + 1))


def certain(*outcomes):
    """A world without chance: (next state, reward, terminated) for every state and both actions."""
    ending = [[(1.0, len(outcomes), 0.0, True)]] * 2
    return TableWorld([[[(1.0, *outcome)] for outcome in state] for state in outcomes] + [ending])


def road(*rewards):
    """A road to a terminal state, whatever is done, with a reward for each step."""
    last = len(rewards) - 1
    return certain(*([(k + 1, reward, k == last)] * 2 for k, reward in enumerate(rewards)))


def circle(*rewards):
    """One state that is never left, with a reward for each action."""
    return certain([(0, reward, False) for reward in rewards])


def everything(name, world, states, cut_after=None):
    return [
        step
        for state in range(states)
        for action in range(2)
        for length in lengths_of(name)
        for step in playing(world, state, action, length, cut_after)
    ]


def values(policy, name, state, action=0):
    """The learned values of an action at a state: of every skip, or of the action alone."""
    if name in TEMPO or name == "dar":
        return list(policy.skip_values(state, action).values())
    return [policy.action_values(state)[action]]


@EVERY_AGENT
def test_one_step_is_worth_its_reward(name):
    world = certain([(1, 3.0, True), (1, -2.0, True)])
    policy = taught(agent(name), everything(name, world, 1))
    assert values(policy, name, 0, 0) == pytest.approx(
        [3.0] * len(values(policy, name, 0)), abs=CLOSE
    )
    assert values(policy, name, 0, 1) == pytest.approx(
        [-2.0] * len(values(policy, name, 0)), abs=CLOSE
    )
    assert policy.decide(0).action == 0


@EVERY_AGENT
def test_a_reward_is_discounted_once_for_every_step_to_it(name):
    """Whatever the skip: on a road to a single reward all are as good as walking."""
    policy = taught(agent(name), everything(name, road(0.0, 0.0, 8.0), 3))
    for state, expected in enumerate((2.0, 4.0, 8.0)):
        for action in range(2):
            found = values(policy, name, state, action)
            assert found == pytest.approx([expected] * len(found), abs=CLOSE)


@WITH_SKIPS
def test_every_reward_of_a_skip_counts_once_with_the_discount_of_its_step(name):
    """Rewards 1, 2, 4, 8 at gamma 0.5 add one each: from the start the road is worth 4.

    A skip that was discounted as one step, or a reward that was counted twice, would show.
    """
    policy = taught(agent(name), everything(name, road(1.0, 2.0, 4.0, 8.0), 4))
    for state in range(4):
        found = values(policy, name, state)
        assert found == pytest.approx([2.0**state * (4 - state)] * len(found), abs=3 * CLOSE)


@WITH_SKIPS
def test_the_value_of_a_skip_depends_on_the_action(name):
    """Staying with action 0 earns 1 a step, worth 2 for ever; with action 1 nothing until it ends.

    So j steps of action 0 are worth 2 for every j, and j steps of action 1 are worth 2 * 0.5**j.
    """
    policy = taught(agent(name), everything(name, circle(1.0, 0.0), 1))
    assert values(policy, name, 0, 0) == pytest.approx([2.0] * len(skips_of(name)), abs=CLOSE)
    expected = [2 * GAMMA**skip for skip in skips_of(name)]
    assert values(policy, name, 0, 1) == pytest.approx(expected, abs=CLOSE)
    assert policy.decide(0).action == 0


@EVERY_AGENT
def test_a_time_limit_is_not_an_end(name):
    """One state, reward 1 for ever, cut after every decision: worth 1 / (1 - 0.5) all the same."""
    policy = taught(agent(name), everything(name, circle(1.0, 1.0), 1))
    found = values(policy, name, 0)
    assert found == pytest.approx([2.0] * len(found), abs=CLOSE)


@EVERY_AGENT
def test_a_terminal_state_is_not_bootstrapped_from_even_where_it_has_a_value(name):
    """The step that ends leads to the very state it began in."""
    world = certain([(0, 1.0, True), (0, 1.0, True)])
    policy = taught(agent(name), everything(name, world, 1))
    found = values(policy, name, 0)
    assert found == pytest.approx([1.0] * len(found), abs=CLOSE)


def head(policy, name):
    return policy.params[-1] if name == "dar" else policy.params.skip.head


@WITH_SKIPS
def test_a_time_limit_in_the_middle_of_a_skip_bootstraps_and_says_nothing_of_longer_ones(name):
    """Cut after three steps: skips of up to three are worth 2, the weights of others never move."""
    steps = everything(name, circle(1.0, 1.0), 1, cut_after=3)
    policy, before = taught(agent(name), steps), taught(agent(name), steps, updates=0)
    taught_skips = [skip for skip in skips_of(name) if skip <= 3]
    for action in range(2):
        found = values(policy, name, 0, action)[: len(taught_skips)]
        assert found == pytest.approx([2.0] * len(taught_skips), abs=CLOSE)
    untouched = slice(2, 4) if name == "dar" else slice(3, 5)
    for part in ("weight", "bias"):
        now, then = (getattr(head(one, name), part) for one in (policy, before))
        assert np.array_equal(now[..., untouched], then[..., untouched])
        assert not np.array_equal(now, then)


@WITH_SKIPS
def test_a_terminal_state_in_the_middle_of_a_skip_ends_it(name):
    """Three steps of reward 1 and the end: all skips of three and more are worth 1.75."""
    policy = taught(agent(name), everything(name, road(1.0, 1.0, 1.0), 3))
    by_skip = policy.skip_values(0, 0)
    assert [by_skip[j] for j in by_skip if j >= 3] == pytest.approx(
        [1.75] * sum(j >= 3 for j in by_skip), abs=CLOSE
    )
    last = list(policy.skip_values(2, 0).values())
    assert last == pytest.approx([1.0] * len(last), abs=CLOSE)


@pytest.mark.parametrize("connections", ["run", "skip"])
def test_connections_span_decisions_or_do_not(connections):
    """Single steps, one after the other with the same action, in one episode of five."""
    world = circle(1.0, 1.0)
    steps = [step for action in range(2) for step in playing(world, 0, action, LONGEST)]
    steps = [(*step[:6], True, 0, 1) for step in steps]
    chosen = agent("t-dqn-concat", connections=connections)
    policy, before = taught(chosen, steps), taught(chosen, steps, updates=0)
    moved = policy.params.skip.head.bias != before.params.skip.head.bias
    assert moved.tolist() == [True, *([connections == "run"] * 4)]
    found = values(policy, "t-dqn-concat", 0)[: 5 if connections == "run" else 1]
    assert found == pytest.approx([2.0] * len(found), abs=CLOSE)


# A gridworld with a pit and a goal, beside dynamic programming.

GRID_GAMMA, GRID_SKIPS = 0.8, (1, 2, 3, 4)
CELLS = (0, 1, 2, 4, 5, 6)
"""Those that are neither the pit nor the goal."""


@cache
def world():
    return grid("S..X\n...G").unwrapped


@cache
def grid_steps(name):
    return tuple(
        step
        for cell in CELLS
        for action in range(4)
        for length in ((1, 4) if name == "dar" else (4,))
        for step in playing(world(), cell, action, length)
    )


@cache
def learned_in_grid(name):
    options = {"hidden": (32, 32), "gamma": GRID_GAMMA, "batch_size": 64, "learning_rate": 0.004}
    chosen = small(name, tau=0.05, **options, **{"max_skip": 4} if name in (*TEMPO, "dar") else {})
    return taught(chosen, grid_steps(name), updates=2500, steps=len(grid_steps(name)), actions=4)


def learned_skip_values(policy):
    """An array with an axis each for cells, actions and skips."""
    return np.array([[list(policy.skip_values(c, a).values()) for a in range(4)] for c in CELLS])


@cache
def right_skip_values():
    found = right_values(world(), GRID_GAMMA, GRID_SKIPS).skip_values
    return found.reshape(8, 4, len(GRID_SKIPS))[list(CELLS)]


@pytest.mark.parametrize("name", ["dqn", *TEMPO])
def test_action_values_match_dynamic_programming(name):
    right = right_values(world(), GRID_GAMMA).action_values
    for cell in CELLS:
        assert learned_in_grid(name).action_values(cell) == pytest.approx(right[cell], abs=0.1)


def test_skip_values_match_dynamic_programming():
    learned = learned_skip_values(learned_in_grid("t-dqn-concat"))
    assert np.abs(learned - right_skip_values()).max() < 0.1


def test_greedy_decisions_in_the_grid_are_among_the_best():
    policy, right = learned_in_grid("t-dqn-concat"), right_skip_values()
    for number, cell in enumerate(CELLS):
        action, skip = policy.decide(cell)
        assert right[number, action, skip - 1] > right[number].max() - 0.1


def additive(right):
    """The nearest sum of a number for the cell and a number for the action, for every skip.

    In the context and shared networks the observation and the action meet in the last layer alone,
    which adds them up: this is the best that they can learn. Nearest to what is sampled: how often
    a cell, an action and a skip are in the ring is counted from the steps.
    """
    counts = np.zeros_like(right)
    for cell in CELLS:
        for action in range(4):
            steps = playing(world(), cell, action, 4)
            for start, step in enumerate(steps):
                number = CELLS.index(step[0])
                for skip in GRID_SKIPS:
                    if start + skip <= len(steps) or steps[-1][4]:
                        counts[number, action, skip - 1] += 1
    design = np.array(
        [
            np.r_[np.eye(len(CELLS))[cell], np.eye(4)[action]]
            for cell in range(6)
            for action in range(4)
        ]
    )
    fitted = np.zeros_like(right)
    for number in range(len(GRID_SKIPS)):
        weight = np.sqrt(counts[..., number].ravel())
        solution, *_ = np.linalg.lstsq(
            design * weight[:, None], right[..., number].ravel() * weight, rcond=None
        )
        fitted[..., number] = (design @ solution).reshape(right.shape[:2])
    return fitted


@pytest.mark.parametrize("name", ["t-dqn-context", "t-dqn-shared"])
def test_networks_that_add_up_learn_the_nearest_sum_to_dynamic_programming(name):
    learned, right = learned_skip_values(learned_in_grid(name)), right_skip_values()
    assert np.abs(learned - additive(right)).mean() < 0.08
    assert np.abs(additive(right) - right).mean() > 0.2


def test_values_of_dar_match_those_of_the_semi_markov_process():
    """Value iteration over whole decisions: r + gamma**length max Q."""
    right, best = np.zeros((6, 4, 2)), np.zeros(8)
    for _ in range(100):
        for number, cell in enumerate(CELLS):
            for action in range(4):
                for which, length in enumerate((1, 4)):
                    steps = playing(world(), cell, action, length)
                    reward = sum(GRID_GAMMA**k * step[2] for k, step in enumerate(steps))
                    *_, following, terminated, _, _, _, _ = steps[-1]
                    bootstrap = 0.0 if terminated else GRID_GAMMA ** len(steps) * best[following]
                    right[number, action, which] = reward + bootstrap
        best[list(CELLS)] = right.max(axis=(1, 2))
    learned = learned_skip_values(learned_in_grid("dar"))
    assert np.abs(learned - right).max() < 0.1
    assert np.abs(right[..., 0] - right[..., 1]).max() > 1


# From end to end.


@pytest.mark.parametrize("name", ["dqn", "t-dqn-concat", "t-dqn-shared", "dar", "ez-dqn"])
def test_training_on_the_host_finds_the_right_values(name):
    """Action 0 stays for a reward of 1, worth 2 for ever in spite of the time limit. Action 1 ends
    with a reward of 1.5, which is all that it is worth, whatever the skip."""

    def make():
        return limited(certain([(0, 1.0, False), (0, 1.5, True)]), 7)

    trained = train_deep(
        agent(name, epsilon=1.0, learning_rate=0.01),
        EnvironmentSpec("probe"),
        driver="host",
        seed=0,
        steps=800,
        evaluate_every=400,
        make=make,
    )
    stay, end = (values(trained.policy, name, 0, action) for action in range(2))
    assert stay == pytest.approx([2.0] * len(stay), abs=2 * CLOSE)
    assert end == pytest.approx([1.5] * len(end), abs=2 * CLOSE)
    assert trained.steps == 800
    assert trained.evaluations.step.tolist() == [400, 800]
    assert trained.evaluations.returns[-1] == trained.evaluations.lengths[-1] == 7.0
    assert trained.policy.decide(0).action == 0
