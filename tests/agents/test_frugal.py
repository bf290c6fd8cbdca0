"""Frugal agents with networks: costs of holding, and what is decided from them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.direct import train_deep
from tests.tabular.test_holding import GO_OR_DODGE
from tests.worlds import TableWorld, limited, right_values

from temporl.agents import make_agent
from temporl.agents.agent import Spaces
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput

SMALL = {"hidden": (16,), "batch_size": 16}
BOX, PLANE = Spaces((3,), None, 4), Spaces((3,), None, 2, continuous=True)
BOARD = Spaces((6, 6, 4), None, 3)


def drawn(agent, spaces):
    """Arrays as training draws them, with a step that is worth 1 and outputs that differ."""
    params = agent.draw(np.random.default_rng(0), spaces)
    layers = [layer._replace(bias=layer.bias + 6) for layer in params.skip.layers[-1:]]
    skip = params.skip._replace(
        layers=(*params.skip.layers[:-1], *layers), worth=np.array([0, 1, 1, 1], np.float32)
    )
    return params._replace(skip=skip)


def observations(spaces):
    random = np.random.default_rng(1)
    shape = (5, *spaces.observation_shape)
    if spaces.shows_images:
        return random.integers(0, 255, shape, np.uint8)
    return random.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "spaces"), [("frugal-dqn", BOX), ("frugal-td3", PLANE), ("frugal-dqn", BOARD)]
)
def test_a_saved_policy_decides_as_the_compiled_agent(name, spaces):
    agent = make_agent(name, **SMALL, max_skip=6, decision_cost=1.0)
    params = drawn(agent, spaces)
    lengths = set()
    for seen in observations(spaces):
        ours = agent.greedy(params, seen, ()).decision
        compiled = jax.jit(agent.greedy)(jax.tree.map(jnp.asarray, params), seen, ()).decision
        np.testing.assert_allclose(ours.action, compiled.action, rtol=1e-4)
        assert int(ours.skip) == int(compiled.skip)
        lengths.add(int(ours.skip))
        values = agent.skip_values(params, seen, np.asarray(ours.action))
        assert list(values) == [1, 2, 3, 4, 5, 6]
        assert np.all(np.diff(list(values.values())) <= 0)
    assert lengths <= {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize(
    ("name", "spaces"), [("frugal-dqn", BOX), ("frugal-td3", PLANE), ("frugal-dqn", BOARD)]
)
def test_costs_of_a_batch_are_those_of_its_samples(name, spaces):
    agent = make_agent(name, **SMALL, max_skip=6)
    params, seen = drawn(agent, spaces), observations(spaces)
    actions = np.array([0, 1, 0, 1, 1], np.int32)
    if spaces.continuous:
        actions = np.random.default_rng(2).uniform(-1, 1, (5, spaces.actions)).astype(np.float32)
    together = agent.valuation.costs(params, seen, actions)
    assert together.shape == (5, 5)
    for row, one, action in zip(together, seen, actions, strict=True):
        np.testing.assert_allclose(agent.valuation.costs(params, one, action), row, rtol=1e-4)


@pytest.mark.parametrize(
    ("plain", "frugal", "world", "driver"),
    [
        ("dqn", "frugal-dqn", "CartPole-v1", "device"),
        ("dqn", "frugal-dqn", "CartPole-v1", "host"),
        ("td3", "frugal-td3", "Pendulum-v1", "device"),
        ("sac", "frugal-sac", "Pendulum-v1", "device"),
    ],
)
def test_free_decisions_make_it_the_behaviour_bit_for_bit(plain, frugal, world, driver):
    options = SMALL | ({"epsilon": 0.3} if plain == "dqn" else {"warm_up": 50})
    run = {"driver": driver, "seed": 0, "steps": 250, "evaluate_every": 50}
    alone = train_deep(make_agent(plain, **options), EnvironmentSpec(world), **run)
    agent = make_agent(frugal, **options, decision_cost=0)
    held = train_deep(agent, EnvironmentSpec(world), **run)
    ours, theirs = (
        jax.tree.leaves(held.policy.params.behaviour),
        jax.tree.leaves(alone.policy.params),
    )
    for one, other in zip(ours, theirs, strict=True):
        assert np.array_equal(one, other)
    for column, other in zip(held.evaluations, alone.evaluations, strict=True):
        assert np.array_equal(column, other)


def test_a_network_learns_what_holding_on_under_a_threat_costs():
    """The world of two states, with the exploration of training: losses within a tenth."""

    def make():
        return limited(TableWorld(GO_OR_DODGE), 50)

    agent = make_agent(
        "frugal-dqn", hidden=(32,), batch_size=64, gamma=0.95, max_skip=6, decision_cost=0.5
    )
    trained = train_deep(
        agent,
        EnvironmentSpec("threat", {}, 50),
        driver="host",
        seed=0,
        steps=15_000,
        evaluate_every=0,
        make=make,
    )
    expected = right_values(make(), 0.95, agent.skip_lengths).skip_values[0]
    found = np.array(list(trained.policy.skip_values(0, 0).values()))
    lost = expected[0] - expected
    assert found[0] - found == pytest.approx(lost, rel=0.1)


def test_what_a_step_is_worth_is_learned():
    agent = make_agent("frugal-dqn", **SMALL)
    run = {"driver": "device", "seed": 0, "steps": 300, "evaluate_every": 0}
    trained = train_deep(agent, EnvironmentSpec("MountainCar-v0"), **run)
    assert agent.valuation.worth(trained.policy.params) == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize(("field", "value"), [("gamma", 1.0), ("max_skip", 1)])
def test_options_that_leave_nothing_to_weigh_are_refused(field, value):
    with pytest.raises(BadInput, match=field):
        make_agent("frugal-dqn", **{field: value})
