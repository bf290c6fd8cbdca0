"""`temporl resume DIR`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro

from temporl.cli.machines import Machines
from temporl.cli.parsing import Trust, parse
from temporl.errors import BadInput
from temporl.runs.plan import unfinished_runs


@dataclass(frozen=True)
class Arguments:
    """Resume the interrupted runs below a folder from their last checkpoints."""

    folder: tyro.conf.Positional[Path]
    """A results folder, or any part of one."""
    workers: int | None = None
    """Number of processes; default: one for each core."""
    trust: Trust = False


def run(words: list[str]) -> int:
    """Finish the interrupted runs below a folder."""
    arguments = parse(Arguments, words, "temporl resume")
    machines = Machines(arguments.workers)
    machines.check()
    if not arguments.folder.is_dir():
        raise BadInput("folder", str(arguments.folder), "there is no such folder")
    found = unfinished_runs(arguments.folder, trusted=arguments.trust)
    if not arguments.trust:
        for planned in found:
            planned.config.environment.require_harmless()
    failures = machines.complete(found, "resumed")
    print(f"{len(found) - len(failures)} of {len(found)} unfinished runs finished")
    return 1 if failures else 0
