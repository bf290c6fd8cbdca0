"""Nested tuples of NumPy arrays, as flat named arrays and back."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

Arrays = dict[str, np.ndarray]
T = TypeVar("T")


def named_arrays(tree: Any, name: str = "") -> Arrays:
    """The arrays of nested tuples, each by its path.

    Examples:
        >>> list(named_arrays((np.zeros(1), (np.zeros(2),))))
        ['0', '1.0']
    """
    if isinstance(tree, np.ndarray):
        return {name: tree}
    return {
        path: array
        for part, nested in zip(_names(tree), tree, strict=True)
        for path, array in named_arrays(nested, f"{name}.{part}" if name else str(part)).items()
    }


def with_named_arrays(tree: T, arrays: Arrays, name: str = "") -> T:
    """Nested tuples like the given ones, with other arrays."""
    if isinstance(tree, np.ndarray):
        return arrays[name]  # type: ignore[return-value]
    nested: Any = tree
    parts = [
        with_named_arrays(inner, arrays, f"{name}.{part}" if name else str(part))
        for part, inner in zip(_names(nested), nested, strict=True)
    ]
    return type(nested)(*parts) if hasattr(nested, "_fields") else tuple(parts)  # type: ignore[return-value]


def _names(tree: Any) -> Any:
    return getattr(tree, "_fields", range(len(tree)))
