"""Learning curves: what the greedy policy earns, how long it takes, how often it decides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

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
from temporl.report.statistics import GOOD_FRACTION, first_reaching, normalized

MOST_POINTS = 400
STEPS_DASHES = (0, (1, 1.2))


def chosen_evaluations(count: int) -> Int[np.ndarray, " point"]:
    """Which of many evaluations are drawn: as many in every stretch of a logarithmic axis."""
    return np.unique(np.geomspace(1, count, MOST_POINTS).round().astype(int)) - 1


def _episodes(result: CellResult, points: Int[np.ndarray, " point"]) -> Int[np.ndarray, " point"]:
    return (points + 1) * result.cell.config.evaluate_every


def learning_curves(material: Material) -> list[Path]:
    """One picture for each schedule: a column for each world, returns above decisions."""
    schedules = list(dict.fromkeys(result.cell.schedule for result in material.results))
    paths = []
    for schedule in schedules:
        name = "curves.png" if len(schedules) == 1 else f"curves-{schedule}.png"
        results = [result for result in material.results if result.cell.schedule == schedule]
        paths.append(material.folder / name)
        _curves_of_schedule(schedule, results, paths[-1])
    return paths


def _curves_of_schedule(schedule: str, results: Sequence[CellResult], path: Path) -> None:
    worlds = list(dict.fromkeys(result.cell.environment for result in results))
    with picture(path, max(5.0, 0.8 + 3.3 * len(worlds)), 5.2) as figure:
        grid = panels(
            figure,
            2,
            len(worlds),
            Margins(left=0.65, right=0.3, across=0.4),
            sharex="col",
            sharey="row",
        )
        for (above, below), world in zip(grid.T, worlds, strict=True):
            here = [result for result in results if result.cell.environment == world]
            for result in here:
                _draw_returns(above, result)
                _draw_decisions(below, result)
            above.set_title(world_name(here[0].cell), loc="left")
            below.set(xlabel="training episodes", xscale="log", yscale="log")
            above.margins(x=0)
            below.margins(x=0)
            few_ticks(below.xaxis)
            few_ticks(below.yaxis, (1.0, 2.0, 5.0))
        grid[0, 0].set_ylabel("return of the greedy policy")
        grid[1, 0].set_ylabel("per greedy episode")
        handles = agent_handles(results) + stroke_handles()
        figure.legend(handles=handles, loc="upper right", ncols=2 if len(worlds) < 2 else 5)
        headline(
            figure,
            f"Learning with a {schedule} exploration schedule",
            f"{band_text(results)}; no smoothing",
        )


def agent_handles(results: Sequence[CellResult]) -> list[Line2D]:
    """The colours of agents, for a legend."""
    agents = dict.fromkeys(result.cell.agent for result in results)
    return [Line2D([], [], color=agent_colour(agent), label=agent, lw=2.5) for agent in agents]


def stroke_handles() -> list[Line2D]:
    """The strokes of decisions and steps, for a legend."""
    return [
        Line2D([], [], color=QUIET, label="decisions"),
        Line2D([], [], color=QUIET, label="steps", ls=STEPS_DASHES),
    ]


def _draw_returns(axes: Axes, result: CellResult) -> None:
    points = chosen_evaluations(result.returns.shape[1])
    returns = result.returns[:, points]
    mean, spread = returns.mean(axis=0), returns.std(axis=0)
    lowest, highest = result.cell.returns
    low, high = np.maximum(mean - spread, lowest), np.minimum(mean + spread, highest)
    episodes, colour = _episodes(result, points), agent_colour(result.cell.agent)
    axes.fill_between(episodes, low, high, color=colour, alpha=0.2, lw=0)
    axes.plot(episodes, mean, color=colour)


def _draw_decisions(axes: Axes, result: CellResult) -> None:
    points = chosen_evaluations(result.decisions.shape[1])
    episodes, colour = _episodes(result, points), agent_colour(result.cell.agent)
    axes.plot(episodes, result.decisions[:, points].mean(axis=0), color=colour)
    # Without skips, steps and decisions are the same.
    steps = result.lengths if result.cell.max_skip > 1 else result.decisions
    axes.plot(episodes, steps[:, points].mean(axis=0), color=colour, ls=STEPS_DASHES)


def reaching_curves(material: Material) -> list[Path]:
    """How many seeds' greedy policies reach the goal, and when 95 % of them do."""
    path = material.folder / "curves.png"
    with picture(path, 7.2, 4.2) as figure:
        axes = panels(figure, 1, 1, Margins(left=0.75, top=0.75))[0, 0]
        for result in material.results:
            scaled = normalized(result.returns, *result.cell.returns)
            _draw_reaching(axes, result, scaled.mean(axis=0))
        axes.axhline(GOOD_FRACTION, color=QUIET, lw=0.9, ls=(0, (4, 3)), zorder=1)
        axes.annotate("95 %", (1, GOOD_FRACTION), (0, 3), textcoords="offset points", color=QUIET)
        axes.set(xscale="log", ylim=(0, 1.03), yticks=np.linspace(0, 1, 6))
        axes.set(xlabel="training episodes", ylabel="seeds that reach the goal")
        axes.margins(x=0.02)
        few_ticks(axes.xaxis, (1.0, 3.0))
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
        axes.legend(loc="lower right")
        headline(
            figure,
            "Who finds the goal, and when",
            f"greedy policies of {seeds_text(material.results)} in the 23 x 23 world",
        )
    return [path]


def _draw_reaching(
    axes: Axes, result: CellResult, fraction: Float[np.ndarray, " evaluation"]
) -> None:
    agent = result.cell.agent
    episodes = _episodes(result, np.arange(len(fraction)))
    first = first_reaching(fraction, GOOD_FRACTION)
    reaches = np.isfinite(first)
    episode = episodes[int(first) - 1] if reaches else 0
    label = f"{agent}: 95 % after {episode} episodes" if reaches else f"{agent}: never 95 %"
    axes.plot(episodes, fraction, color=agent_colour(agent), label=label)
    if reaches:
        reached = (episode, fraction[int(first) - 1])
        axes.plot(*reached, "o", ms=9, color=agent_colour(agent), mec="white", mew=1.2, zorder=4)
