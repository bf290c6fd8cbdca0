"""The set of skips an agent chooses from: increasing lengths that start with 1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NewType

import numpy as np
from jaxtyping import Int

from temporl.errors import BadInput, require_at_least

Skips = NewType("Skips", tuple[int, ...])
LONGEST = 10_000
"""The longest skip there is: longer than any episode that would have a decision in it."""


def skip_set(lengths: Sequence[int]) -> Skips:
    """Any increasing lengths that start with 1.

    The length 1 is required because it is what the behaviour itself learns from: without it an
    agent could not react at the next step.

    Examples:
        >>> skip_set([1, 3, 9])
        (1, 3, 9)
    """
    skips = tuple(int(length) for length in lengths)
    if any(length != given for length, given in zip(skips, lengths, strict=True)):
        raise BadInput("skips", tuple(lengths), "allowed: whole numbers")
    if not skips or skips[0] != 1:
        raise BadInput("skips", skips, "allowed: increasing lengths that start with 1")
    if any(later <= earlier for earlier, later in pairwise(skips)):
        raise BadInput("skips", skips, "allowed: strictly increasing lengths, such as 1,2,4,8")
    require_at_least("skips", skips[-1], 1, LONGEST)
    return Skips(skips)


def consecutive(longest: int) -> Skips:
    """Every length from 1 to `longest`, the paper's choice.

    Examples:
        >>> consecutive(4)
        (1, 2, 3, 4)
    """
    require_at_least("max_skip", longest, 1, LONGEST)
    return skip_set(range(1, longest + 1))


def powers_of_two(longest: int) -> Skips:
    """The powers of two up to `longest`: far reach with few choices.

    Examples:
        >>> powers_of_two(100)
        (1, 2, 4, 8, 16, 32, 64)
    """
    require_at_least("max_skip", longest, 1, LONGEST)
    return skip_set([1 << power for power in range(longest.bit_length())])


def read_skips(skips: str | Sequence[int], max_skip: int | None, default: int) -> Skips:
    """Read a set of skips as users write it: `all`, `powers-of-two`, or lengths as in `1,3,9`.

    Examples:
        >>> read_skips("powers-of-two", max_skip=10, default=7)
        (1, 2, 4, 8)
        >>> read_skips("1,3,9", max_skip=None, default=7)
        (1, 3, 9)
    """
    longest = default if max_skip is None else max_skip
    if skips == "all":
        return consecutive(longest)
    if skips == "powers-of-two":
        return powers_of_two(longest)
    try:
        given = map(int, skips.split(",")) if isinstance(skips, str) else skips
        lengths = skip_set(tuple(given))
    except ValueError:
        raise BadInput(
            "skips", skips, "allowed: 'all', 'powers-of-two', or lengths as in '1,3,9'"
        ) from None
    if max_skip not in (None, lengths[-1]):
        raise BadInput(
            "max_skip", max_skip, f"the given skips end with {lengths[-1]}; leave one out"
        )
    return lengths


def first_at_least(skips: Skips) -> Int[np.ndarray, " distance"]:
    """For each distance up to one past the longest skip, the index of the first skip that long.

    This is the only place where a length becomes an index.

    Examples:
        >>> first_at_least(skip_set([1, 2, 4])).tolist()
        [0, 0, 1, 2, 2, 3]
    """
    return np.searchsorted(np.asarray(skips), np.arange(skips[-1] + 2))
