"""One process at a time works on a run; the system frees its lock when the process dies."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from temporl.errors import CannotWrite, RunFailed
from temporl.runs.files import cannot_write

LOCK = "lock.json"
PATIENCE = 10.0
"""Seconds for which a lock is waited for: its holder may be about to leave."""


@contextmanager
def locked(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Make a working folder and hold its lock."""
    give_up = time.monotonic() + patience
    while (descriptor := _take(folder)) is None:
        if time.monotonic() > give_up:
            raise RunFailed(f"{folder} is being worked on by {holder(folder)}")
        time.sleep(0.1)
    try:
        yield
    finally:
        os.close(descriptor)


def holder(folder: Path) -> str:
    """The process that holds, or last held, the lock of a working folder."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        record = json.loads((folder / LOCK).read_text())
        return f"process {record['pid']} on {record['host']}"
    return "another process"


def is_locked(folder: Path) -> bool:
    """Whether a process holds the lock of a working folder now."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _take(folder: Path) -> int | None:
    """Take the lock if it is free. The system lets go of it when the descriptor is closed."""
    with cannot_write(folder):
        folder.mkdir(parents=True, exist_ok=True)
    path = folder / LOCK
    try:
        with cannot_write(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except CannotWrite:
        if folder.exists():
            raise
        return None  # the holder has just removed the folder
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The file may have been removed after it was opened: then this lock protects nothing.
        own = os.path.samestat(os.fstat(descriptor), os.stat(path))
    except (BlockingIOError, FileNotFoundError):
        own = False
    if not own:
        os.close(descriptor)
        return None
    with cannot_write(path):
        os.ftruncate(descriptor, 0)
        record = {"pid": os.getpid(), "host": socket.gethostname()}
        os.pwrite(descriptor, json.dumps(record).encode(), 0)
    return descriptor
