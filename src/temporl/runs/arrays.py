"""Arrays in safetensors, read only if they are exactly those that are expected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from temporl.errors import DamagedFile
from temporl.trees import Arrays

MOST_HEADER = 256 * 2**10
"""Bytes of the header: a name, a shape and a place for every array."""


def parse_arrays(path: Path, content: bytes, expected: Mapping[str, np.ndarray]) -> Arrays:
    """The expected arrays, and no others."""
    arrays = parse_any(path, content)
    for name, like in expected.items():
        array = arrays.get(name)
        if array is None or array.shape != like.shape or array.dtype != like.dtype:
            found = None if array is None else (array.shape, str(array.dtype))
            raise DamagedFile(f"{path}: {name} is {found} and should be {like.shape} {like.dtype}")
    if foreign := arrays.keys() - expected.keys():
        raise DamagedFile(f"{path}: holds {min(foreign)!r}, which does not belong there")
    return arrays


def parse_any(path: Path, content: bytes) -> Arrays:
    """Whatever arrays there are."""
    header = int.from_bytes(content[:8], "little")
    if header > MOST_HEADER:
        raise DamagedFile(f"{path}: a header of {header:,} bytes; allowed: {MOST_HEADER:,}")
    try:
        return load(content)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise DamagedFile(f"{path}: not readable as safetensors: {error}") from error
