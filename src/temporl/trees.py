"""The arrays of a tree by their paths, as policies and checkpoints hold them on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

Arrays = dict[str, np.ndarray]
T = TypeVar("T")


def map_named(change: Callable[[str, np.ndarray], object], tree: T, separator: str = ".") -> T:
    """A tree of the same form, with what `change` makes of every path and its leaf."""
    from jax import tree_util  # tables are trained without it

    def named(path: Any, leaf: np.ndarray) -> object:
        return change(tree_util.keystr(path, simple=True, separator=separator), leaf)

    changed: T = tree_util.tree_map_with_path(named, tree)
    return changed


def named_arrays(tree: object) -> Arrays:
    """The arrays of nested tuples, each by its path.

    Examples:
        >>> list(named_arrays((np.zeros(1), (np.zeros(2),))))
        ['0', '1.0']
    """
    arrays: Arrays = {}
    map_named(arrays.setdefault, tree)
    return arrays


def with_named_arrays(tree: T, arrays: Arrays) -> T:
    """Nested tuples like the given ones, with other arrays."""
    return map_named(lambda name, _: arrays[name], tree)
