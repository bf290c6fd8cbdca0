"""Return against decisions: what a trained policy reaches at other prices of a decision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from temporl.frontier import Point
from temporl.report.figures.style import QUIET, Margins, few_ticks, headline, panels, picture

COLOUR = "#0173b2"
NEAR = 0.05
"""A label nearer to another one than this share of the picture is left out."""


def frontier_picture(points: Sequence[Point], path: Path, title: str) -> Path:
    """Save a picture: the policy's curve, fixed repeats beside it, and deciding at every step."""
    learned = [point for point in points if point.setting.repeat in (None, 1)]
    repeats = [point for point in points if point.setting.repeat is not None]
    with picture(path, 7.2, 4.4) as figure:
        axes = panels(figure, 1, 1, Margins(left=0.8, top=0.95))[0, 0]
        axes.axhline(points[0].earned, color=QUIET, lw=0.9, ls=(0, (4, 3)), zorder=1)
        for shown, colour, marker, label in (
            (repeats, QUIET, "s", "its actions, with fixed repeats"),
            (learned, COLOUR, "o", "the trained policy, at other prices"),
        ):
            known = sorted((p.steps_per_decision, p.earned) for p in shown)
            axes.plot(*np.transpose(known), color=colour, marker=marker, label=label)
        axes.set(xscale="log", xlabel="steps per decision", ylabel="return")
        axes.margins(y=0.12)
        few_ticks(axes.xaxis, (1.0, 1.5, 2.0, 3.0, 5.0, 7.0))
        _name(axes, repeats, QUIET, -13)
        _name(axes, [point for point in learned if point.setting.repeat is None], COLOUR, 6)
        axes.legend(loc="best")
        episodes = len(points[0].played.returns)
        about = f"one agent, trained once; means of {episodes} episodes each, from the same starts"
        headline(figure, f"What decisions are worth: {title}", about)
    return path


def _name(axes: Axes, points: Sequence[Point], colour: str, above: float) -> None:
    """Write labels beside the points, but for those that would cover another."""
    named: list[np.ndarray] = []
    for point in points:
        place = (point.steps_per_decision, point.earned)
        seen = axes.transAxes.inverted().transform(axes.transData.transform(place))
        if all(np.abs(seen - other).max() > NEAR for other in named):
            named.append(seen)
            label = point.setting.label.removeprefix("price ").removeprefix("tolerance ")
            axes.annotate(
                label,
                place,
                (0, above),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                color=colour,
            )
