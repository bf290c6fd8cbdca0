"""A policy everywhere: its action, its skip and its value in every state that can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle
from matplotlib.ticker import MaxNLocator

from temporl.environments import GridWorld
from temporl.environments.gridmap import FLOOR
from temporl.environments.gridworld import MOVES
from temporl.report.figures.labels import Coordinates
from temporl.report.figures.maps import draw_text
from temporl.report.figures.paths import reachable_states
from temporl.report.figures.style import QUIET, TEXT
from temporl.training.outcome import TrainedPolicy

VALUE_COLOURS = LinearSegmentedColormap.from_list("value", ["#fbf3f9", "#dda0d0", "#bb62aa"])
ARROWHEAD = np.array([[0.40, 0.0], [0.16, 0.16], [0.16, -0.16]])


def known_values(world: GridWorld, policy: TrainedPolicy) -> dict[int, float]:
    """The values of all states that can be reached and of which something has been learned."""
    values = {state: policy.action_values(state) for state in reachable_states(world)}
    return {state: float(row.max()) for state, row in values.items() if row.any()}


def value_scale(values: Sequence[dict[int, float]]) -> ScalarMappable:
    """Colours that tell the values of one or several policies apart."""
    known = [value for part in values for value in part.values()] or [0.0, 1.0]
    lowest, highest = min(known), max(known)
    return ScalarMappable(
        Normalize(lowest if lowest < highest else highest - 1.0, highest), VALUE_COLOURS
    )


def draw_values(axes: Axes, world: GridWorld, policy: TrainedPolicy, scale: ScalarMappable) -> None:
    """Fill a map with what a policy has learned; where it has learned nothing, cells stay plain."""
    policy = deepcopy(policy)
    cells = list(world.map)
    for state, value in known_values(world, policy).items():
        row, column = world.map.position(state)
        if cells[state] == FLOOR:
            face = scale.to_rgba(np.array([value]))[0]
            corner = (column - 0.5, row - 0.5)
            axes.add_patch(Rectangle(corner, 1, 1, fc=face, ec="white", lw=0.8, zorder=2))
        decision = policy.decide(state)
        centre = np.array([column, row], dtype=np.float64)
        _draw_choice(axes, centre, list(MOVES.values())[decision.action], decision.skip)


def _draw_choice(axes: Axes, centre: Coordinates, move: tuple[int, int], skip: int) -> None:
    """A number with an arrowhead beside it, in the direction of the move."""
    down, right = move
    turn = np.array([[right, down], [-down, right]])
    axes.add_patch(Polygon(centre + ARROWHEAD @ turn, fc=TEXT, lw=0, zorder=4))
    draw_text(axes, centre - 0.14 * np.array([right, down]), str(skip), 0.36, TEXT, zorder=5)


def draw_scale(figure: Figure, beside: Axes, scale: ScalarMappable) -> None:
    """The colours of the values, to the right of a map."""
    box, width = beside.get_position(), float(figure.get_size_inches()[0])
    height = box.height * 0.55
    place = (box.x1 + 0.02 / width, box.y0 + (box.height - height) / 2, 0.13 / width, height)
    bar = figure.colorbar(scale, cax=figure.add_axes(place))
    bar.ax.set_title("value", fontsize=9, fontweight="normal", loc="left", pad=6)
    bar.locator = MaxNLocator(4)
    bar.update_ticks()
    bar.outline.set_visible(False)
    bar.ax.tick_params(color=QUIET)
