"""`temporl report DIR`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import tyro

from temporl.cli.parsing import parse
from temporl.report.page import write_page


@dataclass(frozen=True)
class Arguments:
    """Make one HTML page about all runs in a folder; it needs no network."""

    folder: tyro.conf.Positional[Path]
    """A results folder, or any folder in it."""
    out: Path | None = None
    """The page to write; default: 'report.html' in the folder."""
    trust: bool = False
    """Import the modules of agents from other packages: only for runs that you trust.
    Without it, pictures of their policies are left out."""


def run(words: list[str]) -> int:
    """Write the page, and print where it is."""
    arguments = parse(Arguments, words, "temporl report")
    began = time.monotonic()
    page = write_page(
        arguments.folder, arguments.out or arguments.folder / "report.html", trusted=arguments.trust
    )
    size, seconds = page.stat().st_size / 1e6, time.monotonic() - began
    print(f"page: {page} ({size:.1f} MB, {seconds:.1f} s)")
    return 0
