"""Hyperparameters: which are refused, and whom they reach."""

from __future__ import annotations

import json

import pytest
from tests.agents.small import SMALL, layout_of, small
from tests.refusals import refusal

from temporl.agents import agent_name, make_agent
from temporl.environments import EnvironmentSpec
from temporl.runs.config import RunConfig

DEEP = ["dqn", "t-dqn", "dar", "ez-dqn"]


OF_EVERY_AGENT = {
    "learning_rate": (0.0, -1.0, float("nan")),
    "gamma": (1.1, -0.1, "much"),
    "tau": (0.0, 2.0),
    "batch_size": (0,),
    "buffer_size": (63,),
    "epsilon": (1.5, "sometimes", "log:1:0"),
    "hidden": ((), (50, 0)),
}
OF_OTHERS = {"dqn": ["max_skip"], "t-dqn": ["behaviour", "fine_skip"], "dar": ["skips"]}
OF_OTHERS |= {"ez-dqn": ["alpha"]}


@pytest.mark.parametrize("name", DEEP)
def test_values_that_cannot_be_are_refused_by_name(name):
    for field, values in OF_EVERY_AGENT.items():
        for value in values:
            assert str(refusal(name, **{field: value})).startswith(f"{field}: "), value
    for option in OF_OTHERS[name]:
        assert refusal(name, **{option: 3}).field == option


@pytest.mark.parametrize(
    ("name", "field", "refused"),
    [
        ("t-dqn", "max_skip", [{"max_skip": 0}, {"max_skip": 1025}]),
        ("t-dqn", "max_skip", [{"max_skip": 5, "skips": "1,2,4"}]),
        ("t-dqn", "skips", [{"skips": "2,4"}, {"skips": (1, 3, 3)}, {"skips": "many"}]),
        ("t-dqn", "architecture", [{"architecture": "deep"}]),
        ("t-dqn", "connections", [{"connections": "all"}]),
        ("t-dqn", "skip_epsilon", [{"skip_epsilon": -0.1}]),
        ("t-dqn", "tie_tolerance", [{"tie_tolerance": -1.0}]),
        ("dar", "max_skip", [{"max_skip": 1}, {"max_skip": 4, "fine_skip": 4}]),
        ("dar", "fine_skip", [{"fine_skip": 0}]),
        ("ez-dqn", "mu", [{"mu": 1.0}]),
        ("ez-dqn", "max_repeat", [{"max_repeat": 0}]),
    ],
)
def test_values_of_one_agent_that_cannot_be_are_refused_by_name(name, field, refused):
    for options in refused:
        assert refusal(name, **options).field == field, options


def test_options_reach_the_behaviour_or_the_skip_policy():
    agent = make_agent("t-dqn", gamma=0.9, hidden=(8,), epsilon=0.2, max_skip=4, connections="skip")
    assert (agent.behaviour.gamma, agent.behaviour.hidden, agent.behaviour.epsilon) == (
        0.9,
        (8,),
        0.2,
    )
    assert (agent.skip_lengths, agent.connections) == ((1, 2, 3, 4), "skip")
    assert agent.learns_from.gamma == 0.9
    assert agent.learns_from.skips == (1, 2, 3, 4)


def test_the_skip_explores_like_the_action_by_default():
    assert make_agent("t-dqn", epsilon="linear")._skip_epsilon == "linear"
    assert make_agent("t-dqn", epsilon="linear", skip_epsilon=0.3)._skip_epsilon == 0.3


@pytest.mark.parametrize("name", SMALL)
def test_a_ring_holds_no_more_than_the_buffer_or_the_budget(name):
    agent = small(name, buffer_size=500)
    assert layout_of(agent, 10_000).capacity == 500
    assert layout_of(agent, 200).capacity == 200
    assert layout_of(agent, 200, spare=7).spare == 7


def test_a_short_run_keeps_as_many_connections_as_the_buffer_holds():
    agent = small("t-dqn-concat", buffer_size=500)
    kept = {steps: layout_of(agent, steps).sampled_connections for steps in (20, 200, 10_000)}
    assert kept == {20: 2 * len(agent.skip_lengths) * 20, 200: 500, 10_000: 500}


OTHER_OPTIONS = {
    "dqn": {"gamma": 0.5, "hidden": (7, 8), "epsilon": "linear:1:0.05", "batch_size": 5},
    "t-dqn": {"gamma": 0.5, "hidden": (7,), "skips": (1, 4, 9), "architecture": "shared"},
    "dar": {"tau": 0.2, "fine_skip": 2, "max_skip": 8},
    "ez-dqn": {"mu": 1.5, "max_repeat": 20, "learning_rate": 0.01},
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("changed", [False, True], ids=["as it is", "changed"])
def test_a_configuration_is_written_down_and_read_back(name, changed):
    agent = make_agent(name, **OTHER_OPTIONS[name] if changed else {})
    assert agent_name(agent) == name
    config = RunConfig(agent, EnvironmentSpec("MountainCar-v0"), steps=100, driver="device")
    written = json.dumps(config.to_data())
    again = RunConfig.from_data(json.loads(written))
    assert again == config
    assert again.digest == config.digest


@pytest.mark.parametrize("name", DEEP)
def test_every_option_is_part_of_the_identity_of_a_run(name):
    def digest(**options):
        spec = EnvironmentSpec("MountainCar-v0")
        return RunConfig(make_agent(name, **options), spec, steps=100, driver="device").digest

    changed = [digest(**{option: value}) for option, value in OTHER_OPTIONS[name].items()]
    assert len({digest(), *changed}) == 1 + len(changed)


def test_the_defaults_are_those_of_the_paper():
    agent = make_agent("t-dqn")
    behaviour = agent.behaviour
    assert (behaviour.learning_rate, behaviour.gamma, behaviour.tau) == (1e-3, 0.99, 0.01)
    assert (behaviour.batch_size, behaviour.buffer_size) == (64, 1_000_000)
    assert (behaviour.hidden, agent.skip_lengths) == ((50, 50), tuple(range(1, 11)))
