"""Gridworlds as text: one character a cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from jaxtyping import Int

from temporl.errors import BadInput

START, GOAL, PIT, WALL, FLOOR = "S", "G", "X", "#", "."
LEGEND = "S start, G goal, X pit, # wall, . floor"


@dataclass(frozen=True)
class GridMap:
    """A rectangle of cells, row 0 on top; states are the indices of cells, row by row."""

    rows: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, source: str = "map") -> Self:
        """Read a map; raise `BadInput` with the line that is wrong."""
        rows = tuple(line.rstrip() for line in text.strip("\n").splitlines())
        if not rows or not rows[0]:
            raise BadInput("map", source, f"it is empty; draw a rectangle of cells: {LEGEND}")
        for number, row in enumerate(rows, start=1):
            if len(row) != len(rows[0]):
                raise BadInput(
                    "map",
                    source,
                    f"line {number} has {len(row)} cells and line 1 has {len(rows[0])};"
                    " make all lines equally long",
                )
            for column, cell in enumerate(row, start=1):
                if cell not in (START, GOAL, PIT, WALL, FLOOR):
                    raise BadInput(
                        "map", source, f"line {number}, column {column} is {cell!r}; use {LEGEND}"
                    )
        for cell, name in ((START, "start"), (GOAL, "goal")):
            if not any(cell in row for row in rows):
                raise BadInput("map", source, f"it has no {name}; mark at least one with {cell!r}")
        return cls(rows)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a map from a text file."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput("map", str(path), f"it cannot be read as text: {error}") from error
        return cls.parse(text, source=str(path))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0])

    def __str__(self) -> str:
        return "\n".join(self.rows)

    def __iter__(self) -> Iterator[str]:
        """The cells in the order of their states."""
        return (cell for row in self.rows for cell in row)

    def position(self, state: int) -> tuple[int, int]:
        """The row and column of a cell."""
        return divmod(state, self.shape[1])

    def neighbours(self, down: int, right: int) -> Int[np.ndarray, " state"]:
        """Where a move leads from every cell: nowhere, if a wall or the border is in the way."""
        height, width = self.shape
        states = np.arange(height * width)
        row, column = states // width + down, states % width + right
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        following = np.where(inside, row * width + column, states)
        walls = np.array(list(self)) == WALL
        return np.where(walls[following], states, following)

    def with_goal(self, row: int, column: int) -> Self:
        """The same map with its only goal at another cell."""
        height, width = self.shape
        if not (0 <= row < height and 0 <= column < width):
            raise BadInput("goal", (row, column), f"allowed: a cell of the {height} x {width} map")
        if self.rows[row][column] == START:
            raise BadInput("goal", (row, column), "allowed: any cell but the start")
        cells = [list(line.replace(GOAL, FLOOR)) for line in self.rows]
        cells[row][column] = GOAL
        return replace(self, rows=tuple("".join(line) for line in cells))
