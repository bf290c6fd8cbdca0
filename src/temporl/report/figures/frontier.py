"""Return against decisions: what a trained policy reaches at other prices of a decision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from temporl.frontier import Point
from temporl.report.figures.style import QUIET, Margins, few_ticks, headline, panels, picture

COLOUR = "#0173b2"


def frontier_picture(points: Sequence[Point], path: Path, title: str) -> Path:
    """Save a picture: the policy's curve, fixed repeats beside it, and deciding at every step."""
    learned = sorted((p for p in points if p.setting.repeat is None), key=lambda p: p.decisions)
    repeats = [point for point in points if point.setting.repeat is not None]
    lines = (
        (learned, COLOUR, "o", "-", "the trained policy, at prices or tolerances"),
        (repeats, QUIET, "s", (0, (1, 1.2)), "its actions, with fixed repeats"),
    )
    with picture(path, 7.2, 4.4) as figure:
        axes = panels(figure, 1, 1, Margins(left=0.8, top=0.95))[0, 0]
        axes.axhline(points[0].earned, color=QUIET, lw=0.9, ls=(0, (4, 3)), zorder=1)
        for shown, colour, marker, stroke, label in lines:
            across, up = [p.decisions for p in shown], [p.earned for p in shown]
            axes.plot(across, up, color=colour, marker=marker, ls=stroke, label=label)
            named = {(p.decisions, p.earned): p.setting.label for p in reversed(shown)}
            for place, label in named.items():
                name = label.removeprefix("price ").removeprefix("tolerance ")
                over = {"textcoords": "offset points", "ha": "center", "fontsize": 8}
                axes.annotate(name, place, (0, 6), color=colour, **over)
        axes.set(xscale="log", xlabel="decisions in an episode", ylabel="return")
        few_ticks(axes.xaxis, (1.0, 2.0, 5.0))
        axes.legend(loc="lower right")
        episodes = len(points[0].played.returns)
        headline(figure, f"What decisions are worth: {title}", f"means of {episodes} episodes each")
    return path
