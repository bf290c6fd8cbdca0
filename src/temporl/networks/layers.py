"""Dense layers: the parts that every network here is made of.

Between layers the samples of a batch are columns: the products of small layers are a quarter faster
that way on a CPU than with samples in rows (`as_input` and `as_rows` go there and back). A single
sample is a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from jax import Array as JaxArray

    Output = JaxArray
else:
    Output = Any  # of the same kind as the arrays of the network

Array = Any
"""An array of NumPy or of JAX: a saved policy calls the very functions that training traces."""

Network = tuple[Any, ...]
"""Layers of several kinds, applied one after the other."""
Shape = tuple[int, ...]


class Layer(NamedTuple):
    """A dense layer; its weight has a row for every input and a column for every output."""

    weight: Array
    bias: Array


class WideLayer(NamedTuple):
    """A dense layer after convolutions, with thousands of inputs.

    Its weight, the largest of all, has a row for every output, so that it is read in memory order.
    """

    weight: Array
    bias: Array


def draw_layer(random: np.random.Generator, inputs: int, outputs: int) -> Layer:
    """Draw a layer uniformly from ±1 / sqrt(inputs), as the paper's code (PyTorch's default)."""
    bound = inputs**-0.5
    return Layer(
        random.uniform(-bound, bound, (inputs, outputs)).astype(np.float32),
        random.uniform(-bound, bound, outputs).astype(np.float32),
    )


def draw_layers(random: np.random.Generator, sizes: Sequence[int]) -> tuple[Layer, ...]:
    """Draw the layers between given sizes."""
    return tuple(draw_layer(random, inputs, outputs) for inputs, outputs in pairwise(sizes))


def draw_wide_layers(
    random: np.random.Generator, sizes: Sequence[int]
) -> tuple[WideLayer | Layer, ...]:
    """The same where the first layer has the outputs of convolutions for its inputs."""
    first, *others = draw_layers(random, sizes)
    return WideLayer(np.ascontiguousarray(first.weight.T), first.bias), *others


def apply(dense: Layer, inputs: Array) -> Array:
    """The output of a layer, before its activation, for a batch or a single input."""
    bias = dense.bias if inputs.ndim == 1 else dense.bias[:, None]
    return dense.weight.T @ inputs + bias


def apply_joined(dense: Layer, left: Array, right: Array) -> Array:
    """The output of a layer for two inputs, concatenated."""
    return apply(dense, namespace(left).concat([left, right], axis=0))


def relu(values: Array) -> Array:
    """Zero where a value is negative."""
    return namespace(values).maximum(values, 0)


def namespace(values: Array) -> Any:
    """The module whose functions take these arrays, as the array API standard has it."""
    return values.__array_namespace__()


def hidden(dense: Sequence[Layer], inputs: Array) -> Array:
    """The output of a sequence of layers, with a ReLU after each."""
    for one in dense:
        inputs = relu(apply(one, inputs))
    return inputs


def hidden_from_rows(wide: WideLayer, rows: Array) -> Array:
    """The output of a layer and a ReLU for samples in rows, as convolutions output them."""
    bias = wide.bias if rows.ndim == 1 else wide.bias[:, None]
    return relu(wide.weight @ rows.T + bias)


def as_input(values: Array, size: int) -> Array:
    """A network's input for an observation: an array as it is, a discrete one as one-hot."""
    if values.dtype.kind in "iu":
        values = (values[..., None] == np.arange(size)).astype(np.float32)
    return values.T


def as_rows(outputs: Array) -> Output:
    """A network's outputs for a batch, a row for every sample."""
    rows: Output = outputs.T
    return rows
