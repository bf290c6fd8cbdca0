"""Correlating images with filters at every place, and how JAX is to differentiate that.

Every place meets the filters of all offsets in one product, and what belongs together is added up
where it belongs. Backward, every place meets the gradients of all places around it, in one product
for the filters and in another for the images. So the largest matrix is neither the images' patches
nor turned around, which takes less time on a CPU than a product with all patches. XLA's own
convolution is no faster by itself, and several times slower in a condition or a loop.
"""

from __future__ import annotations

import jax
import numpy as np
from jax import Array

from temporl.networks.layers import Numbers, namespace


def correlate(images: Numbers, filters: Numbers) -> Numbers:
    """What filters see at every place of images; both end with rows, columns and channels.

    The filters' axes are rows, columns, channels and outputs.
    """
    correlate_here = _correlate if isinstance(images, np.ndarray) else _differentiable
    return correlate_here(images, filters)


def _correlate(images: Numbers, filters: Numbers) -> Numbers:
    width, _, channels, outputs = filters.shape
    down, across = (size - width + 1 for size in images.shape[-3:-1])
    everywhere = images.reshape(-1, channels) @ _side_by_side(filters)
    everywhere = everywhere.reshape(*images.shape[:-1], width, width, outputs)
    return sum(
        everywhere[..., row : row + down, column : column + across, row, column, :]
        for row in range(width)
        for column in range(width)
    )


def _side_by_side(filters: Numbers) -> Numbers:
    """Filters as a matrix: a row for every channel, the outputs of all offsets in columns."""
    return namespace(filters).moveaxis(filters, 2, 0).reshape(filters.shape[2], -1)


def _surroundings(images: Numbers, width: int) -> Numbers:
    """The neighbours of every place, as so many more channels."""
    down, across = (size - width + 1 for size in images.shape[-3:-1])
    shifted = [
        images[..., row : row + down, column : column + across, :]
        for row in range(width)
        for column in range(width)
    ]
    return namespace(images).concat(shifted, axis=-1)


def _remember(images: Array, filters: Array) -> tuple[Array, tuple[Array, Array]]:
    return _correlate(images, filters), (images, filters)


def _gradients(known: tuple[Array, Array], gradient: Array) -> tuple[Array, Array]:
    images, filters = known
    width, _, channels, outputs = filters.shape
    edge = [(0, 0)] * (gradient.ndim - 3) + [(width - 1, width - 1)] * 2 + [(0, 0)]
    around = _surroundings(jax.numpy.pad(gradient, edge), width).reshape(
        -1, width * width * outputs
    )
    # The first neighbour of a place is the one that has seen it with its last filter.
    of_turned = images.reshape(-1, channels).T @ around
    of_filters = of_turned.reshape(channels, width, width, outputs)[:, ::-1, ::-1]
    of_images = around @ _side_by_side(filters[::-1, ::-1]).T
    return of_images.reshape(images.shape), jax.numpy.moveaxis(of_filters, 0, 2)


_differentiable = jax.custom_vjp(_correlate)
_differentiable.defvjp(_remember, _gradients)
