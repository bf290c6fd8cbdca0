"""Discrete spaces as ranges of integers, so that a table can have a row for each element."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Tuple

from temporl.environments.types import Space
from temporl.errors import BadInput
from temporl.types import Element, Record

MOST_ELEMENTS = 50_000_000
"""Rows of a table."""
MOST_NUMBERS = 1_000_000
"""Components of one observation or action."""


@dataclass(frozen=True)
class Enumeration:
    """A numbering of the elements of a discrete space, from 0 to `size - 1`."""

    space: Space
    ranges: tuple[tuple[int, int], ...]
    """For each number in an element, how many values it has, and the first of them."""

    @property
    def size(self) -> int:
        """How many elements there are."""
        return math.prod(size for size, _ in self.ranges)

    def index(self, element: Element) -> int:
        """The number of an element."""
        total = 0
        for value, (size, start) in zip(_parts(self.space, element), self.ranges, strict=True):
            total = total * size + int(value) - start
        return total

    def element(self, index: int) -> Element:
        """The element with a number, as the space itself would give it."""
        values = []
        for size, start in reversed(self.ranges):
            index, remainder = divmod(index, size)
            values.append(remainder + start)
        return _assemble(self.space, list(reversed(values)))


def enumerate_space(space: Space, field: str, environment: str) -> Enumeration:
    """Number a space made of `Discrete`, `MultiDiscrete`, `MultiBinary` and tuples of them."""
    enumeration = Enumeration(space, tuple(_ranges(space, field, environment)))
    if enumeration.size > MOST_ELEMENTS:
        raise BadInput(
            field, space, f"a table with {enumeration.size:,} rows is too large; use another agent"
        )
    return enumeration


def space_to_data(space: Space) -> Record:
    """A space as pure data, to load a policy without its environment.

    The bounds of a box are left out where they are not all finite: only those of actions matter.
    """
    if isinstance(space, Discrete):
        return {"kind": "discrete", "n": int(space.n), "start": int(space.start)}
    if isinstance(space, MultiDiscrete):
        return {
            "kind": "multi-discrete",
            "nvec": space.nvec.tolist(),
            "start": space.start.tolist(),
        }
    if isinstance(space, MultiBinary):
        return {"kind": "multi-binary", "shape": list(space.shape)}
    if isinstance(space, Tuple):
        return {"kind": "tuple", "spaces": [space_to_data(part) for part in space.spaces]}
    if isinstance(space, Box):
        data = {"kind": "box", "shape": list(space.shape), "dtype": str(space.dtype)}
        if np.dtype(space.dtype).kind == "f" and space.is_bounded():
            data |= {"low": space.low.tolist(), "high": space.high.tolist()}
        return data
    raise BadInput("space", space, "allowed: boxes, discrete spaces and tuples of these")


def space_from_data(data: Record) -> Space:
    """Read back what `space_to_data` wrote."""
    kind = data["kind"]
    if kind == "discrete":
        return Discrete(int(data["n"]), start=int(data["start"]))
    if kind == "multi-discrete":
        return MultiDiscrete(np.array(data["nvec"]), start=np.array(data["start"]))
    if kind == "tuple":
        return Tuple([space_from_data(part) for part in data["spaces"]])
    if kind in ("multi-binary", "box"):
        shape = [int(size) for size in data["shape"]]
        if math.prod(shape) > MOST_NUMBERS:
            raise BadInput("space", shape, f"allowed: at most {MOST_NUMBERS:,} elements")
        return MultiBinary(shape) if kind == "multi-binary" else _box(shape, data)
    raise BadInput("space", kind, "allowed: discrete, multi-discrete, multi-binary, tuple, box")


def _box(shape: list[int], data: Record) -> Box:
    """A box with its bounds, or with those of its dtype."""
    dtype: np.dtype[Any] = np.dtype(data["dtype"])
    if "low" in data:
        low, high = (np.array(data[end], dtype).reshape(shape) for end in ("low", "high"))
        return Box(low, high, dtype=dtype.type)
    if dtype.kind == "f":
        return Box(-np.inf, np.inf, shape, dtype.type)
    bounds = np.iinfo(dtype)
    return Box(bounds.min, bounds.max, shape, dtype.type)


def _ranges(space: Space, field: str, environment: str) -> list[tuple[int, int]]:
    if isinstance(space, Discrete):
        return [(int(space.n), int(space.start))]
    if isinstance(space, MultiDiscrete):
        return list(zip(space.nvec.ravel().tolist(), space.start.ravel().tolist(), strict=True))
    if isinstance(space, MultiBinary):
        return [(2, 0)] * int(np.prod(space.shape))
    if isinstance(space, Tuple):
        return [pair for part in space.spaces for pair in _ranges(part, field, environment)]
    raise BadInput(
        field,
        space,
        f"tabular agents need discrete spaces and {environment!r} has a continuous or structured"
        " one; wrap the environment to discretize it",
    )


def _parts(space: Space, element: Element) -> list[Element]:
    if isinstance(space, Discrete):
        return [element]
    if isinstance(space, Tuple):
        return [
            value
            for part, nested in zip(space.spaces, element, strict=True)
            for value in _parts(part, nested)
        ]
    return list(np.asarray(element).ravel())


def _assemble(space: Space, values: list[int]) -> Element:
    """Take from the front of `values` what one element of the space needs."""
    if isinstance(space, Discrete):
        return values.pop(0)
    if isinstance(space, Tuple):
        return tuple(_assemble(part, values) for part in space.spaces)
    shape = space.shape or ()
    taken = [values.pop(0) for _ in range(int(np.prod(shape)))]
    return np.array(taken, dtype=space.dtype).reshape(shape)
