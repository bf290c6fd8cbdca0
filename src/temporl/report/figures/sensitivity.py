"""How far a conclusion depends on choices that were not published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from temporl.agents import agent_options
from temporl.experiments.experiment import Cell
from temporl.report.figures.style import (
    FAINT,
    Margins,
    Material,
    agent_colour,
    headline,
    only_bottom,
    panels,
    picture,
    seeds_text,
)
from temporl.report.tables import Row

TIES_TITLES = {"random": "ties broken at random", "first": "ties go to the first action"}
GAP = 0.7
"""Room between two groups of lines, in lines."""


class Place(NamedTuple):
    """A cell's panel, group of lines and line."""

    ties: str
    goal: tuple[int, ...]
    schedule: str


def _place(cell: Cell) -> Place:
    goal = tuple(cell.config.environment.options.get("goal", ()))
    ties = str(agent_options(cell.config.agent)["action_ties"])
    return Place(ties, goal, cell.schedule)


def sensitivity(material: Material) -> list[Path]:
    """A line for each combination of choices, with a dot for each agent."""
    path = material.folder / "sensitivity.png"
    found = {(row.environment, row.schedule, row.agent): row for row in material.rows}
    cells = [result.cell for result in material.results]
    dots = [(_place(cell), found[cell.environment, cell.schedule, cell.agent]) for cell in cells]
    heights = _line_heights([place for place, _ in dots])
    episodes = max(cell.config.episodes or 0 for cell in cells)
    agents = list(dict.fromkeys(cell.agent for cell in cells))
    ties = list(dict.fromkeys(place.ties for place, _ in dots))
    with picture(path, 1.2 + 4.1 * len(ties), 1.6 + 0.27 * max(heights.values())) as figure:
        margins = Margins(left=1.15, across=0.2)
        grid = panels(figure, 1, len(ties), margins, sharex=True, sharey=True)[0]
        for axes, rule in zip(grid, ties, strict=True):
            here = [(place, row) for place, row in dots if place.ties == rule]
            _draw_dots(axes, here, heights, agents, episodes)
            axes.set_title(TIES_TITLES.get(rule, rule), loc="left")
        _name_lines(grid[0], heights)
        headline(
            figure,
            "Episodes until 95 % of evaluations reach the goal",
            f"{seeds_text(material.results)} for each dot; goals by row and column;"
            f" never: not in {episodes} episodes",
        )
        figure.legend(handles=_handles(agents), loc="upper right", ncols=len(agents))
    return [path]


def _line_heights(places: Sequence[Place]) -> dict[tuple[tuple[int, ...], str], float]:
    """The height of each line, from the top; goals are groups."""
    goals = sorted(dict.fromkeys(place.goal for place in places))
    schedules = list(dict.fromkeys(place.schedule for place in places))
    return {
        (goal, schedule): group * (len(schedules) + GAP) + number
        for group, goal in enumerate(goals)
        for number, schedule in enumerate(schedules)
    }


def _draw_dots(
    axes: Axes,
    dots: Sequence[tuple[Place, Row]],
    heights: dict[tuple[tuple[int, ...], str], float],
    agents: Sequence[str],
    episodes: int,
) -> None:
    never = {agent: episodes * 1.5 * 1.28**number for number, agent in enumerate(agents)}
    strip = (episodes * 1.2, episodes * 1.5 * 1.28 ** (len(agents) - 0.2))
    axes.axvspan(*strip, color="#f3f3f3", lw=0, zorder=0)
    for line in heights.values():
        axes.axhline(line, color=FAINT, lw=0.8, zorder=1)
    for place, row in dots:
        height, colour = heights[place.goal, place.schedule], agent_colour(row.agent)
        if row.value is None:
            axes.plot(never[row.agent], height, "o", ms=6.5, mfc="white", mec=colour, mew=1.5)
        else:
            axes.plot(row.value, height, "o", ms=8, mfc=colour, mec="white", mew=0.8, zorder=3)
    axes.set_xscale("log")
    ticks = [learner for learner in (1, 3, 10, 30, 100, 300, 1000) if learner <= episodes]
    middle = (strip[0] * strip[1]) ** 0.5
    axes.set_xticks([*ticks, middle], [*map(str, ticks), "never"], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlim(1, strip[1])
    axes.set_xlabel("training episodes")
    only_bottom(axes)


def _name_lines(axes: Axes, heights: dict[tuple[tuple[int, ...], str], float]) -> None:
    axes.set_yticks(list(heights.values()), [schedule for _, schedule in heights])
    axes.set_ylim(max(heights.values()) + 0.6, -0.6)
    groups: dict[tuple[int, ...], list[float]] = {}
    for (goal, _), height in heights.items():
        groups.setdefault(goal, []).append(height)
    for goal, lines in groups.items():
        axes.annotate(
            f"goal {', '.join(map(str, goal))}",
            (0, sum(lines) / len(lines)),
            (-62, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            rotation=90,
            ha="center",
            va="center",
            fontweight="bold",
        )


def _handles(agents: Sequence[str]) -> list[Line2D]:
    return [
        Line2D([], [], ls="", marker="o", ms=7, color=agent_colour(agent), label=agent)
        for agent in agents
    ]
