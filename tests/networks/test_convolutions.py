"""Convolutions beside loops over every place and every filter."""

from __future__ import annotations

from functools import partial

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.replay.quick import quick

from temporl.agents import agent_class, make_agent
from temporl.agents.agent import Spaces
from temporl.networks.convolutions import (
    BOARD,
    NATURE,
    Convolution,
    convolve,
    convolved_size,
    draw_convolutions,
)
from temporl.networks.correlation import correlate
from temporl.replay import Batch
from temporl.skipping import Connection

BOARDS = Spaces((5, 6, 2), None, 3)


def looped(convolution, image):
    """The same, one place after the other."""
    weight, bias = convolution
    width, stride = len(weight), len(weight) // 2
    rows, columns = ((size - width) // stride + 1 for size in image.shape[:2])
    outputs = np.zeros((rows, columns, len(bias)))
    for row in range(rows):
        for column in range(columns):
            top, left = row * stride, column * stride
            patch = image[top : top + width, left : left + width]
            for one in range(len(bias)):
                outputs[row, column, one] = (patch * weight[..., one]).sum() + bias[one]
    return outputs


@pytest.mark.parametrize(("width", "shape"), [(8, (21, 18, 2)), (4, (11, 8, 3)), (3, (5, 7, 4))])
def test_a_convolution_is_what_a_loop_makes_of_it(width, shape):
    random = np.random.default_rng(width)
    convolution = Convolution(
        random.normal(size=(width, width, shape[2], 5)), random.normal(size=5)
    )
    images = random.normal(size=(2, *shape))
    expected = np.stack([looped(convolution, image) for image in images])
    np.testing.assert_allclose(convolve(convolution, images), expected, rtol=1e-12)
    np.testing.assert_allclose(convolve(convolution, images[0]), expected[0], rtol=1e-12)
    traced = jax.tree.map(lambda array: jnp.asarray(array, jnp.float32), (convolution, images))
    np.testing.assert_allclose(convolve(Convolution(*traced[0]), traced[1]), expected, atol=1e-4)


@pytest.mark.parametrize("channels", [1, 3, 4, 8])
def test_bytes_count_as_fractions_of_255_however_they_lie_in_memory(channels):
    random = np.random.default_rng(channels)
    convolution = Convolution(random.normal(size=(8, 8, channels, 5)), random.normal(size=5))
    images = random.integers(0, 256, size=(2, channels, 21, 18), dtype=np.uint8)
    turned = np.moveaxis(images, 1, -1)  # its bytes lie as those of the images did
    expected = np.stack([looped(convolution, image / 255) for image in turned])
    for seen in (turned, turned.copy(), jnp.asarray(turned)):
        np.testing.assert_allclose(convolve(convolution, seen), expected, atol=1e-4)
    np.testing.assert_allclose(convolve(convolution, turned[0]), expected[0], atol=1e-4)


def test_the_nature_network_and_the_small_one():
    random = np.random.default_rng(0)
    screen = draw_convolutions(random, (84, 84, 4))
    assert [(len(one.weight), len(one.bias)) for one in screen] == list(NATURE)
    assert convolved_size(screen, (84, 84, 4)) == 7 * 7 * 64
    board = draw_convolutions(random, (10, 10, 6))
    assert [(len(one.weight), len(one.bias)) for one in board] == list(BOARD)
    assert convolved_size(board, (10, 10, 6)) == 8 * 8 * 16
    smallest = draw_convolutions(random, (36, 40, 1))
    assert convolved_size(smallest, (36, 40, 1)) == 1 * 1 * 64


def small(name, **options):
    """An agent with few units, for boards."""
    usual = agent_class(name).defaults_for(
        gym.spaces.Box(0, 255, BOARDS.observation_shape, np.uint8)
    )
    return make_agent(name, **usual | {"hidden": (16,), "batch_size": 8} | options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("dqn", {}),
        ("dar", {}),
        ("t-dqn", {"architecture": "shared"}),
        ("t-dqn", {"architecture": "context"}),
    ],
)
def test_numpy_and_jax_decide_alike(name, options):
    agent = small(name, **options)
    networks = agent.draw(np.random.default_rng(3), BOARDS)
    traced = jax.tree.map(jnp.asarray, networks)
    for image in np.random.default_rng(4).integers(0, 256, (3, 5, 6, 2), dtype=np.uint8):
        values = agent.action_values(networks, image)
        assert values.shape == (3,)
        np.testing.assert_allclose(agent.action_values(traced, jnp.asarray(image)), values, 1e-4)
        ours = agent.greedy(networks, image, ()).decision
        theirs = agent.greedy(traced, jnp.asarray(image), ()).decision
        assert tuple(map(int, ours)) == tuple(map(int, theirs))


