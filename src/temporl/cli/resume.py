"""`temporl resume DIR`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import tyro

from temporl.cli.parsing import parse
from temporl.errors import BadInput, require_at_least
from temporl.training import complete, default_workers, unfinished_runs
from temporl.training.progress import ProgressDisplay


@dataclass(frozen=True)
class Arguments:
    """What to take up again, and how."""

    folder: tyro.conf.Positional[Path]
    """A results folder, or any part of one."""
    workers: int | None = None
    """Processes to use; one for each core unless given."""
    trust_env: bool = False
    """Import the modules that the recorded environments name: only for runs that are your own."""


def run(words: list[str]) -> int:
    """Finish the runs that were left off below a folder."""
    description = "Go on with the runs below a folder that were interrupted, from where they were."
    arguments = parse(Arguments, words, "temporl resume", description)
    if arguments.workers is not None:
        require_at_least("workers", arguments.workers, 1)
    if not arguments.folder.is_dir():
        raise BadInput("folder", str(arguments.folder), "there is no such folder")
    found = unfinished_runs(arguments.folder)
    if not arguments.trust_env:
        for planned in found:
            planned.config.environment.require_harmless()
    with ProgressDisplay("resumed", len(found)) as display:
        failures = complete(found, arguments.workers or default_workers(), display)
    for failure in failures:
        print(f"temporl: {failure}", file=sys.stderr)
    print(f"{len(found) - len(failures)} of {len(found)} unfinished runs finished")
    return 1 if failures else 0
