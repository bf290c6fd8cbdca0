"""The three skip networks, beside the same written out by hand."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.replay.quick import quick

from temporl.agents import make_agent
from temporl.agents.agent import Spaces
from temporl.replay import Batch
from temporl.skipping import Connection

ARCHITECTURES = pytest.mark.parametrize("architecture", ["concat", "context", "shared"])
BOX, DISCRETE = Spaces((3,), None, 4), Spaces((), 6, 4)
WIDTHS, SKIPS = (16, 12), (1, 2, 3, 5, 8)


def agent(architecture, hidden=WIDTHS):
    return make_agent(
        "t-dqn", architecture=architecture, hidden=hidden, skips=SKIPS, learning_rate=0.01
    )


@cache
def drawn(architecture, spaces=BOX, hidden=WIDTHS):
    return agent(architecture, hidden).draw(np.random.default_rng(3), spaces)


def observations(spaces, count=20):
    random = np.random.default_rng(1)
    if spaces.observation_count:
        return random.integers(spaces.observation_count, size=count).astype(np.int32)
    return random.normal(size=(count, *spaces.observation_shape)).astype(np.float32)


def actions(count=20):
    return np.random.default_rng(2).integers(4, size=count).astype(np.int32)


def dense(layer, inputs):
    return [
        sum(float(x) * float(w) for x, w in zip(inputs, column, strict=True)) + float(b)
        for column, b in zip(layer.weight.T, layer.bias, strict=True)
    ]


def positive(values):
    return [max(value, 0.0) for value in values]


def by_hand(architecture, networks, observation, action):
    """The values of all skips for one observation and action, number by number."""
    if np.ndim(observation) == 0:
        observation = [float(number == observation) for number in range(6)]
    network = networks.skip
    if architecture == "concat":
        first, second = network.trunk
        features = positive(dense(second, positive(dense(first, [*observation, action]))))
        return dense(network.head, features)
    first, second = network.trunk if architecture == "context" else networks.behaviour[:2]
    features = positive(dense(second, positive(dense(first, observation))))
    (units,) = network.context
    return dense(network.head, features + positive(dense(units, [action])))


@ARCHITECTURES
@pytest.mark.parametrize(
    ("spaces", "module"), [(BOX, np), (BOX, jnp), (DISCRETE, jnp)], ids=["numpy", "box", "discrete"]
)
def test_values_are_those_worked_out_by_hand(architecture, spaces, module):
    networks = drawn(architecture, spaces)
    seen, played = observations(spaces), actions()
    values = agent(architecture).values_of_skips(
        networks, module.asarray(seen), module.asarray(played)
    )
    assert isinstance(values, np.ndarray if module is np else jax.Array)
    expected = [
        by_hand(architecture, networks, observation, action)
        for observation, action in zip(seen, played, strict=True)
    ]
    np.testing.assert_allclose(values, expected, atol=1e-5)


@ARCHITECTURES
@pytest.mark.parametrize("spaces", [BOX, DISCRETE], ids=["box", "discrete"])
def test_one_observation_is_answered_like_a_batch(architecture, spaces):
    networks, seen, played = drawn(architecture, spaces), observations(spaces), actions()
    batch = agent(architecture).values_of_skips(networks, seen, played)
    single = agent(architecture).values_of_skips(networks, seen[7], played[7])
    assert batch.shape == (20, len(SKIPS))
    assert single.shape == (len(SKIPS),)
    np.testing.assert_allclose(single, batch[7], atol=1e-6)


@ARCHITECTURES
def test_the_values_depend_on_the_action_and_on_the_observation(architecture):
    networks, seen = drawn(architecture), observations(BOX)
    of_actions = np.array(
        [
            agent(architecture).values_of_skips(networks, seen, np.full(20, action))
            for action in range(4)
        ]
    )
    for axis in (0, 1):
        changes = np.abs(np.diff(of_actions, axis=axis)).max(axis=(0, 1))
        assert (changes > 1e-3).all()


def shapes(layers):
    return [layer.weight.shape for layer in layers]


def test_the_layers_are_those_of_the_paper():
    """Section 3.2 and the appendix: 10 units for the action, joined to the last hidden layer."""
    concat, context, shared = (drawn(name).skip for name in ("concat", "context", "shared"))
    assert (shapes(concat.trunk), concat.context) == ([(4, 16), (16, 12)], ())
    assert concat.head.weight.shape == (12, 5)
    assert (shapes(context.trunk), shapes(context.context)) == ([(3, 16), (16, 12)], [(1, 10)])
    assert context.head.weight.shape == (22, 5)
    assert (shared.trunk, shapes(shared.context)) == ((), [(1, 10)])
    assert shared.head.weight.shape == (22, 5)
    assert shapes(drawn("concat", DISCRETE).skip.trunk)[0] == (7, 16)
    assert shapes(drawn("context", DISCRETE).skip.trunk)[0] == (6, 16)


# What one step of the skip policy's loss changes.


def connections(count=20):
    random = np.random.default_rng(4)
    return Connection(
        observation=jnp.asarray(observations(BOX, count)),
        action=jnp.asarray(actions(count)),
        skip=jnp.asarray(random.choice(SKIPS, count)),
        reward=jnp.asarray(random.normal(size=count).astype(np.float32)),
        discount=jnp.zeros(count),
        next_observation=jnp.zeros((count, 3)),
    )


@cache
def after_one_step(architecture):
    """The networks before and after learning from some connections, with one hidden layer."""
    chosen = agent(architecture, hidden=(16,))
    networks = drawn(architecture, BOX, (16,))
    state, _ = quick(chosen.learn_skips)(
        chosen.init(networks), Batch(None, connections()), jax.random.key(0)
    )
    return networks, jax.tree.map(np.asarray, chosen.params(state)), state


def adam_step(gradient):
    """The first step of Adam: the step size in the direction of each gradient (Kingma & Ba)."""
    first = 0.1 * gradient / (1 - 0.9)
    second = 0.001 * gradient**2 / (1 - 0.999)
    return -0.01 * first / (np.sqrt(second) + 1e-8)


def test_the_loss_of_a_shared_network_changes_the_trunk_of_the_behaviour_and_not_its_head():
    networks, after, _ = after_one_step("shared")
    trunk, head = networks.behaviour
    for old, new in zip(head, after.behaviour[1], strict=True):
        assert np.array_equal(old, new)
    batch = jax.tree.map(lambda column: np.asarray(column, np.float64), connections())
    features = np.maximum(batch.observation @ trunk.weight + trunk.bias, 0)
    (units,) = networks.skip.context
    context = np.maximum(batch.action[:, None] @ units.weight + units.bias, 0)
    joined = np.concatenate([features, context], axis=1)
    values = joined @ networks.skip.head.weight + networks.skip.head.bias
    taught = batch.skip[:, None] == np.array(SKIPS)
    errors = 2 / 20 * (values - batch.reward[:, None]) * taught
    back = errors @ networks.skip.head.weight.T
    to_features, to_context = back[:, :16] * (features > 0), back[:, 16:] * (context > 0)
    expected = [
        (trunk.weight, after.behaviour[0].weight, batch.observation.T @ to_features),
        (trunk.bias, after.behaviour[0].bias, to_features.sum(0)),
        (units.weight, after.skip.context[0].weight, batch.action[None] @ to_context),
        (units.bias, after.skip.context[0].bias, to_context.sum(0)),
        (networks.skip.head.weight, after.skip.head.weight, joined.T @ errors),
        (networks.skip.head.bias, after.skip.head.bias, errors.sum(0)),
    ]
    for old, new, gradient in expected:
        np.testing.assert_allclose(new - old, adam_step(gradient), atol=1e-4)
    assert np.abs(after.behaviour[0].weight - trunk.weight).max() > 0.009


@pytest.mark.parametrize("architecture", ["concat", "context"])
def test_the_loss_of_the_other_networks_leaves_the_behaviour_alone(architecture):
    networks, after, _ = after_one_step(architecture)
    for old, new in zip(
        jax.tree.leaves(networks.behaviour), jax.tree.leaves(after.behaviour), strict=True
    ):
        assert np.array_equal(old, new)
    for old, new in zip(jax.tree.leaves(networks.skip), jax.tree.leaves(after.skip), strict=True):
        assert np.abs(new - old).max() > 0.009


@ARCHITECTURES
def test_the_loss_of_the_skips_leaves_the_target_of_the_behaviour_alone(architecture):
    networks, _, state = after_one_step(architecture)
    for old, new in zip(
        jax.tree.leaves(networks.behaviour), jax.tree.leaves(state.behaviour.target), strict=True
    ):
        assert np.array_equal(old, new)
