"""`temporl verify DIR`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import tyro

from temporl.cli.parsing import parse
from temporl.runs.verify import verify


@dataclass(frozen=True)
class Arguments:
    """Check every run below a folder against its manifest; nothing is changed."""

    folder: tyro.conf.Positional[Path]
    """A results folder, or any part of one."""
    trust: bool = False
    """Import the modules of agents from other packages: only for runs that you trust.
    Without it, their policies are not read."""


def run(words: list[str]) -> int:
    """Print which files are damaged and what to do, and count the rest."""
    arguments = parse(Arguments, words, "temporl verify")
    counts: Counter[str] = Counter()
    for finding in verify(arguments.folder, trusted=arguments.trust):
        counts[finding.state] += 1
        for problem in finding.problems:
            print(problem)
        if finding.advice:
            print(f"{finding.folder}: {finding.state}; {finding.advice}")
    listed = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
    print(f"{arguments.folder}: {listed or 'no runs'}")
    return 1 if counts["damaged"] else 0
