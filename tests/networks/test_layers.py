"""Dense layers, beside the same sums written out."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from temporl.networks.layers import (
    Layer,
    apply,
    apply_joined,
    as_input,
    as_rows,
    draw_layer,
    draw_layers,
    hidden,
)

SMALL = Layer(
    np.array([[1.0, -2.0], [3.0, 0.5], [0.0, 1.0]], np.float32), np.array([0.5, -1.0], np.float32)
)


@pytest.mark.parametrize("module", [np, jnp])
def test_a_layer_is_a_product_and_a_bias(module):
    values = module.asarray([[1.0, 2.0, 4.0], [0.0, 0.0, 0.0]])
    assert as_rows(apply(SMALL, as_input(values, 3))).tolist() == [[7.5, 2.0], [0.5, -1.0]]
    assert apply(SMALL, values[0]).tolist() == [7.5, 2.0]


@pytest.mark.parametrize("module", [np, jnp])
def test_joined_inputs_are_one_input(module):
    left, right = module.asarray([1.0]), module.asarray([2.0, 4.0])
    assert apply_joined(SMALL, left, right).tolist() == [7.5, 2.0]
    columns = apply_joined(SMALL, left[:, None], right[:, None])
    assert columns.tolist() == [[7.5], [2.0]]


@pytest.mark.parametrize("module", [np, jnp])
def test_negative_values_do_not_pass_a_hidden_layer(module):
    negative = Layer(np.array([[1.0, -1.0]]), np.zeros(2))
    assert hidden([negative], module.asarray([3.0])).tolist() == [3.0, 0.0]
    assert hidden([negative], module.asarray([-3.0])).tolist() == [0.0, 3.0]


@pytest.mark.parametrize(
    ("module", "dtype"), [(np, "int64"), (np, "int32"), (np, "uint8"), (jnp, "int32")]
)
def test_a_whole_number_is_seen_as_one_hot(module, dtype):
    seen = as_input(module.asarray([2, 0], dtype), 3)
    assert seen.dtype == np.float32
    assert as_rows(seen).tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert as_input(module.asarray(1, dtype), 3).tolist() == [0.0, 1.0, 0.0]


def test_other_numbers_are_seen_as_they_are():
    values = np.array([2.0, 0.0], np.float32)
    assert np.shares_memory(as_input(values, 2), values)
    assert as_input(values, 2).tolist() == [2.0, 0.0]


def test_weights_are_drawn_from_the_whole_interval_that_pytorch_draws_from():
    weight, bias = draw_layer(np.random.default_rng(0), 16, 5000)
    assert weight.shape == (16, 5000)
    assert bias.shape == (5000,)
    for array in (weight, bias):
        assert array.dtype == np.float32
        assert -0.25 <= array.min() < -0.249
        assert 0.249 < array.max() <= 0.25
        assert abs(array.mean()) < 0.01
        assert array.var() == pytest.approx(0.25**2 / 3, rel=0.03)


def test_layers_fit_one_another():
    layers = draw_layers(np.random.default_rng(0), (3, 50, 20, 4))
    assert [layer.weight.shape for layer in layers] == [(3, 50), (50, 20), (20, 4)]
    assert [layer.bias.shape for layer in layers] == [(50,), (20,), (4,)]
    assert not np.array_equal(layers[0].weight[0, :4], layers[1].weight[0, :4])
