"""`temporl resume DIR`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from temporl.cli.parsing import parse
from temporl.errors import BadInput, require_at_least
from temporl.runs.plan import unfinished_runs
from temporl.runs.progress import ProgressDisplay
from temporl.runs.workers import complete, default_workers


@dataclass(frozen=True)
class Arguments:
    """Which runs to resume, and how."""

    folder: tyro.conf.Positional[Path]
    """A results folder, or any part of one."""
    workers: int | None = None
    """Number of processes; default: one for each core."""
    trust: Annotated[bool, tyro.conf.arg(aliases=["--trust-env"])] = False
    """Import the modules that the run names: only for runs of your own, or that you trust."""


def run(words: list[str]) -> int:
    """Finish the interrupted runs below a folder."""
    description = "Resume the interrupted runs below a folder from their last checkpoints."
    arguments = parse(Arguments, words, "temporl resume", description)
    if arguments.workers is not None:
        require_at_least("workers", arguments.workers, 1)
    if not arguments.folder.is_dir():
        raise BadInput("folder", str(arguments.folder), "there is no such folder")
    found = unfinished_runs(arguments.folder, trusted=arguments.trust)
    if not arguments.trust:
        for planned in found:
            planned.config.environment.require_harmless()
    with ProgressDisplay("resumed", len(found)) as display:
        failures = complete(found, arguments.workers or default_workers(), display)
    for failure in failures:
        print(f"temporl: {failure}", file=sys.stderr)
    print(f"{len(found) - len(failures)} of {len(found)} unfinished runs finished")
    return 1 if failures else 0
