"""Counts in sentences."""

from __future__ import annotations


def number_of(count: int, thing: str) -> str:
    """A count with its noun.

    Examples:
        >>> number_of(1, "seed"), number_of(3, "seed")
        ('1 seed', '3 seeds')
    """
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
