"""Convolutions over images: rows, columns and channels, as bytes from 0 to 255.

A convolution moves on by half its width, rounded down: of widths 8, 4 and 3 that makes the strides
4, 2 and 1 of the Nature network. It is a product of matrices, so that NumPy and JAX compute it
alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from temporl.environments.images import is_screen
from temporl.networks.correlation import correlate
from temporl.networks.layers import (
    Array,
    Network,
    Shape,
    as_input,
    hidden,
    hidden_from_rows,
    namespace,
    relu,
)

NATURE = ((8, 32), (4, 64), (3, 64))
"""Widths and numbers of filters for screens (Mnih et al., 2015), which the paper uses."""
BOARD = ((3, 16),)
"""The same for small boards (Young and Tian, 2019)."""
SMALLEST_BOARD = 3


class Convolution(NamedTuple):
    """Filters; the weight's axes are rows, columns, channels and filters."""

    weight: Array
    bias: Array


def draw_convolutions(random: np.random.Generator, shape: Shape) -> tuple[Convolution, ...]:
    """Draw the convolutions for images of a shape, uniformly from ±1 / sqrt(inputs)."""
    channels, drawn = shape[2], []
    for width, filters in NATURE if is_screen(shape) else BOARD:
        bound = (width * width * channels) ** -0.5
        weight = random.uniform(-bound, bound, (width, width, channels, filters))
        bias = random.uniform(-bound, bound, filters)
        drawn.append(Convolution(weight.astype(np.float32), bias.astype(np.float32)))
        channels = filters
    return tuple(drawn)


def convolved_size(convolutions: Sequence[Convolution], shape: Shape) -> int:
    """The size of the output of convolutions for one image, flattened."""
    rows, columns, channels = shape
    for one in convolutions:
        width, channels = one.weight.shape[0], one.weight.shape[-1]
        rows, columns = (_places(size, width) for size in (rows, columns))
    return int(rows * columns * channels)


def convolve(convolution: Convolution, images: Array) -> Array:
    """The output of a convolution for an image, or for a batch of them."""
    weight, bias = convolution
    width, _, channels, filters = weight.shape
    stride = width // 2
    rows, columns = images.shape[-3:-1]
    down, across = _places(rows, width), _places(columns, width)
    # Blocks as wide as a stride become single places with more channels: then the stride is one.
    blocks = width // stride
    high, wide = down + blocks - 1, across + blocks - 1
    images = _in_blocks(images[..., : high * stride, : wide * stride, :], stride)
    if images.dtype == np.uint8:
        images = images.astype(np.float32) / np.float32(255)
    weight = weight.reshape(blocks, stride, blocks, stride, channels, filters)
    filters_of_blocks = namespace(weight).moveaxis(weight, 2, 1)
    return correlate(images, filters_of_blocks.reshape(blocks, blocks, -1, filters)) + bias


def _in_blocks(images: Array, width: int) -> Array:
    """Images with a place for every block of places, and all that is in it for its channels."""
    if images.dtype == np.uint8 and images.shape[-1] % 4 == 0:
        # Four bytes move as one word, which takes a fifth of the time. They must lie side by side,
        # which those of an environment that turns its images around do not.
        if isinstance(images, np.ndarray):
            images = np.ascontiguousarray(images)
        return _in_blocks(images.view(np.uint32), width).view(np.uint8)
    *batch, rows, columns, channels = images.shape
    images = images.reshape(*batch, rows // width, width, columns // width, width, channels)
    images = namespace(images).moveaxis(images, -3, -4)
    return images.reshape(*batch, rows // width, columns // width, width * width * channels)


def _places(size: int, width: int) -> int:
    return (size - width) // (width // 2) + 1


def convolved(convolutions: Sequence[Convolution], images: Array) -> Array:
    """The output of convolutions, with a ReLU after each: a row for each image."""
    seen = images
    for one in convolutions:
        seen = relu(convolve(one, seen))
    return seen.reshape(*seen.shape[:-3], -1)


def torso(layers: Network, observation: Array) -> Array:
    """The output of the hidden layers; convolutions come first where observations are images.

    After dense layers the samples are columns, after convolutions alone they are rows.
    """
    convolutions = _convolutions_of(layers)
    dense = layers[len(convolutions) :]
    if not convolutions:
        return hidden(dense, as_input(observation, dense[0].weight.shape[0]))
    seen = convolved(convolutions, observation)
    if not dense:
        return seen
    first, *others = dense
    return hidden(others, hidden_from_rows(first, seen))


def shareable(layers: Network) -> Network:
    """The hidden layers that a skip network can share: the convolutions, or all without any."""
    return tuple(_convolutions_of(layers) or layers)


def _convolutions_of(layers: Network) -> list[Convolution]:
    """The convolutions among the layers of a network."""
    return [one for one in layers if isinstance(one, Convolution)]
