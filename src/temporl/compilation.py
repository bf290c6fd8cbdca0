"""One decorator for everything numba compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function to machine code on first use, and keep the code on disk.

    The function keeps its type, so that strict checkers see through the decorator. It releases
    the interpreter lock, and floating-point errors follow IEEE rules as they do in NumPy. Nothing
    is reordered or contracted: the same arithmetic in plain Python gives the same bits.
    """
    decorate = numba.njit(cache=True, nogil=True, error_model="numpy")
    return cast("Callable[P, R]", decorate(function))
