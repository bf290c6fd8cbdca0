"""Correlating images with filters at every place, and how JAX is to differentiate that.

There are two ways to make one product of it. Either each place with its surroundings is a row; or
every place meets the filters of all offsets, and what belongs together is added up where it
belongs. Backward it is the same two ways: the gradients of all patches are added up, or every place
meets the gradients of all outputs that it took part in. Writing the largest matrix is what takes
time on a CPU, so the way with the smaller one is taken. XLA's own convolution is no faster by
itself, and several times slower in a condition or a loop.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from temporl.networks.layers import Array, Shape, namespace


def correlate(images: Array, filters: Array) -> Array:
    """The response of filters at every place of images; both end with rows, columns and channels.

    The filters' axes are rows, columns, channels and outputs.
    """
    correlate_here = _correlate if isinstance(images, np.ndarray) else _differentiable
    return correlate_here(images, filters)


def _correlate(images: Array, filters: Array) -> Array:
    width, outputs = filters.shape[1], filters.shape[-1]
    if _takes_patches(images.shape, filters.shape):
        return _surroundings(images, width) @ filters.reshape(-1, outputs)
    down, across = _places(images.shape, width)
    everywhere = _rows(images) @ _side_by_side(filters)
    everywhere = everywhere.reshape(*images.shape[:-1], width, width, outputs)
    return sum(
        everywhere[..., row : row + down, column : column + across, row, column, :]
        for row, column in _offsets(width)
    )


def _takes_patches(images: Shape, filters: Shape) -> bool:
    """Whether the matrix of all patches is smaller than that of all outputs."""
    rows, columns, channels = images[-3:]
    width, _, _, outputs = filters
    down, across = _places(images, width)
    return down * across * channels < rows * columns * outputs


def _places(images: Shape, width: int) -> tuple[int, int]:
    """At how many places a filter fits into images: downwards and across."""
    rows, columns = images[-3:-1]
    return rows - width + 1, columns - width + 1


def _offsets(width: int) -> list[tuple[int, int]]:
    """Where the parts of a filter are."""
    return [(row, column) for row in range(width) for column in range(width)]


def _side_by_side(filters: Array) -> Array:
    """Filters as a matrix: a row for every channel, the outputs of all offsets in columns."""
    return namespace(filters).moveaxis(filters, 2, 0).reshape(filters.shape[2], -1)


def _surroundings(images: Array, width: int) -> Array:
    """The patch around every place, with its pixels as further channels."""
    down, across = _places(images.shape, width)
    shifted = [
        images[..., row : row + down, column : column + across, :]
        for row, column in _offsets(width)
    ]
    return namespace(images).concat(shifted, axis=-1)


def _remember(images: Array, filters: Array) -> tuple[Array, tuple[Array, Array]]:
    return _correlate(images, filters), (images, filters)


def _gradients(known: tuple[Array, Array], gradient: Array) -> tuple[Array, Array]:
    images, filters = known
    width, _, channels, outputs = filters.shape
    answers = _rows(gradient)
    if _takes_patches(images.shape, filters.shape):
        parts = answers @ filters.reshape(-1, outputs).T
        of_images = _added_up(parts.reshape(*gradient.shape[:-1], width, width, channels))
        # The narrower of the two on the left: the other way round takes half as long again.
        of_filters = (answers.T @ _rows(_surroundings(images, width))).T
        return of_images, of_filters.reshape(filters.shape)
    met = _rows(_handed_back(gradient, width))
    of_images = (met @ _side_by_side(filters).T).reshape(images.shape)
    of_filters = (_rows(images).T @ met).reshape(channels, width, width, outputs)
    return of_images, jnp.moveaxis(of_filters, 0, 2)


def _added_up(parts: Array) -> Array:
    """What every place gets from all patches that it is part of."""
    last = parts.shape[-2] - 1
    batch = [(0, 0)] * (parts.ndim - 5)
    placed = [
        jnp.pad(
            parts[..., row, column, :],
            [*batch, (row, last - row), (column, last - column), (0, 0)],
        )
        for row, column in _offsets(last + 1)
    ]
    return sum(placed, start=jnp.zeros(()))


def _handed_back(gradient: Array, width: int) -> Array:
    """For every place the gradients of the outputs it took part in, one for each offset."""
    *batch, down, across, outputs = gradient.shape
    places = (*batch, down + width - 1, across + width - 1)
    met = jnp.zeros((*places, width * width, outputs), gradient.dtype)
    for number, (row, column) in enumerate(_offsets(width)):
        here = (slice(row, row + down), slice(column, column + across), number)
        met = met.at[(..., *here, slice(None))].set(gradient)
    return met.reshape(*places, -1)


def _rows(images: Array) -> Array:
    """Every place as a row of its channels."""
    return images.reshape(-1, images.shape[-1])


_differentiable = jax.custom_vjp(_correlate)
_differentiable.defvjp(_remember, _gradients)
