from __future__ import annotations

import json

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text, Tuple
from hypothesis import given
from hypothesis import strategies as st

from temporl.environments import enumerate_space
from temporl.environments.spaces import space_from_data, space_to_data
from temporl.errors import BadInput

simple = st.one_of(
    st.builds(lambda n, start: Discrete(n, start=start), st.integers(1, 6), st.integers(-9, 9)),
    st.lists(st.integers(1, 4), min_size=1, max_size=3).map(MultiDiscrete),
    st.tuples(st.integers(1, 3), st.integers(1, 3)).map(
        lambda sizes: MultiDiscrete([sizes, sizes], start=[[5, -5], [0, 1]])
    ),
    st.integers(1, 4).map(MultiBinary),
    st.just(MultiBinary([2, 2])),
)
spaces = st.recursive(
    simple, lambda parts: st.lists(parts, min_size=1, max_size=2).map(Tuple), max_leaves=3
)


def key(element):
    if isinstance(element, tuple):
        return tuple(map(key, element))
    return tuple(np.ravel(element).tolist())


@given(spaces)
def test_numbering_is_one_to_one(space):
    numbering = enumerate_space(space, "observation space", "test")
    elements = [numbering.element(index) for index in range(numbering.size)]
    assert all(space.contains(element) for element in elements)
    assert [numbering.index(element) for element in elements] == list(range(numbering.size))
    assert len({key(element) for element in elements}) == numbering.size


@given(spaces, st.integers(0, 2**31))
def test_every_sample_has_a_number(space, seed):
    numbering = enumerate_space(space, "observation space", "test")
    space.seed(seed)
    element = space.sample()
    index = numbering.index(element)
    assert 0 <= index < numbering.size
    assert key(numbering.element(index)) == key(element)


@pytest.mark.parametrize(
    ("space", "size"),
    [
        (Discrete(5), 5),
        (Discrete(5, start=3), 5),
        (MultiDiscrete([2, 3]), 6),
        (MultiBinary(5), 32),
        (MultiBinary([2, 3]), 64),
        (Tuple((Discrete(32), Discrete(11), Discrete(2))), 704),
    ],
)
def test_sizes_by_hand(space, size):
    assert enumerate_space(space, "space", "test").size == size


def test_plain_numbers_keep_their_order():
    numbering = enumerate_space(Discrete(5, start=3), "space", "test")
    assert [numbering.element(k) for k in range(5)] == [3, 4, 5, 6, 7]


@given(spaces)
def test_spaces_read_back_from_data(space):
    data = json.loads(json.dumps(space_to_data(space)))
    again = space_from_data(data)
    assert space_to_data(again) == data
    one, other = (enumerate_space(s, "space", "test") for s in (space, again))
    assert one.size == other.size
    for index in range(one.size):
        assert again.contains(one.element(index))
        assert key(one.element(index)) == key(other.element(index))


@pytest.mark.parametrize(
    "space", [Box(0, 1), Dict({"a": Discrete(2)}), Text(3), Tuple((Discrete(2), Box(0, 1)))]
)
def test_continuous_and_structured_spaces_are_refused_by_name(space):
    with pytest.raises(BadInput, match="'Mine-v0'") as caught:
        enumerate_space(space, "observation space", "Mine-v0")
    assert caught.value.field == "observation space"


@pytest.mark.parametrize("space", [Dict({"a": Discrete(2)}), Text(3)])
def test_structured_spaces_cannot_be_written_down(space):
    with pytest.raises(BadInput):
        space_to_data(space)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, np.int16])
def test_a_box_without_finite_bounds_is_read_back_as_wide_as_its_numbers_go(dtype):
    whole = np.dtype(dtype).kind in "iu"
    data = space_to_data(Box(0 if whole else -np.inf, 1 if whole else np.inf, (3, 2), dtype))
    again = space_from_data(data)
    assert (again.shape, again.dtype) == ((3, 2), dtype)
    assert again.contains(np.full((3, 2), 100, dtype))
    assert space_to_data(again) == data


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_finite_bounds_are_read_back(dtype):
    """Actions are scaled to them."""
    space = Box(np.array([-1, 0], dtype), np.array([2, 3], dtype), dtype=dtype)
    assert space_from_data(space_to_data(space)) == space


def test_a_table_too_large_for_memory_is_refused():
    with pytest.raises(BadInput, match="too large"):
        enumerate_space(MultiBinary(40), "observation space", "test")


def test_data_of_an_unknown_kind_is_refused():
    with pytest.raises(BadInput, match="sphere"):
        space_from_data({"kind": "sphere"})
