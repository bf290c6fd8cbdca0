from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporl.errors import BadInput
from temporl.schedules import epsilon_at, schedule


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("linear", [1.0, 0.75, 0.5, 0.25, 0.0]),
        ("linear:0.8:0.4", [0.8, 0.7, 0.6, 0.5, 0.4]),
        ("linear:0:1", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("log:1:0.0001", [1.0, 0.1, 0.01, 0.001, 0.0001]),
        (0.1, [0.1] * 5),
        ("0.1", [0.1] * 5),
        (0, [0.0] * 5),
        (1, [1.0] * 5),
    ],
)
def test_five_episodes_by_hand(text, expected):
    values = [epsilon_at(schedule(text), done, 5) for done in range(5)]
    assert values == pytest.approx(expected, abs=1e-12)


def test_the_logarithmic_schedule_of_the_paper_ends_at_a_millionth():
    paper = schedule("log")
    assert epsilon_at(paper, 0, 10_000) == 1.0
    assert epsilon_at(paper, 9_999, 10_000) == pytest.approx(1e-6)


def test_a_budget_of_one_sees_the_start():
    assert epsilon_at(schedule("linear"), 0, 1) == 1.0


@given(st.sampled_from(["linear", "log", "linear:0.9:0.2"]), st.integers(2, 500))
def test_fading_schedules_never_rise_and_stay_between_their_ends(text, budget):
    exploration_steps = schedule(text)
    values = [epsilon_at(exploration_steps, done, budget) for done in range(budget)]
    assert values == sorted(values, reverse=True)
    assert values[0] == exploration_steps.start
    assert values[-1] == pytest.approx(exploration_steps.end, abs=1e-12)


NUMBERS = (-0.1, 1.5, float("nan"), "nan", "inf")
NAMES = ("", "quadratic", "0.1:0.2")
ENDS = ("linear:1", "linear:1:0:0", "linear:a:b", "linear:2:0", "log:1:0", "log:0:1", "log:1:-1")


@pytest.mark.parametrize("texts", [NUMBERS, NAMES, ENDS], ids=["numbers", "names", "ends"])
def test_what_is_no_schedule_is_refused_by_name(texts):
    for text in texts:
        with pytest.raises(BadInput, match=r"^skip_epsilon: "):
            schedule(text, "skip_epsilon")
