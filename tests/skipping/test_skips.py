from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporl.errors import BadInput
from temporl.skipping import consecutive, powers_of_two, skip_set
from temporl.skipping.skips import first_at_least

skip_sets = st.sets(st.integers(2, 60), max_size=8).map(lambda s: skip_set([1, *sorted(s)]))


def test_every_length_up_to_the_longest():
    assert consecutive(1) == (1,)
    assert consecutive(7) == (1, 2, 3, 4, 5, 6, 7)


def test_powers_of_two_go_up_to_the_longest():
    assert [powers_of_two(longest) for longest in (1, 2, 3)] == [(1,), (1, 2), (1, 2)]
    assert powers_of_two(8) == (1, 2, 4, 8)
    assert powers_of_two(1023) == (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
    assert powers_of_two(1024) == (*powers_of_two(1023), 1024)


def test_any_increasing_lengths_are_a_set():
    assert skip_set([1, 3, 9]) == (1, 3, 9)


@pytest.mark.parametrize(
    "lengths", [[], [2, 3], [0, 1], [1, 1], [1, 3, 2], [1, 2, 2], [-1, 1], [1, 2.5]]
)
def test_lengths_that_do_not_increase_from_one_are_refused(lengths):
    with pytest.raises(BadInput, match="skips") as caught:
        skip_set(lengths)
    assert caught.value.field == "skips"


@pytest.mark.parametrize(("make", "longest"), [(consecutive, 0), (powers_of_two, -3)])
def test_a_longest_skip_below_one_is_refused(make, longest):
    with pytest.raises(BadInput) as caught:
        make(longest)
    assert (caught.value.field, caught.value.value) == ("max_skip", longest)


@given(skip_sets)
def test_each_distance_finds_the_first_skip_that_long(skips):
    found = first_at_least(skips).tolist()
    assert len(found) == skips[-1] + 2
    for distance, index in enumerate(found):
        assert all(skip < distance for skip in skips[:index])
        assert all(skip >= distance for skip in skips[index:])
