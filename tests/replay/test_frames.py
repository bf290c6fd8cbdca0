"""Images kept once, beside a plain list of what an agent saw."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.replay.histories import GAMMA, columns_of, played, ring_layout, stacked
from tests.replay.quick import quick

from temporl.skipping import consecutive

STACK = 4


def seen(history) -> dict[int, list[int]]:
    """For the number of every image the numbers that an agent sees with it, the oldest first."""
    known = {}
    for episode in {one.episode for one in history}:
        steps = [one.step for one in history if one.episode == episode]
        numbers = [step.observation for step in steps] + [steps[-1].next_observation]
        for place, number in enumerate(numbers):
            known[number] = [numbers[max(0, place - back)] for back in range(STACK - 1, -1, -1)]
    return known


def pictures(numbers) -> np.ndarray:
    """Numbers as images of a row and two columns, with the stack as channels."""
    numbers = np.asarray(numbers)
    return np.stack([numbers // 256, numbers % 256], axis=-2)[..., None, :, :].astype(np.uint8)


def read(images) -> np.ndarray:
    """The numbers on such images."""
    high, low = np.moveaxis(np.asarray(images, np.int64)[:, 0], 1, 0)
    return 256 * high + low


@partial(quick, static_argnums=0)
def sampled(layout, history, moments, keys):
    """A batch from the ring after each of some moments."""

    def add(ring, step):
        ring = layout.add(ring, step)
        return ring, ring

    def batches(ring, key):
        return layout.sample(ring, key)

    ring = layout.empty(jnp.zeros((1, 2, STACK), jnp.uint8))
    _, rings = jax.lax.scan(add, ring, history)
    chosen = jax.tree.map(lambda array: array[moments], rings)
    return jax.vmap(batches)(chosen, keys)


@pytest.mark.parametrize(("spare", "cut"), [(None, 0.1), (2, 0.1), (2, 0.6), (9, 7)])
@pytest.mark.parametrize("spanning", ["run", "decision"])
def test_stacks_are_those_that_an_agent_saw(spare, cut, spanning):
    """Never across an episode's start, even where more episodes are cut than there is room for."""
    history = played(300, seed=5, cut=cut)
    known = seen(history)
    steps = stacked(history)._replace(
        observation=pictures([known[one.step.observation] for one in history]),
        next_observation=pictures([known[one.step.next_observation] for one in history]),
    )
    layout = ring_layout(
        37, 64, GAMMA, consecutive(5), spanning, transitions=spanning == "run", spare=spare
    )
    moments = jnp.array([40, 77, 150, 299])
    keys = jax.random.split(jax.random.key(0), len(moments))
    batch = sampled(replace(layout, stack=STACK), steps, moments, keys)
    played_numbers = {one.step.observation: time for time, one in enumerate(history)}
    for kind in filter(None, batch):
        for moment, *columns in zip(moments, *columns_of(kind), strict=True):
            _connection_holds(columns, known, played_numbers, int(moment))


def _connection_holds(columns, known, played_numbers, moment):
    before, after, discount = read(columns[0]), read(columns[5]), columns[4]
    for number, row in enumerate(before):
        assert row.tolist() == known[row[-1]]
        assert moment - 37 * 6 < played_numbers[row[-1]] <= moment
        if discount[number]:
            assert after[number].tolist() == known[after[number][-1]]
            length = round(np.log(discount[number]) / np.log(GAMMA))
            assert after[number][-1] == row[-1] + length


def test_a_ring_of_images_holds_each_once():
    layout = ring_layout(50_000, 32, GAMMA, consecutive(10), "run", spare=6, stack=4)
    ring = jax.eval_shape(lambda: layout.empty(jnp.zeros((84, 84, 4), jnp.uint8)))
    size = sum(array.size * array.dtype.itemsize for array in jax.tree.leaves(ring))
    assert ring.observation.image.shape == (50_021, 84, 84, 1)
    assert size < 360e6
