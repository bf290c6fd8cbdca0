"""Learning curves: what the greedy policy earns, how long it takes, how often it decides.

Where training lasts for a number of episodes, curves run over episodes, on a logarithmic axis and
with few points; else over environment steps, smoothed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int, Num
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from temporl.report.cells import CellResult
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
    world_name,
)
from temporl.report.tables import area_under

MOST_EPISODES, MOST_POINTS = 400, 200
STEPS_DASHES = (0, (1, 1.2))
LINE = 11
"""The height of a line of small print, in points."""


def chosen_evaluations(count: int) -> Int[np.ndarray, " point"]:
    """Which of many evaluations are drawn: as many in every stretch of a logarithmic axis."""
    return np.unique(np.geomspace(1, count, MOST_EPISODES).round().astype(int)) - 1


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


def learning_curves(material: Material) -> list[Path]:
    """One picture for each schedule: a column for each environment, returns above decisions."""
    schedules = list(dict.fromkeys(result.cell.schedule for result in material.results))
    paths = []
    for schedule in schedules:
        name = "curves.png" if len(schedules) == 1 else f"curves-{schedule}.png"
        worlds: dict[str, list[CellResult]] = {}
        for result in material.results:
            if result.cell.schedule == schedule:
                worlds.setdefault(result.cell.environment, []).append(result)
        shown = {world: best_of_each_agent(results) for world, results in worlds.items()}
        paths.append(material.folder / name)
        _draw_curves(shown, paths[-1])
    return paths


def _draw_curves(shown: dict[str, list[CellResult]], path: Path) -> None:
    everything = [result for results in shown.values() for result in results]
    in_steps = everything[0].in_steps
    width, across, apart = (4.2, 0.65, "   ") if len(shown) <= 3 else (2.9, 0.5, "\n")
    small_print = {world: _variants(results, apart) for world, results in shown.items()}
    lines = max(1 + text.count("\n") for text in small_print.values())
    if not in_steps:
        width, across, small_print, lines = 3.3, 0.4, dict.fromkeys(shown, ""), 0
    height = LINE * lines / 72
    with picture(path, max(7.4, 1.2 + width * len(shown)), 5.65 + height) as figure:
        margins = Margins(left=0.75, right=0.3, top=1.05 + height, across=across)
        sharey = False if in_steps else "row"
        grid = panels(figure, 2, len(shown), margins, sharex="col", sharey=sharey)
        for (above, below), (world, results) in zip(grid.T, shown.items(), strict=True):
            for result in results:
                _draw_result(above, below, result)
            _name(above, world_name(results[0].cell), small_print[world], lines)
            few_ticks(below.yaxis, (1.0, 2.0, 5.0))
            if in_steps:
                _scale_steps(above, below, results)
            else:
                below.set(xlabel="training episodes", xscale="log")
                few_ticks(below.xaxis)
        grid[0, 0].set_ylabel("return of the greedy policy")
        grid[1, 0].set_ylabel("per greedy episode")
        agents = dict.fromkeys(result.cell.agent for result in everything)
        handles = [Line2D([], [], color=agent_colour(name), label=name, lw=2.5) for name in agents]
        handles.append(Line2D([], [], color=QUIET, label="decisions"))
        handles.append(Line2D([], [], color=QUIET, label="steps", ls=STEPS_DASHES))
        figure.legend(handles=handles, loc="upper right", ncols=len(handles))
        schedule = everything[0].cell.schedule
        headline(
            figure,
            f"Learning with a {schedule} exploration schedule"
            if schedule
            else "Learning to act, and when",
            f"{band_text(everything)}; {_smoothing(everything[0])}",
        )


def _drawn(result: CellResult, values: Num[np.ndarray, "seed evaluation"]) -> np.ndarray:
    """What is drawn of a value of every evaluation."""
    return smoothed(values) if result.in_steps else values[:, chosen_evaluations(values.shape[1])]


def _smoothing(result: CellResult) -> str:
    width = round(result.returns.shape[1] / smoothed(result.returns).shape[1])
    if width == 1 or not result.in_steps:
        return "no smoothing"
    return f"smoothed over {width} evaluations"


def _name(axes: Axes, world: str, small_print: str, lines: int) -> None:
    """The environment, and which variants of the agents are shown, in at most `lines` lines."""
    axes.set_title(world, loc="left", pad=7 + LINE * lines)
    axes.annotate(
        small_print,
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


def _scale_steps(above: Axes, below: Axes, results: Sequence[CellResult]) -> None:
    steps = max(result.played.max() for result in results)
    scale, unit = (1e6, "millions") if steps >= 500_000 else (1e3, "thousands")
    below.set(xlabel=f"environment steps ({unit})", xlim=(0, steps))
    below.xaxis.set_major_locator(MaxNLocator(5))
    below.xaxis.set_major_formatter(lambda value, _: f"{value / scale:g}")
    above.yaxis.set_major_locator(MaxNLocator(6))
    # A few terrible episodes must not press all that matters against the upper edge.
    lowest, highest = results[0].cell.returns
    above.set_ylim(bottom=max(above.get_ylim()[0], lowest - (highest - lowest) / 2))


def _draw_result(above: Axes, below: Axes, result: CellResult) -> None:
    played = _drawn(result, result.played).mean(axis=0)
    returns, colour = _drawn(result, result.returns), agent_colour(result.cell.agent)
    mean, spread = returns.mean(axis=0), returns.std(axis=0)
    # No policy earns less than the worst or more than the best episode.
    low = np.maximum(mean - spread, result.returns.min())
    high = np.minimum(mean + spread, result.returns.max())
    above.fill_between(played, low, high, color=colour, alpha=0.2, lw=0)
    above.plot(played, mean, color=colour)
    below.plot(played, _drawn(result, result.decisions).mean(axis=0), color=colour)
    # Without skips, steps and decisions are the same.
    steps = result.lengths if result.cell.max_skip > 1 else result.decisions
    below.plot(played, _drawn(result, steps).mean(axis=0), color=colour, ls=STEPS_DASHES)
    above.margins(x=0)
    below.margins(x=0)
    below.set_yscale("log")
