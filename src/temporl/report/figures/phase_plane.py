"""Episodes and policies in two dimensions, such as position and velocity: parts of pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, Colormap, LinearSegmentedColormap, Normalize
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


@dataclass(frozen=True)
class Side:
    """One of the two numbers: its name, its range, and for how many values a policy is asked."""

    name: str
    lowest: float
    highest: float
    size: int

    def values(self) -> Float[np.ndarray, " value"]:
        """The values for which a policy is asked."""
        return np.linspace(self.lowest, self.highest, self.size)


@dataclass(frozen=True)
class Plane:
    """Two numbers that an observation follows from, and how they are drawn."""

    across: Side
    upwards: Side
    observed: Callable[[float, float], np.ndarray]
    colours: Colormap
    actions: Normalize
    """The range of actions, for their colours."""
    mark: Callable[[Axes], object]
    """Draws what is special in it."""
    centre: tuple[float, float] = (0.0, 0.0)
    """What episodes run around: labels stand on the outside."""

    def set_up(self, axes: Axes, title: str) -> None:
        """Empty, with names and marks."""
        axes.set(xlim=(self.across.lowest, self.across.highest), xlabel=self.across.name)
        axes.set(ylim=(self.upwards.lowest, self.upwards.highest), ylabel=self.upwards.name)
        axes.set_title(title, loc="left")
        self.mark(axes)

    def ask_everywhere(self, policy: Policy) -> tuple[np.ndarray, np.ndarray]:
        """The actions and the skips that a policy would choose at every place of a grid."""
        decisions = [
            policy.decide(self.observed(x, y))
            for y in self.upwards.values()
            for x in self.across.values()
        ]
        shape = self.upwards.size, self.across.size
        actions = np.array([np.asarray(one.action).item() for one in decisions])
        return actions.reshape(shape), np.array([one.skip for one in decisions]).reshape(shape)

    def action_colours(self, episode: Sequence[Stretch]) -> list[Any]:
        """A colour for every decision."""
        actions = (np.asarray(stretch.decision.action).item() for stretch in episode)
        return [self.colours(self.actions(action)) for action in actions]

    def draw_episode(
        self, axes: Axes, episode: Sequence[Stretch], lines: Sequence[Points], title: str
    ) -> None:
        """An episode, coloured by its actions."""
        self.set_up(axes, title)
        scale = np.array([side.highest - side.lowest for side in (self.across, self.upwards)])
        outwards = [(line[0] - self.centre) / scale for line in lines]
        draw_stretches(axes, episode, lines, outwards, self.action_colours(episode))

    def draw_choices(
        self,
        figure: Figure,
        panels: Sequence[Axes],
        policy: Policy,
        lines: Sequence[Points],
        action: str,
        colours: Colormap,
    ) -> ScalarMappable:
        """Which action is greedy where, and for how many steps; the lines show an episode.

        Returns the colours of actions, for a legend.
        """
        actions, skips = self.ask_everywhere(policy)
        places = self.across.values(), self.upwards.values()
        longest = max(2, int(skips.max()))
        bounds = BoundaryNorm(np.arange(0.5, longest + 1), SKIP_COLOURS.N)
        meshes = (
            panels[0].pcolormesh(*places, actions, cmap=colours, norm=self.actions),
            panels[1].pcolormesh(*places, skips, cmap=SKIP_COLOURS, norm=bounds),
        )
        colour_bar(figure, panels[1], meshes[1], "steps", range(1, longest + 1))
        for axes, name in zip(panels, (action, "for how many steps"), strict=True):
            self.set_up(axes, f"everywhere: {name}")
            for line in lines:
                axes.plot(*line.T, color=TEXT, lw=0.8, zorder=3)
                axes.plot(*line[0], "o", ms=3.2, color=TEXT, mec="white", mew=0.5, zorder=4)
        return meshes[0]


def draw_stretches(
    axes: Axes,
    episode: Sequence[Stretch],
    lines: Sequence[Points],
    ways: Sequence[Coordinates],
    colours: Sequence[Any],
) -> None:
    """A mark at every decision, the longer the larger, and the way to the next one."""
    starts = np.stack([line[0] for line in lines])
    labels = Labels(_in_points(axes, np.concatenate(lines)), _in_points(axes, starts))
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


def _in_points(axes: Axes, places: Points) -> Points:
    """Places in an axes as points, of which an inch has 72."""
    return np.asarray(axes.transData.transform(places) * 72 / axes.figure.dpi)


def colour_bar(
    figure: Figure, axes: Axes, colours: ScalarMappable, title: str, ticks: Sequence[int]
) -> None:
    """A narrow bar beside an axes that explains its colours."""
    box, width = axes.get_position(), figure.get_figwidth()
    bar = figure.colorbar(
        colours, cax=figure.add_axes((box.x1 + 0.1 / width, box.y0, 0.13 / width, box.height))
    )
    bar.ax.set_title(title, fontsize=9, fontweight="normal", loc="left", pad=6)
    bar.set_ticks(list(ticks))
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    bar.ax.grid(visible=False)
