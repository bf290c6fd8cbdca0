"""Checkpoints: the whole state of a run, in its working folder until it is finished.

`seed-3.partial/` holds `plan.json` (what the run is), `lock.json` (which process works on it) and
the newest `checkpoint-<step>/`, which is written as a finished run is: whole or not there.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from temporl.errors import DamagedFile
from temporl.runs.config import run_identity
from temporl.runs.files import (
    MOST_JSON,
    as_json,
    cannot_write,
    parse_arrays,
    read_bytes,
    read_json,
    read_listed,
    read_manifest,
    write_file,
    write_folder,
)
from temporl.runs.interruption import Interrupted, Interruption
from temporl.runs.lock import LOCK, locked
from temporl.training.checkpointer import NoCheckpointer
from temporl.trees import Arrays
from temporl.types import Record

PLAN, CHECKPOINT, STATE = "plan.json", "checkpoint-", "state.safetensors"
MOST_STATE = 2**40
MINUTES = 5.0
"""Minutes between two checkpoints."""
MOST_TIME = 0.01
"""The share of a run's time that checkpoints may take: slow ones are written less often."""


def read_plan(folder: Path) -> Record | None:
    """What a working folder is for; None if its process died before it was written."""
    try:
        return read_json(folder / PLAN, read_bytes(folder / PLAN, MOST_JSON))
    except FileNotFoundError:
        return None


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a working folder, the newest last."""
    found = [p for p in folder.glob(f"{CHECKPOINT}*") if re.fullmatch(".*-[0-9]+", p.name)]
    return sorted(found, key=lambda path: int(path.name.removeprefix(CHECKPOINT)))


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
    arrays = parse_arrays(newest / STATE, content)
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


class RunCheckpointer(NoCheckpointer):
    """Keeps a run in its working folder; without minutes, nothing is written or read."""

    def __init__(
        self, folder: Path, plan: Record, minutes: float | None, interruption: Interruption
    ) -> None:
        self._folder, self._run = folder, run_identity(plan)
        self._minutes, self._interruption = minutes, interruption
        self._last, self._cost = time.monotonic(), 0.0
        self._resumed: list[int] = []
        self._exact = True
        found = None if minutes is None else read_checkpoint(folder, self._run)
        if found is not None:
            self.saved, self._resumed = found
            self._resumed.append(int(self.saved["step"]))

    def checkpoint(self, step: int, arrays: Callable[[], Arrays]) -> None:
        """Write a checkpoint if it is time, and stop if that was requested."""
        asked = self._interruption.requested
        if self._minutes is not None and (asked or self._is_due(self._minutes)):
            began = time.monotonic()
            write_checkpoint(self._folder, self._run, step, arrays(), self._resumed)
            self._last = time.monotonic()
            self._cost = self._last - began
        if asked:
            raise Interrupted

    def _is_due(self, minutes: float) -> bool:
        return time.monotonic() - self._last >= max(60 * minutes, self._cost / MOST_TIME)

    def differs(self) -> None:
        """Remember that the environment keeps something across resets."""
        self._exact = False

    def record(self) -> Record | None:
        """Where the run was resumed, and whether its result is that of an uninterrupted run."""
        return {"at_steps": self._resumed, "exact": self._exact} if self._resumed else None


@contextmanager
def working(
    folder: Path, plan: Record, minutes: float | None, interruption: Interruption
) -> Iterator[RunCheckpointer]:
    """Work on a run in its working folder, alone; it is removed when the run is done.

    An interrupted run leaves its plan and its newest checkpoint there; one that fails, only if
    there is a checkpoint to resume from.
    """
    with locked(folder):
        tidy(folder)
        if minutes is not None and not (folder / PLAN).is_file():
            write_file(folder / PLAN, as_json(plan))
        try:
            yield RunCheckpointer(folder, plan, minutes, interruption)
        except Exception:
            if not checkpoints(folder):
                remove_tree(folder)
            raise
        remove_tree(folder)
