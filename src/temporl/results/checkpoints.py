"""Checkpoints: all that a run is at one moment, in its working folder until it is finished.

`seed-3.partial/` holds `plan.json` (what the run is), `lock.json` (who works on it) and the newest
`checkpoint-<step>/`, which is written as a finished run is: whole or not there.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from temporl.errors import DamagedFile
from temporl.pausing import Arrays
from temporl.results.arrays import parse_any
from temporl.results.files import (
    MOST_JSON,
    as_json,
    cannot_write,
    read_bytes,
    read_json,
    read_listed,
    read_manifest,
    write_file,
    write_folder,
)
from temporl.results.lock import LOCK

PLAN, CHECKPOINT, STATE = "plan.json", "checkpoint-", "state.safetensors"
MOST_STATE = 2**40


def write_plan(folder: Path, plan: dict[str, Any]) -> None:
    """Write down what a working folder is for, so that the run can be taken up from there alone."""
    if not (folder / PLAN).is_file():
        write_file(folder / PLAN, as_json(plan))


def read_plan(folder: Path) -> dict[str, Any] | None:
    """What a working folder is for; None if its process died before it could say so."""
    try:
        return read_json(folder / PLAN, read_bytes(folder / PLAN, MOST_JSON))
    except FileNotFoundError:
        return None


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a working folder, the newest last."""
    found = [path for path in folder.glob(f"{CHECKPOINT}*") if _step(path) is not None]
    return sorted(found, key=lambda path: _step(path) or 0)


def _step(path: Path) -> int | None:
    digits = path.name.removeprefix(CHECKPOINT)
    return int(digits) if digits.isascii() and digits.isdigit() else None


def write_checkpoint(
    folder: Path, run: str, step: int, arrays: Arrays, resumed: Sequence[int]
) -> None:
    """Write a checkpoint and then remove the ones before; a run's identity goes with it."""
    content = save({**arrays, "resumed": np.array(resumed, np.int64)})
    before = checkpoints(folder)
    new = folder / f"{CHECKPOINT}{step}"
    if write_folder(new, {STATE: content}, run, folder):
        for path in before:
            remove_tree(path)


def read_checkpoint(folder: Path, run: str) -> tuple[Arrays, list[int]] | None:
    """The newest checkpoint of a run and where it was resumed before; None if there is none."""
    found = checkpoints(folder)
    if not found:
        return None
    newest = found[-1]
    manifest = read_manifest(newest)
    if manifest is None:
        raise DamagedFile(f"{newest}: no manifest; delete it, and the run begins again")
    if manifest["run"] != run:
        raise DamagedFile(f"{newest}: of another run; delete it, and the run begins again")
    try:
        content = read_listed(newest, STATE, MOST_STATE)
    except FileNotFoundError:
        raise DamagedFile(f"{newest / STATE}: missing") from None
    arrays = parse_any(newest / STATE, content)
    resumed = arrays.pop("resumed", np.zeros(0, np.int64))
    return arrays, resumed.tolist()


def tidy(folder: Path) -> None:
    """Remove what a process that died was in the middle of writing; only with the lock in hand."""
    keep = {LOCK, PLAN, *(path.name for path in checkpoints(folder)[-1:])}
    for path in folder.iterdir():
        if path.name not in keep:
            remove_tree(path)


def remove_tree(path: Path) -> None:
    """Remove a file or a folder; half of it never has its old name."""
    with cannot_write(path):
        if path.is_dir() and not path.is_symlink():
            doomed = path.with_name(f".{path.name}.removed")
            path.rename(doomed)
            shutil.rmtree(doomed)
        else:
            path.unlink(missing_ok=True)
