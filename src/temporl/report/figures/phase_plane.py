"""Episodes and policies in two dimensions, such as position and velocity: parts of pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap
from matplotlib.figure import Figure

from temporl.report.figures.labels import Coordinates, Labels, Points
from temporl.report.figures.paths import Stretch
from temporl.report.figures.style import TEXT, ink
from temporl.skipping import Policy

HOW_TO_READ = (
    "a dot is a decision, the larger the longer;"
    " \N{MULTIPLICATION SIGN}5: its action is played for five steps"
)
SKIP_COLOURS = LinearSegmentedColormap.from_list("skip", ["#fdf7fb", "#dda0d0", "#8e3d80"])


class Choices(NamedTuple):
    """What a policy would do everywhere in a plane."""

    across: Float[np.ndarray, " column"]
    upwards: Float[np.ndarray, " row"]
    actions: Float[np.ndarray, "row column"]
    skips: Int[np.ndarray, "row column"]


def ask_everywhere(
    policy: Policy,
    across: Float[np.ndarray, " column"],
    upwards: Float[np.ndarray, " row"],
    observed: Callable[[float, float], np.ndarray],
) -> Choices:
    """Ask a policy what it would do at every place of a grid, as the agent observes it."""
    decisions = [[policy.decide(observed(x, y)) for x in across] for y in upwards]
    actions = [[np.asarray(one.action).item() for one in row] for row in decisions]
    skips = [[one.skip for one in row] for row in decisions]
    return Choices(across, upwards, np.array(actions, np.float64), np.array(skips))


def draw_stretches(
    axes: Axes,
    episode: Sequence[Stretch],
    lines: Sequence[Points],
    ways: Sequence[Coordinates],
    colours: Sequence[Any],
) -> None:
    """A mark at every decision, the longer the larger, and the way to the next one."""
    labels = Labels(_in_points(axes, np.concatenate(lines)), _in_points(axes, _starts(lines)))
    # The longest skips get the best places for their labels.
    order = sorted(range(len(lines)), key=lambda number: -episode[number].decision.skip)
    for number in order:
        skip = episode[number].decision.skip
        line, colour, size = lines[number], colours[number], 2.6 + 0.6 * skip
        axes.plot(*line.T, color=colour, lw=1.5, zorder=3)
        axes.plot(*line[0], "o", ms=size, color=colour, mec="white", mew=0.6, zorder=4)
        offset = labels.place(number, ways[number], size / 2 + 7) if skip > 1 else None
        if offset is not None:
            axes.annotate(
                f"\N{MULTIPLICATION SIGN}{skip}",
                line[0],
                offset,
                textcoords="offset points",
                ha="center",
                va="center",
                fontsize=7.5,
                fontweight="bold",
                color=ink(colour),
                zorder=5,
            )


def _starts(lines: Sequence[Points]) -> Points:
    return np.stack([line[0] for line in lines])


def _in_points(axes: Axes, places: Points) -> Points:
    """Places in an axes as points, of which an inch has 72."""
    return np.asarray(axes.transData.transform(places) * 72 / axes.figure.dpi)


def draw_trace(axes: Axes, lines: Sequence[Points]) -> None:
    """Where an episode ran, and where it was decided, on a map of all choices."""
    for line in lines:
        axes.plot(*line.T, color=TEXT, lw=0.8, zorder=3)
        axes.plot(*line[0], "o", ms=3.2, color=TEXT, mec="white", mew=0.5, zorder=4)


def draw_skips(figure: Figure, axes: Axes, choices: Choices) -> None:
    """For how many steps the greedy action is played where."""
    longest = max(2, int(choices.skips.max()))
    bounds = np.arange(0.5, longest + 1)
    norm = BoundaryNorm(bounds, SKIP_COLOURS.N)
    mesh = axes.pcolormesh(
        choices.across, choices.upwards, choices.skips, cmap=SKIP_COLOURS, norm=norm
    )
    colour_bar(figure, axes, mesh, "steps", range(1, longest + 1))


def colour_bar(
    figure: Figure, axes: Axes, colours: ScalarMappable, title: str, ticks: Sequence[int]
) -> None:
    """A narrow bar beside an axes that explains its colours."""
    box, width = axes.get_position(), float(figure.get_size_inches()[0])
    bar = figure.colorbar(
        colours, cax=figure.add_axes((box.x1 + 0.1 / width, box.y0, 0.13 / width, box.height))
    )
    bar.ax.set_title(title, fontsize=9, fontweight="normal", loc="left", pad=6)
    bar.set_ticks(list(ticks))
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    bar.ax.grid(visible=False)
