"""The errors a user can meet, each a single line that names the way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from numbers import Real


class TemporlError(Exception):
    """Everything this library raises on purpose."""


class BadInput(TemporlError):
    """A value given by the user cannot be used: names the field, the value and what is allowed."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(field, value, allowed)

    def __str__(self) -> str:
        return f"{self.field}: {self.value!r} cannot be used; {self.allowed}"


class DamagedFile(TemporlError):
    """A file that is not what belongs at its place in a results folder."""


class CannotWrite(TemporlError):
    """The disk did not take a file; whatever was there before is as it was."""

    def __init__(self, path: object, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(path, reason)

    def __str__(self) -> str:
        return (
            f"{self.path} cannot be written: {self.reason};"
            " everything written before is intact: free some space, and run the same command again"
        )


class RunFailed(TemporlError):
    """A run that started and could not finish; the other runs of its sweep are not touched."""


def unknown_name(field: str, name: str, known: Iterable[str]) -> BadInput:
    """The error for a name that does not exist, with the nearest one that does."""
    names = sorted(known)
    nearest = difflib.get_close_matches(name.lower(), [n.lower() for n in names], n=1, cutoff=0.4)
    by_lower = {n.lower(): n for n in names}
    hint = f"did you mean {by_lower[nearest[0]]!r}? " if nearest else ""
    return BadInput(field, name, f"{hint}known: {', '.join(names)}")


def require_at_least(field: str, value: int | None, least: int, most: int | None = None) -> None:
    """Raise unless `value >= least`, and `value <= most` where there is a most, or it is None."""
    if value is not None and (value < least or (most is not None and value > most)):
        limit = "" if most is None else f" and at most {most:,}"
        raise BadInput(field, value, f"allowed: a whole number of at least {least}{limit}")


def require_range(
    field: str, value: float, low: float, high: float, *, low_open: bool = False
) -> None:
    """Raise unless `low <= value <= high` (`low < value` where the lower end is open)."""
    given: object = value
    is_number = isinstance(given, Real) and not isinstance(value, bool)
    if not (is_number and (low < value if low_open else low <= value) and value <= high):
        bracket = "(" if low_open else "["
        raise BadInput(field, value, f"allowed: a number in {bracket}{low:g}, {high:g}]")
