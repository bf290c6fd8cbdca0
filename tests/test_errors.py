from __future__ import annotations

import math
import pickle

import pytest

from temporl.errors import BadInput, TemporlError, require_range, unknown_name


def test_bad_input_names_the_field_the_value_and_what_is_allowed():
    error = BadInput("alpha", 2, "allowed: a number in (0, 1]")
    assert str(error) == "alpha: 2 cannot be used; allowed: a number in (0, 1]"
    assert isinstance(error, TemporlError)


def test_errors_survive_pickling():
    error = pickle.loads(pickle.dumps(BadInput("alpha", 2, "less")))
    assert (error.field, error.value, error.allowed) == ("alpha", 2, "less")


def test_an_unknown_name_is_answered_with_the_nearest():
    error = unknown_name("agent", "tq", ["q", "t-q", "ez-q"])
    assert error.allowed == "did you mean 't-q'? known: ez-q, q, t-q"


def test_capital_letters_do_not_hide_the_nearest_name():
    assert "'CartPole-v1'" in str(unknown_name("env", "cartpole-V1", ["CartPole-v1", "Other-v0"]))


def test_a_name_unlike_all_others_gets_no_hint():
    assert "did you mean" not in str(unknown_name("agent", "zzzzzz", ["q", "t-q"]))


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_both_ends_of_a_closed_range_are_allowed(value):
    require_range("x", value, 0.0, 1.0)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, -math.inf])
def test_values_outside_a_range_are_refused(value):
    with pytest.raises(BadInput, match=r"allowed: a number in \[0, 1\]"):
        require_range("x", value, 0.0, 1.0)


def test_an_open_end_is_refused():
    with pytest.raises(BadInput, match=r"\(0, 1\]"):
        require_range("x", 0.0, 0.0, 1.0, low_open=True)
