"""Correlating images with filters at every place, and how JAX is to differentiate that.

The filters' gradient is a product with all patches, and the images' a correlation again: of the
padded gradient with the filters turned round. Left to itself JAX turns the largest matrices around
and adds every patch to its place, which takes a third longer on a CPU. XLA's own convolution is no
faster by itself, and several times slower in a condition or a loop, where all training happens.
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
    return patches(images, filters.shape[0]) @ filters.reshape(-1, filters.shape[-1])


def patches(images: Numbers, width: int) -> Numbers:
    """The surroundings of every place, as so many more channels."""
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
    seen = patches(images, width).reshape(-1, width * width * channels)
    of_filters = (gradient.reshape(-1, outputs).T @ seen).T.reshape(filters.shape)
    around = [(0, 0)] * (gradient.ndim - 3) + [(width - 1, width - 1)] * 2 + [(0, 0)]
    turned = filters[::-1, ::-1].swapaxes(2, 3)
    return _correlate(jax.numpy.pad(gradient, around), turned), of_filters


_differentiable = jax.custom_vjp(_correlate)
_differentiable.defvjp(_remember, _gradients)
