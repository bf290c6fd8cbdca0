from __future__ import annotations

import math

import numpy as np
import pytest
from tests.refusals import refusal

from temporl.agents import AGENTS, agent_class, agent_name, agent_options, make_agent
from temporl.errors import BadInput

COMMON = {
    "alpha": (0.0, -1.0, 1.5, math.nan, math.inf, "much", True),
    "gamma": (-0.1, 1.1, math.nan, None),
    "epsilon": (-0.1, 1.1, math.nan, "sometimes", "linear:1", "log:1:0", None),
    "action_ties": ("last", "longest"),
}
REFUSED = {
    "q": COMMON,
    "t-q": COMMON
    | {
        "skip_epsilon": (-0.1, 1.1, math.nan, "sometimes"),
        "max_skip": (0, -1),
        "skips": ("2,3", "1,1", "1,x", "", "1,3,2", "powers", (2, 4), (), (1, 2.5)),
        "connections": ("none", "runs", ""),
        "skip_ties": ("first", "none"),
        "greedy_skip_ties": ("last", "none"),
        "tie_tolerance": (-0.1, math.nan),
    },
    "ez-q": COMMON | {"mu": (1.0, 0.0, -2.0, math.nan), "max_repeat": (0, -1)},
}


@pytest.mark.parametrize("name", REFUSED)
def test_values_that_cannot_be_are_refused_by_the_name_of_their_field(name):
    for field, values in REFUSED[name].items():
        for value in values:
            error = refusal(name, **{field: value})
            assert error.field == field, value
            assert "\n" not in str(error)


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
