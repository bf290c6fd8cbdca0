from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporl.skipping import FREE, Commitment, Decision, commit


def test_a_commitment_is_spent_after_exactly_its_skip():
    commitment = commit(Decision("left", 3))
    counts = []
    while not commitment.spent:
        counts.append(commitment.remaining)
        commitment = commitment.after_step(False)
    assert counts == [3, 2, 1]


@given(st.integers(1, 50), st.integers(0, 49))
def test_the_end_of_an_episode_breaks_a_commitment_anywhere(skip, played):
    commitment = commit(Decision(0, skip))
    for _ in range(min(played, skip - 1)):
        commitment = commitment.after_step(False)
    assert not commitment.spent
    assert commitment.after_step(True).spent


def test_the_decision_stays_while_it_is_played():
    commitment = commit(Decision("left", 2)).after_step(False)
    assert commitment == Commitment(Decision("left", 2), 1)


def test_who_has_not_decided_is_free():
    assert FREE.spent


def test_commitments_work_elementwise():
    skips, over = np.array([1, 2, 3, 3]), np.array([False, False, False, True])
    commitment = commit(Decision(np.array([0, 1, 2, 3]), skips)).after_step(over)
    assert commitment.remaining.tolist() == [0, 1, 2, 0]
    assert commitment.spent.tolist() == [True, False, False, True]


def test_a_decision_unpacks_into_action_and_skip():
    action, skip = Decision("left", 4)
    assert (action, skip) == ("left", 4)


@pytest.mark.parametrize("over", [True, np.True_, 1])
def test_any_kind_of_truth_ends_a_commitment(over):
    assert commit(Decision(0, 5)).after_step(int(over)).spent
