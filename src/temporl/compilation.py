"""One decorator for everything numba compiles."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba

from temporl.types import Record

P = ParamSpec("P")
R = TypeVar("R")

KERNELS = (
    "compilation.py",
    "training/outcome.py",
    "randomness.py",
    "schedules.py",
    "skipping/*.py",
    "environments/*.py",
    "tabular/*.py",
)
"""The files that hold compiled functions."""

OPTIONS: Record = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "forceinline": True,
    "_nrt": False,
}


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function to machine code on first use, and keep the code on disk.

    The function keeps its type, so that strict checkers see through the decorator. It releases
    the interpreter lock, and floating-point errors follow IEEE rules as they do in NumPy. Nothing
    is reordered or contracted: the same arithmetic in plain Python gives the same bits.

    Compiled functions own no memory: the caller makes every array, and outlives the call.
    So they need no reference counts, which would cost more than the arithmetic.
    """
    decorate = numba.njit(**OPTIONS)
    config: Any = numba.config
    usual = config.CACHE_DIR
    config.CACHE_DIR = os.environ.get("NUMBA_CACHE_DIR") or str(_kernel_folder())
    try:
        return cast("Callable[P, R]", decorate(function))
    finally:
        config.CACHE_DIR = usual


def uncompiled(function: Callable[P, R]) -> Callable[P, R]:
    """The Python function behind a compiled one, for code that is traced instead."""
    return cast("Callable[P, R]", cast("Any", function).py_func)


@cache
def _kernel_folder() -> Path:
    """A folder for machine code that belongs to exactly these sources.

    numba itself notices a change only in the file of the function it compiles, not in those of the
    functions that are called from there.
    """
    package = Path(__file__).parent
    sources = [path for pattern in KERNELS for path in package.glob(pattern)]
    digest = hashlib.sha256()
    for source in sorted(sources):
        status = source.stat()
        digest.update(f"{source}:{status.st_mtime_ns}:{status.st_size};".encode())
    return cache_folder(f"kernels-{digest.hexdigest()[:16]}")


def cache_folder(name: str) -> Path:
    """A cache folder that outlives the process, for compiled code."""
    for parent in (Path.home() / ".cache" / "temporl", Path(tempfile.gettempdir()) / "temporl"):
        try:
            (parent / name).mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(parent / name, os.W_OK):
            return parent / name
    return Path(tempfile.mkdtemp(prefix="temporl-"))
