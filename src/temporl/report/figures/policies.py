"""What was learned, on the map: where policies go and decide, and what one does everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gymnasium.wrappers import TimeLimit
from matplotlib.axes import Axes

from temporl.agents import agent_label, agent_name
from temporl.environments import GridMap, GridWorld
from temporl.evaluation import EnvironmentLike
from temporl.randomness import Purpose, stream
from temporl.report.cells import CellResult
from temporl.report.figures.maps import cell_inches, draw_policy, map_panels, panels_size
from temporl.report.figures.paths import Stretch, greedy_path, path_text
from temporl.report.figures.style import (
    Material,
    agent_colour,
    headline,
    ink,
    picture,
    world_name,
)
from temporl.report.figures.values import draw_scale, draw_values, known_values, value_scale
from temporl.tabular.policy import TabularPolicy
from temporl.training.outcome import TrainedPolicy
from temporl.wording import number_of

SHOWN_AGENTS = {"q": "Q-learning", "t-q": "TempoRL"}
SHOWN_SCHEDULE = "constant"
HOW_TO_READ = "a dot is a decision; \N{MULTIPLICATION SIGN}5: its action is played for five steps"


class Scene(NamedTuple):
    """One world, and what some agents learned in it."""

    name: str
    world: GridWorld
    paths: dict[str, list[Stretch]]
    policies: dict[str, TabularPolicy]


def scenes(results: Sequence[CellResult]) -> list[Scene]:
    """The gridworlds among results, under one schedule."""
    schedules = [result.cell.schedule for result in results]
    shown = SHOWN_SCHEDULE if SHOWN_SCHEDULE in schedules else schedules[0]
    found: dict[str, Scene] = {}
    for result in results:
        cell = result.cell
        environment = cell.config.environment.make()
        world = environment.unwrapped
        if isinstance(world, GridWorld) and cell.schedule == shown and cell.agent in SHOWN_AGENTS:
            scene = found.setdefault(cell.environment, Scene(world_name(cell), world, {}, {}))
            policy = result.best_policy()
            assert isinstance(policy, TabularPolicy)
            scene.policies[cell.agent] = policy
            scene.paths[cell.agent] = short_path(policy, environment)
        environment.close()
    return list(found.values())


def short_path(policy: TabularPolicy, environment: EnvironmentLike) -> list[Stretch]:
    """The path with the fewest decisions among ten: equally good actions are taken at random."""
    tries = (replace(policy, ties=stream(number, Purpose.EVALUATION)) for number in range(10))
    return min((greedy_path(each, environment) for each in tries), key=len)


def _above(axes: Axes, text: str, colour: str | None = None) -> None:
    shade = None if colour is None else ink(colour)
    axes.text(-0.5, axes.get_ylim()[1], text, fontsize=10, fontweight="bold", color=shade)


def _below(axes: Axes, number: int, text: str, colour: str) -> None:
    corner = (-0.5, axes.get_ylim()[0])
    axes.annotate(
        text,
        corner,
        (0, -14 * number),
        textcoords="offset points",
        va="top",
        fontweight="bold",
        color=ink(colour),
    )


def _seeds(material: Material) -> str:
    return number_of(len(material.results[0].folders), "seed")


def policies(material: Material) -> list[Path]:
    """Where the best greedy policies go and where they decide, a map for each world."""
    shown, path = scenes(material.results), material.folder / "policies.png"
    if not shown:
        return []
    grids = [scene.world.map for scene in shown]
    cell = cell_inches(grids)
    width, height = panels_size(grids, cell)
    with picture(path, max(width, 5.0), height + 1.4) as figure:
        for axes, scene in zip(map_panels(figure, grids, cell, 0.9), shown, strict=True):
            _above(axes, scene.name)
            for number, (agent, stretches) in enumerate(scene.paths.items()):
                draw_policy(axes, scene.world.map, stretches, agent)
                _below(axes, number, f"{agent}: {path_text(stretches)}", agent_colour(agent))
        headline(
            figure,
            "Where the learned policies decide",
            f"{HOW_TO_READ}; the best of {_seeds(material)}",
        )
    return [path]


def values(material: Material) -> list[Path]:
    """The policy of TempoRL in every state that can be reached, a map for each world."""
    shown = [scene for scene in scenes(material.results) if "t-q" in scene.policies]
    path = material.folder / "values.png"
    if not shown:
        return []
    grids = [scene.world.map for scene in shown]
    cell = cell_inches(grids)
    width, height = panels_size(grids, cell)
    scale = value_scale([known_values(scene.world, scene.policies["t-q"]) for scene in shown])
    with picture(path, max(width + 0.75, 5.0), height + 0.95) as figure:
        panels = map_panels(figure, grids, cell, 0.9)
        for axes, scene in zip(panels, shown, strict=True):
            _above(axes, scene.name)
            draw_values(axes, scene.world, scene.policies["t-q"], scale)
        draw_scale(figure, panels[-1], scale)
        headline(
            figure,
            "The learned policy everywhere: t-q",
            "arrow: the greedy action; number: for how many steps it is played;"
            f" the best of {_seeds(material)}",
        )
    return [path]


def policy_picture(policy: TrainedPolicy, grid: GridMap, path: Path, title: str) -> Path:
    """Save a picture of one policy with tables on one map: its path, and its choice everywhere."""
    assert isinstance(policy, TabularPolicy)
    world, agent = GridWorld(grid), agent_label(agent_name(policy.agent))
    rows, columns = grid.shape
    stretches = short_path(policy, TimeLimit(world, max(100, 2 * rows * columns)))
    scale = value_scale([known_values(world, policy)])
    cell = 1.25 * cell_inches([grid])
    width, height = panels_size([grid, grid], cell)
    with picture(path, max(width + 0.75, 5.0), height + 0.95) as figure:
        left, right = map_panels(figure, [grid, grid], cell, 0.9)
        draw_policy(left, grid, stretches, agent)
        _above(left, f"{agent}: {path_text(stretches)}", agent_colour(agent))
        draw_values(right, world, policy, scale)
        _above(right, "everywhere: action and steps")
        draw_scale(figure, right, scale)
        headline(figure, title, HOW_TO_READ)
    return path


def hero(material: Material) -> list[Path]:
    """One wide picture of the idea: the same way, decided step by step and decided ahead."""
    zigzag = [scene for scene in scenes(material.results) if scene.name == "ZigZag"]
    if not zigzag or set(zigzag[0].paths) != set(SHOWN_AGENTS):
        return []
    grid, paths, path = zigzag[0].world.map, zigzag[0].paths, material.folder / "hero.png"
    cell = 0.464
    width, height = panels_size([grid, grid], cell)
    with picture(path, width, height + 0.52) as figure:
        panels = map_panels(figure, [grid, grid], cell, 0.45)
        for axes, (agent, name) in zip(panels, SHOWN_AGENTS.items(), strict=True):
            draw_policy(axes, grid, paths[agent], agent)
            colour = ink(agent_colour(agent))
            left, right, line = -0.5, grid.shape[1] - 0.5, axes.get_ylim()[1]
            text = f"decides {number_of(len(paths[agent]), 'time')}"
            axes.text(left, line, name, fontsize=17, fontweight="bold", color=colour)
            axes.text(right, line, text, fontsize=17, color=colour, ha="right")
    return [path]
