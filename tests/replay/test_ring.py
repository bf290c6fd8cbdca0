"""The ring beside a plain list of everything that was played."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.replay.histories import (
    GAMMA,
    all_connections,
    all_decisions,
    all_transitions,
    columns_of,
    filled,
    played,
    ring_layout,
    stacked,
    table,
    watched,
)
from tests.replay.quick import quick

from temporl.skipping import consecutive, powers_of_two, skip_set

STEPS = 300
SETS = [consecutive(5), consecutive(1), powers_of_two(16), skip_set([1, 3, 4])]


def assert_rows(found, expected, moment="the end", tolerance=1e-5):
    """The same connections; rewards add up in another order, so the last digits may differ."""
    assert found[0].shape == (len(expected),), f"after {moment}"
    np.testing.assert_allclose(
        table(found), table(expected.T), rtol=1e-5, atol=tolerance, err_msg=f"after {moment}"
    )


def assert_connections_at_every_moment(layout, history):
    counts, columns, _ = jax.tree.map(np.asarray, watched(layout, stacked(history)))
    expected, ends = all_connections(history, layout.experience.skips, layout.spanning)
    wanted = layout.experience.buffer_size
    for moment in range(len(history)):
        last = expected[ends <= moment][-wanted:]
        assert_rows([c[moment, : counts[moment]] for c in columns], last, moment)


@pytest.mark.parametrize("spanning", ["run", "skip"])
@pytest.mark.parametrize("skips", SETS, ids=str)
def test_holds_exactly_the_last_connections_at_every_moment(spanning, skips):
    """Less than full, full, and several times around."""
    history = played(STEPS, seed=37)
    assert_connections_at_every_moment(ring_layout(37, 8, GAMMA, skips, spanning), history)


@pytest.mark.parametrize(
    ("capacity", "skips"),
    [(500, consecutive(4)), (64, powers_of_two(16)), (12, consecutive(5))],
    ids=["never full", "two blocks", "smaller than a block"],
)
def test_holds_exactly_the_last_connections_at_other_sizes(capacity, skips):
    history = played(STEPS, seed=capacity)
    assert_connections_at_every_moment(ring_layout(capacity, 8, GAMMA, skips, "run"), history)


@pytest.mark.parametrize("connections", [500, 10**6], ids=["some", "all"])
@pytest.mark.parametrize("skips", SETS, ids=str)
def test_more_connections_than_steps_are_kept_where_all_steps_are(skips, connections):
    layout = ring_layout(STEPS, 8, GAMMA, skips, "run", connections=connections)
    assert_connections_at_every_moment(layout, played(STEPS, seed=11))


@pytest.mark.parametrize("end", [0.0, 0.5, 1.0])
def test_no_steps_end_more_connections_than_there_is_room_for(end):
    skips, history = consecutive(5), played(STEPS, seed=12, end=end)
    layout = ring_layout(STEPS, 8, GAMMA, skips, "run", connections=10**6)
    assert len(all_connections(history, skips, "run")[0]) <= layout.sampled_connections


def test_room_for_as_many_time_limits_as_there_are_is_enough():
    """A limit of ten steps cuts at most four episodes among the last 37 steps."""
    layout = ring_layout(37, 8, GAMMA, consecutive(5), "run", spare=4)
    assert_connections_at_every_moment(layout, played(STEPS, seed=7, end=0.0, cut=10))


@pytest.mark.parametrize("cut", [0.0, 0.1, 0.9])
@pytest.mark.parametrize("spanning", ["none", "run"])
def test_transitions_are_the_last_steps_at_every_moment(spanning, cut):
    history = played(STEPS, seed=2, cut=cut)
    layout = ring_layout(37, 8, GAMMA, consecutive(5), spanning)
    columns = jax.tree.map(np.asarray, watched(layout, stacked(history))[2])
    expected = all_transitions(history)
    for moment in range(STEPS):
        count = min(moment + 1, 37)
        last = expected[moment + 1 - count : moment + 1]
        assert_rows([c[moment, :count] for c in columns], last, moment)


def decisions_at_every_moment(layout, history):
    """Compare every moment with the list of decisions; gives how many could be sampled at each."""
    counts, columns, _ = jax.tree.map(np.asarray, watched(layout, stacked(history)))
    expected, ends = all_decisions(history)
    for moment in range(len(history)):
        so_far = expected[ends <= moment]
        last = so_far[len(so_far) - counts[moment] :]
        assert_rows([c[moment, : counts[moment]] for c in columns], last, moment)
    return counts, np.array([(ends <= moment).sum() for moment in range(len(history))])


@pytest.mark.parametrize("cut", [0.0, 0.1, 0.9])
def test_all_whole_decisions_are_kept_where_there_is_room(cut):
    layout = ring_layout(STEPS, 8, GAMMA, skip_set([1, 5]), "decision", transitions=False)
    counts, so_far = decisions_at_every_moment(layout, played(STEPS, seed=3, cut=cut))
    assert counts.tolist() == so_far.tolist()


SMALL = ring_layout(50, 8, GAMMA, skip_set([1, 5]), "decision", transitions=False)


@pytest.mark.parametrize("cut", [0.0, 0.1, 0.9])
def test_decisions_whose_steps_are_gone_are_not_sampled(cut):
    counts, so_far = decisions_at_every_moment(SMALL, played(STEPS, seed=4, cut=cut))
    assert counts[-1] > 10
    assert (so_far > 50).any()


@pytest.mark.parametrize("first", [1, 5])
def test_decisions_whose_steps_are_gone_are_not_sampled_when_their_length_changes(first):
    """An agent that first decides at every step and then rarely, and the other way round."""
    history = played(
        STEPS,
        seed=5,
        end=0.0,
        cut=0.0,
        lengths=lambda moment: [first if moment < 150 else 6 - first],
    )
    counts, _ = decisions_at_every_moment(SMALL, history)
    assert counts[-1] > 10


def test_skips_of_up_to_1024_steps():
    """Runs of up to 1500 steps, the last of which ends in a terminal state, start by start."""
    gamma, skips, lengths = 0.995, powers_of_two(1024), [1500, 700, 1100, 300]
    actions, stop = np.repeat([0, 1, 0, 1], lengths), np.repeat(np.cumsum(lengths), lengths)
    steps = stacked(played(len(actions), seed=8, end=0.0, cut=0.0))._replace(action=actions)
    steps.terminated[-1] = True
    expected = []
    for start, action in enumerate(actions):
        for skip in skips:
            end = min(start + skip, stop[start])
            terminated = end == len(actions)
            if end - start == skip or terminated:
                reward = steps.reward[start:end] @ gamma ** np.arange(end - start)
                discount = 0.0 if terminated else gamma**skip
                expected.append((start, action, skip, reward, discount, end))
    layout = ring_layout(40_000, len(expected), gamma, skips, "run", transitions=False)
    ring = filled(layout, steps)
    assert int(ring.connections) == len(expected)
    draws = jnp.arange(len(expected), dtype=jnp.uint32)
    found = columns_of(quick(layout._connections)(ring, draws))
    assert_rows(found, np.array(expected), tolerance=1e-3)


UNIFORM = ring_layout(100, 1000, GAMMA, consecutive(3), "run")
SAMPLE = quick(jax.vmap(UNIFORM.sample, (None, 0)))


def rows(connections, choose):
    """Connections as something that can be counted."""
    columns = [np.asarray(choose(c), np.float64) for c in columns_of(connections)]
    return [tuple(row) for row in np.stack(columns, axis=-1)]


@pytest.fixture(scope="module")
def sampled():
    """A ring, and a thousand draws of a hundred keys."""
    history = played(200, seed=5)
    ring = filled(UNIFORM, stacked(history))
    keys = jax.vmap(jax.random.key)(jnp.arange(100))
    return history, SAMPLE(ring, keys)


@pytest.mark.parametrize("kind", ["connections", "transitions"])
def test_sampling_is_uniform(kind, sampled):
    history, batches = sampled
    found = Counter(rows(getattr(batches, kind), np.ravel))
    wanted = (
        all_connections(history, consecutive(3), "run")[0]
        if kind == "connections"
        else all_transitions(history)
    )[-100:]
    assert {(row[0], row[2]) for row in found} == {(row[0], row[2]) for row in wanted}
    counts = np.array(list(found.values()))
    assert (len(counts), counts.sum()) == (100, 100_000)
    chi_square = float(((counts - 1000.0) ** 2 / 1000.0).sum())
    assert abs(chi_square - 99) < 5 * np.sqrt(2 * 99)


@pytest.mark.parametrize("kind", ["connections", "transitions"])
def test_the_key_decides_what_is_drawn(kind, sampled):
    history, batches = sampled
    one, two = (rows(getattr(batches, kind), itemgetter(draw)) for draw in (0, 1))
    ring = filled(UNIFORM, stacked(history))
    again = getattr(SAMPLE(ring, jnp.stack([jax.random.key(0)] * 100)), kind)
    assert one != two
    assert one == rows(again, itemgetter(99))


def test_transitions_and_connections_are_drawn_apart(sampled):
    """The k-th transition says nothing about the k-th connection."""
    _, batches = sampled
    starts = [np.asarray(columns.observation).ravel() for columns in batches]
    assert abs(np.corrcoef(*starts)[0, 1]) < 0.02


def test_it_is_ready_with_the_first_whole_batch():
    steps, decisions = (
        ring_layout(64, 8, GAMMA, consecutive(5), spanning, spanning == "run")
        for spanning in ("run", "decision")
    )
    empty = steps.empty(jnp.zeros(()))
    assert not steps.ready(empty._replace(steps=7, connections=20))
    assert steps.ready(empty._replace(steps=8, connections=20))
    assert not decisions.ready(empty._replace(steps=20, connections=7))
    assert decisions.ready(empty._replace(steps=20, connections=8))


@pytest.mark.parametrize("spare", [5001, None])
def test_a_million_steps_of_mountain_car_take_at_most_100_megabytes(spare):
    layout = ring_layout(1_000_000, 64, 0.99, consecutive(10), "run", spare=spare)
    ring = jax.eval_shape(layout.empty, jax.ShapeDtypeStruct((2,), jnp.float32))
    total = sum(array.size * array.dtype.itemsize for array in jax.tree.leaves(ring))
    assert 1_000_000 * 2 * 4 < total < 100e6
