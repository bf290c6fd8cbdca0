"""Verification: is what is on disk what was written? Nothing is changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from temporl.errors import BadInput, DamagedFile
from temporl.runs.checkpoints import checkpoints, read_plan
from temporl.runs.config import run_identity
from temporl.runs.files import MANIFEST, read_listed, read_manifest
from temporl.runs.lock import holder, is_locked
from temporl.runs.policies import load_policy
from temporl.runs.store import (
    CONFIG,
    PARTIAL,
    POLICY,
    is_finished,
    read_config,
    read_evaluations,
)
from temporl.types import Record

State = Literal[
    "sound", "damaged", "no manifest", "not judged", "under way", "interrupted", "left over"
]
MOST_FILE = 2**40
RUN_AGAIN = "delete {}, and run the same command again"


@dataclass(frozen=True)
class Finding:
    """The state of one run, with its problems and what to do about them."""

    folder: Path
    state: State
    problems: tuple[str, ...] = ()
    advice: str = ""


def verify(path: Path, *, trusted: bool = False) -> Iterator[Finding]:
    """Look at every run below a folder, finished or not, in order."""
    if not path.is_dir():
        raise BadInput("folder", str(path), "there is no such folder")
    for place, inner, files in os.walk(path):
        inner.sort()
        folder = Path(place)
        if folder.name.endswith(PARTIAL):
            inner.clear()
            yield _partial(folder)
        elif CONFIG in files or MANIFEST in files:
            inner.clear()
            yield _finished(folder, trusted=trusted)


def _finished(folder: Path, *, trusted: bool) -> Finding:
    try:
        manifest = read_manifest(folder)
    except DamagedFile as error:
        return Finding(folder, "damaged", (str(error),), RUN_AGAIN.format(folder))
    problems = [] if manifest is None else _compare(folder, manifest)
    if not problems:
        for read in (
            _read_record,
            read_evaluations,
            lambda f: load_policy(f / POLICY, trusted=trusted),
        ):
            try:
                read(folder)
            except BadInput as error:
                if error.field == "agent":
                    return Finding(folder, "not judged", advice=f"its policy was not read: {error}")
                problems.append(str(error))
            except (DamagedFile, FileNotFoundError) as error:
                problems.append(str(error))
    if problems:
        return Finding(folder, "damaged", tuple(problems), RUN_AGAIN.format(folder))
    return Finding(folder, "sound" if manifest is not None else "no manifest")


def _compare(folder: Path, manifest: Record) -> list[str]:
    """What is wrong with the files of a folder: changed, missing, or not in the manifest."""
    problems = []
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    for name in sorted(manifest["files"].keys() | there - {MANIFEST}):
        try:
            if name not in there:  # a name may lead anywhere; only what is there is looked at
                raise FileNotFoundError
            read_listed(folder, name, MOST_FILE)
        except FileNotFoundError:
            problems.append(f"{folder / name}: missing")
        except DamagedFile as error:
            problems.append(str(error))
    return problems


def _read_record(folder: Path) -> None:
    """Raise unless the record belongs to this folder."""
    record, manifest = read_config(folder), read_manifest(folder)
    if manifest is not None and manifest["run"] != run_identity(record):
        raise DamagedFile(f"{folder / CONFIG}: the record of another run")
    if folder.name.startswith("seed-") and folder.name != f"seed-{record.get('seed')}":
        raise DamagedFile(f"{folder / CONFIG}: the record of seed {record.get('seed')}")


def _partial(folder: Path) -> Finding:
    finished = folder.with_name(folder.name.removesuffix(PARTIAL))
    if is_locked(folder):
        return Finding(folder, "under way", advice=holder(folder))
    if is_finished(finished):
        return Finding(folder, "left over", advice=f"the run is finished; delete {folder}")
    problems = []
    try:
        plan = read_plan(folder)
        for checkpoint in checkpoints(folder):
            manifest = read_manifest(checkpoint)
            if manifest is None:
                problems.append(f"{checkpoint / MANIFEST}: missing")
                continue
            problems += _compare(checkpoint, manifest)
            if plan is not None and manifest["run"] != run_identity(plan):
                problems.append(f"{checkpoint}: of another run")
    except DamagedFile as error:
        problems.append(str(error))
    if problems:
        advice = f"delete {folder}, and the run begins again"
        return Finding(folder, "damaged", tuple(problems), advice)
    return Finding(folder, "interrupted", advice=f"resume it: temporl resume {folder.parent}")
