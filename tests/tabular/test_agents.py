from __future__ import annotations

import math

import numpy as np
import pytest

from temporl.agents import AGENTS, agent_class, agent_name, agent_options, make_agent
from temporl.errors import BadInput

COMMON = [
    *[("alpha", value) for value in (0.0, -1.0, 1.5, math.nan, math.inf)],
    *[("gamma", value) for value in (-0.1, 1.1, math.nan)],
    *[("epsilon", value) for value in (-0.1, 1.1, math.nan, "sometimes", "linear:1", "log:1:0")],
    ("action_ties", "last"),
    ("action_ties", "longest"),
]
TEMPO = [
    *[("skip_epsilon", value) for value in (-0.1, 1.1, math.nan, "sometimes")],
    *[("max_skip", value) for value in (0, -1)],
    *[("skips", value) for value in ("2,3", "1,1", "1,x", "", "1,3,2", "powers", (2, 4), ())],
    *[("connections", value) for value in ("none", "runs", "")],
    *[("skip_ties", value) for value in ("first", "none")],
    *[("greedy_skip_ties", value) for value in ("last", "none")],
    *[("tie_tolerance", value) for value in (-0.1, math.nan)],
]
EXTENDED = [
    *[("mu", value) for value in (1.0, 0.0, -2.0, math.nan)],
    *[("max_repeat", value) for value in (0, -1)],
]


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        *[(name, *case) for name in AGENTS for case in COMMON],
        *[("t-q", *case) for case in TEMPO],
        *[("ez-q", *case) for case in EXTENDED],
    ],
)
def test_a_value_out_of_range_is_refused_by_the_name_of_its_field(name, field, value):
    with pytest.raises(BadInput) as caught:
        make_agent(name, **{field: value})
    assert caught.value.field == field
    assert "\n" not in str(caught.value)


def test_skips_that_contradict_the_longest_are_refused():
    with pytest.raises(BadInput, match="max_skip: 7 cannot be used; the given skips end with 9"):
        make_agent("t-q", skips="1,3,9", max_skip=7)
    assert make_agent("t-q", skips="1,3,9", max_skip=9).skip_lengths == (1, 3, 9)


def test_unknown_agents_and_options_are_answered_with_the_nearest():
    with pytest.raises(BadInput, match=r"agent: 'tq' .*did you mean 't-q'"):
        make_agent("tq")
    with pytest.raises(BadInput, match=r"alhpa: 0.1 .*did you mean 'alpha'"):
        make_agent("q", alhpa=0.1)
    with pytest.raises(BadInput, match="max_skip"):
        make_agent("q", max_skip=3)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (1, 2, 3, 4, 5, 6, 7)),
        ({"max_skip": 3}, (1, 2, 3)),
        ({"skips": "powers-of-two", "max_skip": 10}, (1, 2, 4, 8)),
        ({"skips": "1,3,9"}, (1, 3, 9)),
        ({"skips": (1, 5)}, (1, 5)),
    ],
)
def test_the_skips_of_a_tempo_agent(options, expected):
    assert make_agent("t-q", **options).skip_lengths == expected


@pytest.mark.parametrize("name", ["q", "ez-q"])
def test_agents_without_a_skip_policy_decide_for_one_step(name):
    assert make_agent(name).skip_lengths == (1,)


def test_defaults_are_those_of_the_paper():
    agent = make_agent("t-q")
    assert (agent.alpha, agent.gamma, agent.epsilon) == (0.5, 0.99, 0.1)
    assert agent.settings().skip_epsilon == agent.settings().epsilon
    assert agent.greedy_skip_ties == "longest"


def test_agents_are_found_by_name_and_named_again():
    for name in AGENTS:
        agent = make_agent(name)
        assert agent_name(agent) == name
        assert agent_class(name) is type(agent)
        assert make_agent(name, **agent_options(agent)) == agent


def test_zeta_repeats_by_hand():
    """With mu 2 and at most 3 repeats: 1, 1/4, 1/9 of 49/36."""
    cumulative = make_agent("ez-q", max_repeat=3).settings().repeat_cumulative
    assert cumulative == pytest.approx([36 / 49, 45 / 49, 1.0])
    assert cumulative[-1] == 1.0


def test_zeta_repeats_grow_for_any_length():
    cumulative = make_agent("ez-q").settings().repeat_cumulative
    assert len(cumulative) == 10_000
    assert np.all(np.diff(cumulative) > 0)
    assert cumulative[0] == pytest.approx(6 / math.pi**2, rel=1e-4)


@pytest.mark.parametrize(
    ("field", "value"),
    [("alpha", "much"), ("gamma", None), ("epsilon", None), ("alpha", True), ("skips", (1, 2.5))],
)
def test_a_value_of_the_wrong_kind_is_refused(field, value):
    with pytest.raises(BadInput) as caught:
        make_agent("t-q", **{field: value})
    assert caught.value.field == field
