"""Dense layers: the parts that every network here is made of.

Between layers the samples of a batch are columns: the products of small layers are a quarter faster
that way on a CPU than with samples in rows (`as_input` and `as_rows` go there and back). A single
sample is a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

Numbers = Any
"""An array of NumPy or of JAX."""
Shape = tuple[int, ...]


class Layer(NamedTuple):
    """A dense layer; its weight has a row for every input and a column for every output."""

    weight: Numbers
    bias: Numbers


class WideLayer(NamedTuple):
    """A dense layer behind convolutions, with thousands of inputs.

    Its weight, the largest of all, has a row for every output: it is read as it lies in memory.
    """

    weight: Numbers
    bias: Numbers


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


def apply(dense: Layer, inputs: Numbers) -> Numbers:
    """What a layer makes of a batch, or of a single input."""
    bias = dense.bias if inputs.ndim == 1 else dense.bias[:, None]
    return dense.weight.T @ inputs + bias


def apply_joined(dense: Layer, left: Numbers, right: Numbers) -> Numbers:
    """What a layer makes of two inputs together."""
    return apply(dense, namespace(left).concat([left, right], axis=0))


def relu(values: Numbers) -> Numbers:
    """Zero where a value is negative."""
    return namespace(values).maximum(values, 0)


def namespace(values: Numbers) -> Any:
    """The module whose functions take these arrays, as the array API standard has it."""
    return values.__array_namespace__()


def hidden(dense: Sequence[Layer], inputs: Numbers) -> Numbers:
    """What a sequence of layers, with a rectifier behind each, makes of its inputs."""
    for one in dense:
        inputs = relu(apply(one, inputs))
    return inputs


def hidden_from_rows(wide: WideLayer, rows: Numbers) -> Numbers:
    """What a layer and a rectifier make of samples in rows, such as convolutions leave behind."""
    bias = wide.bias if rows.ndim == 1 else wide.bias[:, None]
    return relu(wide.weight @ rows.T + bias)


def as_input(values: Numbers, size: int) -> Numbers:
    """What a network sees of an observation: numbers as they are, a whole number as one-hot."""
    if values.dtype.kind in "iu":
        values = (values[..., None] == np.arange(size)).astype(np.float32)
    return values.T


def as_rows(outputs: Numbers) -> Numbers:
    """What a network says of a batch, a row for every sample."""
    return outputs.T
