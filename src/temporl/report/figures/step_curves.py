"""Learning curves over environment steps, for agents whose budget is counted in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float, Num
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from temporl.report.cells import CellResult
from temporl.report.figures.curves import STEPS_DASHES, agent_handles, stroke_handles
from temporl.report.figures.style import (
    QUIET,
    Margins,
    Material,
    agent_colour,
    band_text,
    few_ticks,
    headline,
    panels,
    picture,
    seeds_text,
)
from temporl.report.tables import area_under

MOST_POINTS = 200
LINE = 11
"""The height of a line of small print, in points."""


def smoothed(
    curves: Num[np.ndarray, "seed evaluation"], most: int = MOST_POINTS
) -> Float[np.ndarray, "seed point"]:
    """Means over neighbouring evaluations, so that at most `most` points remain."""
    parts = np.array_split(curves, min(most, curves.shape[1]), axis=1)
    return np.stack([part.mean(axis=1) for part in parts], axis=1)


def best_of_each_agent(results: Sequence[CellResult]) -> list[CellResult]:
    """For every agent its cell with the largest area under the curve, as the paper shows them."""
    best: dict[str, CellResult] = {}
    for result in results:
        known = best.get(result.cell.agent)
        if known is None or area_under(result).mean() > area_under(known).mean():
            best[result.cell.agent] = result
    return list(best.values())


def step_curves(material: Material) -> list[Path]:
    """A column for each environment: returns above, decisions and steps below."""
    path = material.folder / "curves.png"
    worlds: dict[str, list[CellResult]] = {}
    for result in material.results:
        worlds.setdefault(result.cell.environment, []).append(result)
    shown = {world: best_of_each_agent(results) for world, results in worlds.items()}
    everything = [result for results in shown.values() for result in results]
    panel, across, apart = (4.2, 0.65, "   ") if len(worlds) <= 3 else (2.9, 0.5, "\n")
    variants = {world: _variants(results, apart) for world, results in shown.items()}
    lines = max(1 + text.count("\n") for text in variants.values())
    height = LINE * lines / 72
    with picture(path, max(7.4, 1.2 + panel * len(worlds)), 5.65 + height) as figure:
        margins = Margins(left=0.75, right=0.3, top=1.05 + height, across=across)
        grid = panels(figure, 2, len(worlds), margins, sharex="col")
        for (above, below), (world, results) in zip(grid.T, shown.items(), strict=True):
            for result in results:
                _draw_returns(above, result)
                _draw_decisions(below, result)
            _name(above, world, variants[world], lines)
            _set_scales(above, below, results)
        grid[0, 0].set_ylabel("return of the greedy policy")
        grid[1, 0].set_ylabel("per greedy episode")
        handles = agent_handles(everything) + stroke_handles()
        figure.legend(handles=handles, loc="upper right", ncols=len(handles))
        headline(
            figure,
            "Learning to act, and when",
            f"{band_text(everything)}; {_smoothing(everything[0])}",
        )
    return [path]


def _smoothing(result: CellResult) -> str:
    width = round(result.returns.shape[1] / smoothed(result.returns).shape[1])
    return "no smoothing" if width == 1 else f"smoothed over {width} evaluations"


def _name(axes: Axes, world: str, variants: str, lines: int) -> None:
    """The environment, and which variants of the agents are shown, in at most `lines` lines."""
    axes.set_title(world, loc="left", pad=7 + LINE * lines)
    axes.annotate(
        variants,
        (0, 1),
        (0, 3 + LINE * lines),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize=8.5,
        color=QUIET,
    )


def _variants(results: Sequence[CellResult], apart: str) -> str:
    return apart.join(filter(None, (_variant(result, results) for result in results)))


def _variant(result: CellResult, beside: Sequence[CellResult]) -> str:
    """What tells a cell from others of its agent, and how many seeds it has if others differ."""
    cell, about = result.cell, []
    if cell.architecture:
        about.append(cell.architecture)
    if cell.max_skip > 1:
        about.append(f"J = {cell.max_skip}")
    if len({len(other.folders) for other in beside}) > 1:
        about.append(seeds_text([result]))
    return f"{cell.agent}: {', '.join(about)}" if about else ""


def _set_scales(above: Axes, below: Axes, results: Sequence[CellResult]) -> None:
    steps = max(result.steps.max() for result in results)
    scale, unit = (1e6, "millions") if steps >= 500_000 else (1e3, "thousands")
    below.set(xlabel=f"environment steps ({unit})", yscale="log", xlim=(0, steps))
    below.xaxis.set_major_locator(MaxNLocator(5))
    below.xaxis.set_major_formatter(lambda value, _: f"{value / scale:g}")
    few_ticks(below.yaxis, (1.0, 2.0, 5.0))
    above.yaxis.set_major_locator(MaxNLocator(6))
    # A few terrible episodes must not press all that matters against the upper edge.
    lowest, highest = results[0].cell.returns
    above.set_ylim(bottom=max(above.get_ylim()[0], lowest - (highest - lowest) / 2))


def _draw_returns(axes: Axes, result: CellResult) -> None:
    steps, returns = smoothed(result.steps).mean(axis=0), smoothed(result.returns)
    mean, spread = returns.mean(axis=0), returns.std(axis=0)
    # No policy earns less than the worst or more than the best episode.
    low = np.maximum(mean - spread, result.returns.min())
    high = np.minimum(mean + spread, result.returns.max())
    colour = agent_colour(result.cell.agent)
    axes.fill_between(steps, low, high, color=colour, alpha=0.2, lw=0)
    axes.plot(steps, mean, color=colour)


def _draw_decisions(axes: Axes, result: CellResult) -> None:
    steps, colour = smoothed(result.steps).mean(axis=0), agent_colour(result.cell.agent)
    axes.plot(steps, smoothed(result.decisions).mean(axis=0), color=colour)
    # Without skips, steps and decisions are the same.
    lengths = result.lengths if result.cell.max_skip > 1 else result.decisions
    axes.plot(steps, smoothed(lengths).mean(axis=0), color=colour, ls=STEPS_DASHES)
