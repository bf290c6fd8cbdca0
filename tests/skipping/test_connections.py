from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from temporl.skipping import Step, connections, consecutive, powers_of_two, skip_set
from temporl.skipping.connections import run_length

GAMMA = 0.5  # with small whole rewards every sum is exact


def walk(actions, rewards=None, end=None, decided=None, first=0, remaining=None) -> list[Step]:
    """An episode through the observations first, first + 1, ..., ended by `end` or not at all."""
    last = len(actions) - 1
    return [
        Step(
            observation=first + k,
            action=action,
            reward=float(rewards[k]) if rewards else 0.0,
            next_observation=first + k + 1,
            terminated=end == "terminated" and k == last,
            truncated=end == "truncated" and k == last,
            decided=decided[k] if decided else True,
            remaining=remaining[k] if remaining else 0,
        )
        for k, action in enumerate(actions)
    ]


def by_brute_force(steps, skips, gamma, spanning, padding) -> Counter:
    """Try every start with every skip: play on from there and see whether it is a connection."""
    found = Counter()
    for start, first in enumerate(steps):
        for skip in skips:
            played = steps[start : start + skip]
            ends = [k for k, step in enumerate(played) if step.terminated or step.truncated]
            if ends:
                played = played[: ends[0] + 1]
            terminated = played[-1].terminated
            if len(played) < skip and not terminated:
                continue
            committed = len(played) + played[-1].remaining
            if len(played) < skip and padding == "committed" and skip > committed:
                continue
            if any(step.action != first.action for step in played):
                continue
            if spanning == "skip" and any(step.decided for step in played[1:]):
                continue
            reward = sum(gamma**k * step.reward for k, step in enumerate(played))
            discount = 0.0 if terminated else gamma ** len(played)
            found[(start, first.action, skip, reward, discount, played[-1].next_observation)] += 1
    return found


@st.composite
def trajectories(draw) -> list[Step]:
    """Several episodes in a row, with decisions that last, cut by both kinds of ends or by none."""
    steps: list[Step] = []
    for _ in range(draw(st.integers(1, 4))):
        actions, decided, remaining = [], [], []
        for action, skip in draw(
            st.lists(st.tuples(st.integers(0, 1), st.integers(1, 5)), min_size=1, max_size=5)
        ):
            actions += [action] * skip
            decided += [True] + [False] * (skip - 1)
            remaining += reversed(range(skip))
        length = draw(st.integers(1, len(actions)))
        rewards = draw(st.lists(st.integers(-3, 3), min_size=length, max_size=length))
        end = draw(st.sampled_from(["terminated", "truncated"]))
        steps += walk(actions[:length], rewards, end, decided, len(steps), remaining)
    if draw(st.booleans()):
        steps[-1] = steps[-1]._replace(terminated=False, truncated=False)
    return steps


skip_sets = st.one_of(
    st.integers(1, 8).map(consecutive),
    st.integers(1, 16).map(powers_of_two),
    st.sets(st.integers(2, 12), max_size=4).map(lambda s: skip_set([1, *sorted(s)])),
)


@settings(max_examples=300)
@given(
    trajectories(),
    skip_sets,
    st.sampled_from(["run", "skip"]),
    st.sampled_from(["all", "committed"]),
)
def test_connections_are_those_that_brute_force_finds(steps, skips, spanning, padding):
    found = Counter(c[:-1] for c in connections(steps, skips, GAMMA, spanning, padding))
    assert found == by_brute_force(steps, skips, GAMMA, spanning, padding)


@settings(max_examples=100)
@given(trajectories(), skip_sets)
def test_what_a_single_skip_reveals_a_run_reveals_too(steps, skips):
    within = Counter(connections(steps, skips, GAMMA, "skip"))
    spanning = Counter(connections(steps, skips, GAMMA, "run"))
    assert within <= spanning


@settings(max_examples=100)
@given(trajectories(), skip_sets)
def test_every_step_is_a_connection_of_length_one(steps, skips):
    ones = [c for c in connections(steps, skips, GAMMA) if c.skip == 1]
    assert [(c.observation, c.reward, c.next_observation) for c in ones] == [
        (s.observation, s.reward, s.next_observation) for s in steps
    ]


@pytest.mark.parametrize("spanning", ["run", "skip"])
def test_a_skip_of_length_j_reveals_half_j_times_j_plus_one(spanning):
    for length in range(1, 12):
        steps = walk([0] * length, decided=[True] + [False] * (length - 1))
        found = list(connections(steps, consecutive(20), GAMMA, spanning))
        assert len(found) == length * (length + 1) // 2


