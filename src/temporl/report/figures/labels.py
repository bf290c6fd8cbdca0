"""Room for labels beside marks on a path."""

from __future__ import annotations

from itertools import product

import numpy as np
from jaxtyping import Float

Points = Float[np.ndarray, "_ 2"]
Coordinates = Float[np.ndarray, "2"]

LABEL_SIZE = np.array([19.0, 10.0])
"""Width and height of a label, in points."""
TURNS = (0, 40, -40, 80, -80, 120, -120, 180)
"""Directions to try, in degrees from the preferred one."""


class Labels:
    """Finds places for labels, one after the other; all lengths are in points."""

    def __init__(self, path: Points, marks: Points) -> None:
        self.path, self.marks = path, marks
        self.placed: Points = np.empty((0, 2))

    def place(self, number: int, way: Coordinates, distance: float) -> tuple[float, float] | None:
        """How far from its mark a label goes: in a direction or near it, or nowhere."""
        for away, turn in product((distance, distance + 5), TURNS):
            angle = np.arctan2(way[1], way[0]) + np.radians(turn)
            offset = away * np.array([np.cos(angle), np.sin(angle)])
            if self._is_free(self.marks[number] + offset, away):
                self.placed = np.vstack([self.placed, self.marks[number] + offset])
                return float(offset[0]), float(offset[1])
        return None

    def _is_free(self, place: Coordinates, away: float) -> bool:
        """Whether nothing is covered, and no other mark is nearer than the label's own."""
        on_path = (np.abs(self.path - place) < LABEL_SIZE / 2).all(axis=1).any()
        on_label = (np.abs(self.placed - place) < LABEL_SIZE).all(axis=1).any()
        astray = np.hypot(*(self.marks - place).T).min() < 0.99 * away
        return not (on_path or on_label or astray)
