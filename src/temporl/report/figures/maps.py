"""Maps and the paths on them. All sizes are in cells, so that a picture looks alike at any size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle, PathPatch, Polygon
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from temporl.environments.gridmap import GridMap
from temporl.environments.gridworld import COLOURS
from temporl.report.figures.labels import Coordinates
from temporl.report.figures.paths import Stretch
from temporl.report.figures.style import agent_colour, ink

LONGEST_SIDE = 5.8
NARROWEST = 2.5
"""Room for the words above a map, in inches."""
KEY_RADIUS = 0.25
ARC_HEIGHT = 0.55
LABEL_RADIUS = 0.31
GRID_COLOUR = "#d9d9d9"


def cell_inches(grids: Sequence[GridMap]) -> float:
    """How large cells are drawn, so that small maps are not huge and large ones not tiny."""
    longest = max(max(grid.shape) for grid in grids)
    return min(0.36, LONGEST_SIDE / longest)


def panels_size(grids: Sequence[GridMap], cell: float) -> tuple[float, float]:
    """Width and height of a row of maps, in inches."""
    sizes = [_panel_size(grid, cell) for grid in grids]
    return sum(max(width, NARROWEST) for width, _ in sizes), max(height for _, height in sizes)


def map_panels(figure: Figure, grids: Sequence[GridMap], cell: float, top: float) -> list[Axes]:
    """Empty maps in a row, with cells of a size in inches and room for arcs around them."""
    full_width, full_height = figure.get_size_inches()
    left, panels = 0.0, []
    for grid in grids:
        width, height = _panel_size(grid, cell)
        bottom = (full_height - top - height) / full_height
        place = (left / full_width, bottom, width / full_width, height / full_height)
        panels.append(figure.add_axes(place))
        draw_map(panels[-1], grid)
        left += max(width, NARROWEST)
    return panels


def _panel_size(grid: GridMap, cell: float) -> tuple[float, float]:
    height, width = ((side + 2 * map_margin(grid)) * cell for side in grid.shape)
    return width, height


def draw_map(axes: Axes, grid: GridMap) -> None:
    """The cells of a map, with room around them for arcs."""
    height, width = grid.shape
    cells = np.array([COLOURS[cell] for cell in grid], dtype=np.uint8).reshape(height, width, 3)
    across, down = np.arange(width + 1) - 0.5, np.arange(height + 1) - 0.5
    axes.pcolormesh(across, down, cells, edgecolors=GRID_COLOUR, lw=0.6, zorder=0)
    near, far = -0.5 - map_margin(grid), -0.5 + map_margin(grid)
    axes.set(xlim=(near, width + far), ylim=(height + far, near), aspect="equal")
    axes.set_axis_off()


def draw_policy(axes: Axes, grid: GridMap, path: Sequence[Stretch], agent: str) -> None:
    """A path: dots on a dashed line for an agent that decides at every step, arcs for skips."""
    if any(stretch.decision.skip > 1 for stretch in path):
        draw_arcs(axes, grid, path, agent_colour(agent))
    else:
        draw_dots(axes, grid, path, agent_colour(agent))


def draw_dots(axes: Axes, grid: GridMap, path: Sequence[Stretch], colour: str) -> None:
    """A small dot at every decision, on a dashed line."""
    points = [_point(grid, stretch.states[0]) for stretch in path]
    ends = [*points, _point(grid, path[-1].states[-1])]
    axes.plot(*np.transpose(ends), color=colour, ls=(0, (3, 2)), lw=1.4, zorder=3)
    radius = 0.13 * mark_size(grid)
    for point in points:
        axes.add_patch(Circle(_pair(point), radius, fc=colour, ec="white", lw=0.8, zorder=6))


def draw_arcs(axes: Axes, grid: GridMap, path: Sequence[Stretch], colour: str) -> None:
    """A key state at every decision, and an arc to the next one, labelled with its steps."""
    size = mark_size(grid)
    ends = [(_point(grid, s.states[0]), _point(grid, s.states[-1])) for s in path]
    for stretch, (start, end), side in zip(path, ends, _outer_sides(ends), strict=True):
        axes.add_patch(
            Circle(_pair(start), KEY_RADIUS * size, fc=colour, ec="white", lw=1, zorder=5)
        )
        gap = 0.0 if stretch is path[-1] else KEY_RADIUS * size
        centre = _draw_arc(axes, start, end, side, colour, size, gap)
        label = f"\N{MULTIPLICATION SIGN}{stretch.steps}"
        _draw_label(axes, centre, label, colour, size)


def mark_size(grid: GridMap) -> float:
    """How many cells wide a mark of size one is: large maps have small cells."""
    return max(1.0, max(grid.shape) / 16)


def map_margin(grid: GridMap) -> float:
    """How many cells of room arcs along the border need outside the map."""
    return 1.2 * mark_size(grid) - 0.45


def _point(grid: GridMap, state: int) -> Coordinates:
    row, column = grid.position(state)
    return np.array([column, row], dtype=np.float64)


def _pair(point: Coordinates) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def _outer_sides(ends: Sequence[tuple[Coordinates, Coordinates]]) -> list[float]:
    """On which side of its chord each arc bulges: outwards, away from where the path turns."""
    moves = [end - start for start, end in ends]
    turns = [np.sign(a[0] * b[1] - a[1] * b[0]) for a, b in pairwise(moves)]
    sides = []
    for number in range(len(moves)):
        after = [turn for turn in turns[number:] if turn]
        before = [turn for turn in reversed(turns[:number]) if turn]
        sides.append(float(next(iter(after + before), 1.0)))
    return sides


def _draw_arc(
    axes: Axes,
    start: Coordinates,
    end: Coordinates,
    side: float,
    colour: str,
    size: float,
    gap: float,
) -> Coordinates:
    """A curve with an arrowhead; returns where its label goes: beside it if it is short."""
    chord = end - start
    length = float(np.hypot(*chord))
    if length == 0.0:
        return np.array([start[0], start[1] - ARC_HEIGHT * size])
    away = side * np.array([chord[1], -chord[0]]) / length
    control = (start + end) / 2 + 2 * ARC_HEIGHT * size * away
    arrival = (end - control) / np.hypot(*(end - control))
    tip = end - gap * arrival
    across = 0.16 * size * np.array([-arrival[1], arrival[0]])
    neck = tip - 0.3 * size * arrival
    curve = Outline([start, control, neck], [Outline.MOVETO, Outline.CURVE3, Outline.CURVE3])
    axes.add_patch(PathPatch(curve, fc="none", ec=colour, lw=2.2, zorder=4, capstyle="butt"))
    corners = np.stack([tip, neck + across, neck - across])
    axes.add_patch(Polygon(corners, fc=colour, ec="white", lw=0.5, zorder=7))
    outside = LABEL_RADIUS * size if length < 1.2 * size else 0.0
    label: Coordinates = (start + end) / 4 + control / 2 + outside * away
    return label


def _draw_label(axes: Axes, centre: Coordinates, text: str, colour: str, size: float) -> None:
    axes.add_patch(
        Circle(_pair(centre), LABEL_RADIUS * size, fc="white", ec=colour, lw=1, zorder=8)
    )
    draw_text(axes, centre, text, 0.32 * size, ink(colour), zorder=9)


def draw_text(
    axes: Axes,
    centre: Coordinates,
    text: str,
    size: float,
    colour: str | tuple[float, float, float],
    zorder: float,
) -> None:
    """Centred bold text whose size is in cells."""
    outline = TextPath((0, 0), text, size=1, prop=FontProperties(weight="bold"))
    box = outline.get_extents()
    place = Affine2D().translate(-(box.x0 + box.x1) / 2, -(box.y0 + box.y1) / 2)
    place = place.scale(size, -size).translate(*_pair(centre))
    axes.add_patch(PathPatch(outline.transformed(place), fc=colour, lw=0, zorder=zorder))
