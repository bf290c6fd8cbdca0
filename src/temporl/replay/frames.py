"""Images, each kept once: a stacked observation is formed from the last few when it is sampled.

Before an episode has as many, its first one stands for those that are missing, as in Gymnasium's
`FrameStackObservation`. An image of the episode before is never among them.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Int, UInt8

from temporl.replay.sampling import rows_of


class Frames(NamedTuple):
    """The newest image of every observation."""

    image: UInt8[Array, "slot row column channel"]
    age: Int[Array, " slot"]
    """How many images before it belong to the same episode."""
    next_age: Int[Array, ""]
    """The same for the next step's."""


def no_frames(slots: int, observation: Array, stack: int) -> Frames:
    """Room for images, of which `stack` make an observation."""
    rows, columns, channels = observation.shape
    image = jnp.zeros((slots, rows, columns, channels // stack), observation.dtype)
    return Frames(image, jnp.zeros(slots, jnp.int32), jnp.int32(0))


def keep_frames(
    frames: Frames, slots: tuple[Array, Array], seen: tuple[Array, Array], over: Array
) -> Frames:
    """Keep what was seen before and after a step."""
    (here, following), (before, after) = slots, seen
    channels = frames.image.shape[-1]
    image = frames.image.at[here].set(before[..., -channels:])
    image = image.at[following].set(after[..., -channels:])
    age = frames.age.at[here].set(frames.next_age).at[following].set(frames.next_age + 1)
    return Frames(image, age, jnp.where(over, 0, frames.next_age + 1))


def stacked_frames(frames: Frames, slot: Array, stack: int) -> Array:
    """The observations whose newest images are in these slots: the newest is the last channel."""
    age = rows_of(frames.age, slot)
    back = jnp.minimum(jnp.arange(stack - 1, -1, -1), age[:, None])
    images = rows_of(frames.image, (slot[:, None] - back) % len(frames.age))
    return jnp.moveaxis(images, 1, -2).reshape(*slot.shape, *images.shape[2:4], -1)
