"""The course of a run on disk: beside the run, whose own files do not depend on the machine.

`course/seed-3.safetensors` holds the columns of `temporl.training.course.Moments`.
Older runs have none.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save

from temporl.errors import DamagedFile
from temporl.runs.arrays import parse_any
from temporl.runs.files import cannot_write, read_bytes, write_file
from temporl.training.course import Moments

MOST_BYTES = 256 * 2**20


def course_file(folder: Path) -> Path:
    """Where the course of a run is."""
    return folder.parent / "course" / f"{folder.name}.safetensors"


def course_bytes(moments: Moments) -> bytes:
    """The course of a run, as its file holds it."""
    return save(moments._asdict())


def write_course(folder: Path, content: bytes) -> None:
    """Write the course of the run in a folder, beside it."""
    path = course_file(folder)
    with cannot_write(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, content)


def read_course(folder: Path) -> Moments | None:
    """The course of the run in a folder; None if it was not recorded."""
    path = course_file(folder)
    try:
        arrays = parse_any(path, read_bytes(path, MOST_BYTES))
    except FileNotFoundError:
        return None
    kinds = {"step": (1, "int64"), "seconds": (1, "float64"), "chosen": (2, "int32")}
    found = {name: (array.ndim, str(array.dtype)) for name, array in arrays.items()}
    if found != kinds or len({len(array) for array in arrays.values()}) != 1:
        raise DamagedFile(f"{path}: not the course of a run; delete it, and do without")
    moments = Moments(**arrays)
    ordered = (np.diff(moments.step, prepend=0) >= 0).all()
    if not ordered or not np.isfinite(moments.seconds).all() or (moments.chosen < 0).any():
        raise DamagedFile(f"{path}: not the course of a run; delete it, and do without")
    return moments