def test_a_run_longer_than_the_longest_skip_is_capped():
    """From a run of 10 steps: 10 connections of length one, 9 of two, 8 of three."""
    found = Counter(c.skip for c in connections(walk([0] * 10), consecutive(3), GAMMA))
    assert found == {1: 10, 2: 9, 3: 8}


@pytest.mark.parametrize("spanning", ["run", "skip"])
def test_a_terminal_state_teaches_every_longer_skip(spanning):
    """Two steps before the end, skips 2 to 5 all earn 1 + 0.5 * 8 and bootstrap from nothing."""
    steps = walk([0, 0], [1, 8], "terminated", decided=[True, False])
    found = [c for c in connections(steps, consecutive(5), GAMMA, spanning) if c.observation == 0]
    assert [(c.skip, c.reward, c.discount) for c in found] == [
        (1, 1.0, 0.5),
        (2, 5.0, 0.0),
        (3, 5.0, 0.0),
        (4, 5.0, 0.0),
        (5, 5.0, 0.0),
    ]
    assert {c.next_observation for c in found if c.skip >= 2} == {2}


def test_a_terminal_state_can_teach_only_what_was_promised():
    """Committed to three steps, dead after one: skips 1 to 3 are taught, 4 and 5 are not."""
    steps = walk([0], [8], "terminated", remaining=[2])
    found = connections(steps, consecutive(5), GAMMA, "skip", padding="committed")
    assert [(c.skip, c.reward, c.discount) for c in found] == [
        (1, 8.0, 0.0),
        (2, 8.0, 0.0),
        (3, 8.0, 0.0),
    ]


def test_a_terminal_state_teaches_skips_between_those_of_the_set():
    steps = walk([0, 0], [1, 8], "terminated")
    found = [c for c in connections(steps, skip_set([1, 3, 9]), GAMMA) if c.observation == 0]
    assert [(c.skip, c.reward, c.discount) for c in found] == [
        (1, 1.0, 0.5),
        (3, 5.0, 0.0),
        (9, 5.0, 0.0),
    ]


@pytest.mark.parametrize("spanning", ["run", "skip"])
def test_a_time_limit_bootstraps_and_teaches_no_longer_skip(spanning):
    steps = walk([0, 0], [1, 8], "truncated", decided=[True, False])
    found = [c for c in connections(steps, consecutive(5), GAMMA, spanning) if c.observation == 0]
    assert [(c.skip, c.reward, c.discount) for c in found] == [(1, 1.0, 0.5), (2, 5.0, 0.25)]


def test_an_end_that_is_both_is_terminal():
    steps = [Step(0, 0, 1.0, 1, terminated=True, truncated=True)]
    assert [c.skip for c in connections(steps, consecutive(3), GAMMA)] == [1, 2, 3]


@pytest.mark.parametrize("end", ["terminated", "truncated"])
@pytest.mark.parametrize("spanning", ["run", "skip"])
def test_nothing_crosses_the_end_of_an_episode(end, spanning):
    """The second episode goes on with the same action, even with the same commitment."""
    steps = walk([0, 0], end=end) + walk([0, 0], decided=[False, False], first=2)
    crossing = [
        c
        for c in connections(steps, consecutive(4), GAMMA, spanning)
        if c.observation < 2 < c.next_observation
    ]
    assert crossing == []


def test_a_change_of_action_ends_a_run():
    found = connections(walk([0, 0, 1, 0]), consecutive(4), GAMMA)
    assert [(c.observation, c.skip) for c in found] == [(0, 1), (1, 1), (0, 2), (2, 1), (3, 1)]


def test_two_decisions_for_the_same_action_are_one_run_and_two_skips():
    steps = walk([0] * 4, decided=[True, False, True, False])
    assert len(list(connections(steps, consecutive(4), GAMMA, "run"))) == 10
    assert len(list(connections(steps, consecutive(4), GAMMA, "skip"))) == 6


def test_actions_may_be_arrays():
    left, right = np.array([0.0, 1.0]), np.array([0.0, -1.0])
    steps = walk([left, left.copy(), right])
    found = connections(steps, consecutive(3), GAMMA)
    assert [(c.observation, c.skip) for c in found] == [(0, 1), (1, 1), (0, 2), (2, 1)]


def test_no_steps_reveal_nothing():
    assert list(connections([], consecutive(3), GAMMA)) == []


@given(st.integers(0, 30), st.booleans(), st.integers(1, 20))
def test_a_run_grows_by_one_up_to_the_longest_skip(run, continues, longest):
    assert run_length(run, continues, longest) == (min(run + 1, longest) if continues else 1)
