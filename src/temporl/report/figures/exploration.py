"""Who finds the goal of the 23 x 23 world, and how far that depends on unpublished choices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from temporl.agents import agent_options
from temporl.experiments.experiment import Cell
from temporl.report.cells import CellResult
from temporl.report.figures.style import (
    QUIET,
    Margins,
    Material,
    agent_colour,
    few_ticks,
    headline,
    panels,
    picture,
    seeds_text,
)
from temporl.report.statistics import GOOD_FRACTION, first_reaching, normalized

TIES_TITLES = {"random": "ties broken at random", "first": "ties go to the first action"}


def reaching_curves(material: Material) -> list[Path]:
    """How many seeds' greedy policies reach the goal, and when 95 % of them do."""
    path = material.folder / "curves.png"
    with picture(path, 7.2, 4.2) as figure:
        axes = panels(figure, 1, 1, Margins(left=0.75, top=0.75))[0, 0]
        for result in material.results:
            _draw_reaching(axes, result)
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


def _draw_reaching(axes: Axes, result: CellResult) -> None:
    fraction = normalized(result.returns, *result.cell.returns).mean(axis=0)
    agent, episodes = result.cell.agent, result.played[0]
    colour = agent_colour(agent)
    first, label = first_reaching(fraction, GOOD_FRACTION), f"{agent}: never 95 %"
    if np.isfinite(first):
        place = int(first) - 1
        label = f"{agent}: 95 % after {episodes[place]} episodes"
        reached = (episodes[place], fraction[place])
        axes.plot(*reached, "o", ms=9, color=colour, mec="white", mew=1.2, zorder=4)
    axes.plot(episodes, fraction, color=colour, label=label)


def _line(cell: Cell) -> tuple[tuple[int, ...], str]:
    """A goal, by row and column, and a schedule."""
    return tuple(cell.config.environment.options.get("goal", ())), cell.schedule


def _ties(cell: Cell) -> str:
    return str(agent_options(cell.config.agent)["action_ties"])


def sensitivity(material: Material) -> list[Path]:
    """A line for each combination of choices, with a dot for each agent."""
    path, cells = material.folder / "sensitivity.png", [one.cell for one in material.results]
    values = {(row.environment, row.schedule, row.agent): row.value for row in material.rows}
    schedules = list(dict.fromkeys(cell.schedule for cell in cells))
    lines = sorted(set(map(_line, cells)), key=lambda line: (line[0], schedules.index(line[1])))
    episodes = max(cell.config.episodes or 0 for cell in cells)
    agents = list(dict.fromkeys(cell.agent for cell in cells))
    ties = list(dict.fromkeys(map(_ties, cells)))
    with picture(path, 1.2 + 4.1 * len(ties), 1.6 + 0.27 * len(lines)) as figure:
        margins = Margins(left=1.5, across=0.2)
        grid = panels(figure, 1, len(ties), margins, sharex=True, sharey=True)[0]
        for axes, rule in zip(grid, ties, strict=True):
            _set_scale(axes, len(agents), episodes)
            for cell in (cell for cell in cells if _ties(cell) == rule):
                value = values[cell.environment, cell.schedule, cell.agent]
                height, colour = lines.index(_line(cell)), agent_colour(cell.agent)
                if value is None:
                    never = _never(episodes, agents.index(cell.agent))
                    axes.plot(never, height, "o", ms=6.5, mfc="white", mec=colour, mew=1.5)
                else:
                    axes.plot(value, height, "o", ms=8, mfc=colour, mec="white", mew=0.8, zorder=3)
            axes.set_title(TIES_TITLES.get(rule, rule), loc="left")
        names = [f"goal {', '.join(map(str, goal))}: {schedule}" for goal, schedule in lines]
        grid[0].set_yticks(range(len(lines)), names)
        grid[0].set_ylim(len(lines) - 0.4, -0.6)
        headline(
            figure,
            "Episodes until 95 % of evaluations reach the goal",
            f"{seeds_text(material.results)} for each dot; goals by row and column;"
            f" never: not in {episodes} episodes",
        )
        handles = [
            Line2D([], [], ls="", marker="o", ms=7, color=agent_colour(agent), label=agent)
            for agent in agents
        ]
        figure.legend(handles=handles, loc="upper right", ncols=len(agents))
    return [path]


def _never(episodes: int, number: float) -> float:
    """Where an agent's dot goes that never reaches the goal, by the agent's number."""
    return episodes * 1.5 * float(1.28**number)


def _set_scale(axes: Axes, agents: int, episodes: int) -> None:
    left, right = episodes * 1.2, _never(episodes, agents - 0.2)
    axes.axvspan(left, right, color="#f3f3f3", lw=0, zorder=0)
    axes.set_xscale("log")
    ticks = [tick for tick in (1, 3, 10, 30, 100, 300, 1000) if tick <= episodes]
    axes.set_xticks([*ticks, (left * right) ** 0.5], [*map(str, ticks), "never"], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlim(1, right)
    axes.set_xlabel("training episodes")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
