"""How a batch is drawn: random words, rows, and the first of what is still there."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import UInt32


def random_words(key: Array, count: int) -> UInt32[Array, " count"]:
    """Random words from a key: a counter, scrambled twice with the lowbias32 hash.

    An update takes microseconds; JAX's own generator would be a tenth of it.
    """
    low, high = jax.random.key_data(key)

    def scramble(word: Array) -> Array:
        word = (word ^ (word >> 16)) * np.uint32(0x7FEB352D)
        word = (word ^ (word >> 15)) * np.uint32(0x846CA68B)
        return word ^ (word >> 16)

    counter = jnp.arange(count, dtype=jnp.uint32) * np.uint32(0x9E3779B9)
    return scramble(scramble(counter + low) ^ high)


def rows_of(array: Array, rows: Array) -> Array:
    """Some rows of an array; the indices are not checked, because all of them exist."""
    return array.at[rows].get(mode="promise_in_bounds")


def first_index_reaching(
    value: Callable[[Array], Array], bound: Array, begin: Array, end: Array
) -> Array:
    """The first index from `begin` on whose value reaches a bound; values never decrease."""

    def unsure(ends: tuple[Array, Array]) -> Array:
        return ends[0] < ends[1]

    def halve(ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = (low + high) // 2
        reached = value(middle) >= bound
        return jnp.where(reached, low, middle + 1), jnp.where(reached, middle, high)

    first: Array = jax.lax.while_loop(unsure, halve, (begin, end))[0]
    return first
