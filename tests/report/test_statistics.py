from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporl.report.statistics import estimate, first_reaching, normalized


@pytest.mark.parametrize(
    ("curve", "level", "first"),
    [
        ([0.0, 0.5, 0.9, 0.2, 1.0], 0.5, 2),
        ([0.0, 0.5, 0.9, 0.2, 1.0], 0.95, 5),
        ([1.0, 0.0], 0.95, 1),
        ([0.0, 0.94], 0.95, math.inf),
    ],
)
def test_first_reaching_counts_evaluations_from_one(curve, level, first):
    assert first_reaching(np.array(curve), level) == first


def test_a_level_is_reached_in_spite_of_rounding():
    assert first_reaching(np.array([0.0, np.float32(0.1) * 3 + np.float32(0.65)]), 0.95) == 2


def test_normalized_maps_the_ends_to_zero_and_one():
    returns = np.array([[-1.0, 0.0, 1.0], [0.5, -0.5, 1.0]])
    expected = [[0.0, 0.5, 1.0], [0.75, 0.25, 1.0]]
    np.testing.assert_array_equal(normalized(returns, -1.0, 1.0), expected)


@given(
    st.lists(st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3), min_size=2, max_size=12)
)
def test_the_value_is_the_plain_mean_and_lies_within_the_range_of_the_seeds(rows):
    curves = np.array(rows)
    found = estimate(np.mean, curves)
    assert found.value == pytest.approx(sum(map(sum, rows)) / curves.size, abs=1e-12)
    means = curves.mean(axis=1)
    assert means.min() - 1e-6 <= found.low <= found.high <= means.max() + 1e-6


def test_the_interval_holds_the_mean_and_shrinks_with_seeds():
    generator = np.random.default_rng(3)
    widths = []
    for seeds in (5, 20, 80, 320):
        found = estimate(np.mean, generator.normal(size=(seeds, 1)))
        assert found.low < found.value < found.high
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    # A mean of 320 standard normal values has the standard error 1 / sqrt(320).
    assert widths[-1] == pytest.approx(2 * 1.96 / math.sqrt(320), rel=0.2)


def test_the_same_curves_give_the_same_interval():
    curves = np.random.default_rng(0).normal(size=(10, 4))
    assert estimate(np.mean, curves) == estimate(np.mean, curves.copy())


def test_one_seed_has_an_interval_of_width_zero():
    assert estimate(np.mean, np.full((1, 3), 0.5)) == (0.5, 0.5, 0.5)


def test_what_some_resamples_never_reach_has_no_upper_end():
    curves = np.array([[0.0, 0.0], [0.0, 1.0]])
    found = estimate(lambda curve: first_reaching(curve, 0.5), curves)
    assert found == (2.0, 2.0, math.inf)


def test_seeds_of_two_curves_are_drawn_independently():
    curves = np.arange(20.0).reshape(20, 1)
    found = estimate(lambda one, other: float((one - other)[0]), curves, curves)
    assert found.value == 0.0
    assert found.low < -1.0
    assert found.high > 1.0
