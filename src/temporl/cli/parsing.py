"""Command lines from dataclasses, with errors of one line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Annotated, TypeVar

import tyro

from temporl.errors import BadInput
from temporl.types import Record

T = TypeVar("T")

EnvOptions = Annotated[
    tuple[str, ...],
    tyro.conf.arg(
        metavar="KEY=VALUE ...", help="Keyword arguments of the environment, as in slip=0.2."
    ),
]
TRUST = "Import the modules that the run names: only for runs of your own, or that you trust."
Trust = Annotated[bool, tyro.conf.arg(aliases=["--trust-env"], help=TRUST)]


class BadCommandLine(BadInput):
    """Words that the command does not understand."""

    def __str__(self) -> str:
        return f"{self.allowed} (see '{self.field} --help')"


def parse(
    kind: type[T],
    words: list[str],
    command: str,
    description: str | None = None,
    default: T | None = None,
) -> T:
    """Read a dataclass from the words after a command; missing options are those of `default`."""
    printed = io.StringIO()
    try:
        with _wide_lines(), contextlib.redirect_stderr(printed):
            read: T = tyro.cli(  # type: ignore[assignment]
                kind,
                default=default,
                args=words,
                prog=command,
                description=description,
                config=(tyro.conf.OmitArgPrefixes, tyro.conf.OmitSubcommandPrefixes),
            )
            return read
    except SystemExit as leaving:
        if leaving.code in (None, 0):
            raise
        raise BadCommandLine(command, words, _one_line(printed.getvalue())) from None


@contextlib.contextmanager
def _wide_lines() -> Iterator[None]:
    """Have messages to be read by this program set in one line; help keeps the user's width."""
    if {"-h", "--help"} & set(sys.argv):
        yield
        return
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "2000"
    try:
        yield
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before


def _one_line(message: str) -> str:
    """A framed message of several lines in one: what is wrong, and which option may be meant."""
    lines = [re.sub(r"^[│|╭╰─ ]+|[│|╮╯─ ]+$", "", line) for line in message.splitlines()]
    title, *lines = [line for line in lines if line.strip("-")] or ["not understood"]
    problem = lines[0] if lines else title
    if problem.startswith("Missing from"):
        return f"missing: {lines[1]}"
    if "Perhaps you meant:" in lines:
        option = lines[lines.index("Perhaps you meant:") + 1].split()[0]
        return f"{problem}; did you mean {option}?"
    return re.sub(r"\s+", " ", problem)


def key_values(words: tuple[str, ...], field: str) -> Record:
    """Read `key=value` words; a value that is valid JSON is taken as such, any other as text."""
    pairs = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise BadInput(field, word, "allowed: key=value, as in slip=0.2")
        try:
            pairs[key] = json.loads(value)
        except ValueError:
            pairs[key] = value
    return pairs