@pytest.mark.parametrize("architecture", ["context", "shared"])
def test_the_skip_depends_on_the_action_through_the_context_units(architecture):
    agent = small("t-dqn", architecture=architecture)
    networks = agent.draw(np.random.default_rng(0), BOARDS)
    image = np.random.default_rng(1).integers(0, 256, (5, 6, 2), dtype=np.uint8)

    def values(networks):
        skips = [agent.values_of_skips(networks, image, np.int64(a)) for a in range(3)]
        return np.stack(skips)

    assert np.ptp(values(networks), axis=0).min() > 0
    deaf = networks.skip.joined[0].weight.copy()
    deaf[:, -10:] = 0  # what the context units output counts for nothing
    layer = networks.skip.joined[0]._replace(weight=deaf)
    skip = networks.skip._replace(joined=(layer, *networks.skip.joined[1:]))
    np.testing.assert_array_equal(np.ptp(values(networks._replace(skip=skip)), axis=0), 0)


@pytest.mark.parametrize("architecture", ["context", "shared"])
def test_one_image_two_actions_two_skips(architecture):
    """On the same image, long is good for one action and short for the other: both are learned."""
    agent = small("t-dqn", architecture=architecture, max_skip=2, learning_rate=0.01)
    image = np.random.default_rng(1).integers(0, 256, (5, 6, 2), dtype=np.uint8)
    rows = [(0, 1, -1.0), (0, 2, 1.0), (1, 1, 1.0), (1, 2, -1.0)]
    action, skip, reward = (jnp.array(column) for column in zip(*rows, strict=True))
    images = jnp.stack([jnp.asarray(image)] * len(rows))
    batch = Connection(images, action, skip, reward, jnp.zeros(len(rows)), images)
    state = agent.init(agent.draw(np.random.default_rng(0), BOARDS))
    learn = quick(lambda state: agent.learn_skips(state, Batch(None, batch), jax.random.key(0))[0])
    for _ in range(150):
        state = learn(state)
    for played, best in ((0, 2), (1, 1)):
        values = agent.skip_values(agent.params(state), jnp.asarray(image), jnp.int32(played))
        assert values[best] == pytest.approx(1, abs=0.1)
        assert values[3 - best] == pytest.approx(-1, abs=0.1)


def test_shared_convolutions_are_taught_by_both_losses():
    agent = small("t-dqn", architecture="shared", max_skip=2)
    state = agent.init(agent.draw(np.random.default_rng(0), BOARDS))
    images = jnp.full((4, 5, 6, 2), 200, jnp.uint8)
    ones = jnp.ones(4)
    batch = Connection(images, jnp.zeros(4, jnp.int32), ones.astype(int), 5 * ones, ones, images)
    after, _ = quick(agent.learn_skips)(state, Batch(None, batch), jax.random.key(0))
    first, *_, last = zip(state.behaviour.network, after.behaviour.network, strict=True)
    assert (first[0].weight != first[1].weight).any()
    assert (last[0].weight == last[1].weight).all()


def test_the_target_follows_every_few_updates():
    agent = small("dqn", target_every=3, tau=1.0, loss="huber", clip_gradient=0.5)
    state = agent.init(agent.draw(np.random.default_rng(0), BOARDS))
    images = jnp.asarray(np.random.default_rng(1).integers(0, 256, (4, 5, 6, 2), dtype=np.uint8))
    ones, actions = jnp.ones(4), jnp.zeros(4, jnp.int32)
    batch = Connection(images, actions, actions + 1, ones, 0.9 * ones, images)
    learn = quick(lambda state: agent.td_update(state, batch, actions)[0])
    followed = []
    for _ in range(6):
        state = learn(state)
        followed.append(bool((state.network[0].weight == state.target[0].weight).all()))
    assert followed == [False, False, True] * 2


@pytest.mark.parametrize(
    ("outputs", "width", "shape"),
    [(1, 2, (2, 9, 8, 4)), (2, 3, (5, 6, 3)), (5, 3, (2, 9, 8, 4)), (5, 2, (2, 3, 4, 4, 1))],
)
def test_correlations_and_gradients_are_those_of_plain_differentiation(outputs, width, shape):
    random = np.random.default_rng(width)
    images = jnp.asarray(random.normal(size=shape), jnp.float32)
    filters = jnp.asarray(random.normal(size=(width, width, shape[-1], outputs)), jnp.float32)

    def plain(images, filters):
        down, across = (size - width + 1 for size in shape[-3:-1])
        return sum(
            images[..., row : row + down, column : column + across, :] @ filters[row, column]
            for row in range(width)
            for column in range(width)
        )

    def total(function, images, filters):
        return jnp.tanh(function(images, filters)).sum()

    np.testing.assert_allclose(correlate(images, filters), plain(images, filters), atol=1e-5)
    ours, expected = (
        jax.grad(partial(total, function), argnums=(0, 1))(images, filters)
        for function in (correlate, plain)
    )
    for gradient, known in zip(ours, expected, strict=True):
        np.testing.assert_allclose(gradient, known, atol=1e-5)
