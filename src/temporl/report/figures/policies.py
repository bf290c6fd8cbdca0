"""What was learned, on the map: where policies go and decide, and what one does everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gymnasium.wrappers import TimeLimit
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from temporl.environments import GridMap, GridWorld
from temporl.evaluation import EnvironmentLike
from temporl.report.figures.maps import cell_inches, draw_policy, map_panels, panels_size
from temporl.report.figures.paths import Stretch, greedy_paths, path_text
from temporl.report.figures.style import (
    Material,
    agent_colour,
    headline,
    ink,
    picture,
    world_name,
)
from temporl.report.figures.values import draw_scale, draw_values, known_values, value_scale
from temporl.skipping import Policy
from temporl.training.outcome import TrainedPolicy
from temporl.wording import number_of

SHOWN_SCHEDULE = "constant"
HOW_TO_READ = "a dot is a decision; \N{MULTIPLICATION SIGN}5: its action is played for five steps"


class Scene(NamedTuple):
    """One world, and what some agents learned in it."""

    name: str
    world: GridWorld
    paths: dict[str, list[Stretch]]
    policies: dict[str, TrainedPolicy]


def scenes(material: Material) -> list[Scene]:
    """The gridworlds of an experiment, under one schedule."""
    schedules = [result.cell.schedule for result in material.results]
    shown = SHOWN_SCHEDULE if SHOWN_SCHEDULE in schedules else schedules[0]
    found: dict[str, Scene] = {}
    for result in material.results:
        cell = result.cell
        if cell.schedule == shown and cell.agent in material.experiment.pictured:
            environment = cell.config.environment.make()
            world = environment.unwrapped
            assert isinstance(world, GridWorld)
            scene = found.setdefault(cell.environment, Scene(world_name(cell), world, {}, {}))
            scene.policies[cell.agent] = policy = result.best_policy()
            scene.paths[cell.agent] = short_path(policy, environment)
            environment.close()
    return list(found.values())


def short_path(policy: Policy, environment: EnvironmentLike) -> list[Stretch]:
    """The path with the fewest decisions among ten: equally good actions are taken at random."""
    return min(greedy_paths(policy, environment, [0] * 10), key=len)


@contextmanager
def map_picture(
    path: Path, grids: Sequence[GridMap], cell: float, beside: float, below: float
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A picture with maps in a row, and room for words above, beside and below them."""
    width, height = panels_size(grids, cell)
    with picture(path, max(width + beside, 5.0), height + 0.9 + below) as figure:
        yield figure, map_panels(figure, grids, cell, 0.9)


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


def _best_of(material: Material) -> str:
    return f"the best of {number_of(len(material.results[0].folders), 'seed')}"


def policies(material: Material) -> list[Path]:
    """Where the best greedy policies go and where they decide, a map for each world."""
    shown, path = scenes(material), material.folder / "policies.png"
    if not shown:
        return []
    grids = [scene.world.map for scene in shown]
    with map_picture(path, grids, cell_inches(grids), 0, 0.5) as (figure, panels):
        for axes, scene in zip(panels, shown, strict=True):
            _above(axes, scene.name)
            for number, (agent, stretches) in enumerate(scene.paths.items()):
                draw_policy(axes, scene.world.map, stretches, agent)
                _below(axes, number, f"{agent}: {path_text(stretches)}", agent_colour(agent))
        headline(
            figure, "Where the learned policies decide", f"{HOW_TO_READ}; {_best_of(material)}"
        )
    return [path]


def values(material: Material) -> list[Path]:
    """The policy with skips in every state that can be reached, a map for each world."""
    agent, path = material.experiment.pictured[-1], material.folder / "values.png"
    shown = [scene for scene in scenes(material) if agent in scene.policies]
    if not shown:
        return []
    grids = [scene.world.map for scene in shown]
    scale = value_scale([known_values(scene.world, scene.policies[agent]) for scene in shown])
    with map_picture(path, grids, cell_inches(grids), 0.75, 0.05) as (figure, panels):
        for axes, scene in zip(panels, shown, strict=True):
            _above(axes, scene.name)
            draw_values(axes, scene.world, scene.policies[agent], scale)
        draw_scale(figure, panels[-1], scale)
        headline(
            figure,
            f"The learned policy everywhere: {agent}",
            "arrow: the greedy action; number: for how many steps it is played;"
            f" {_best_of(material)}",
        )
    return [path]


def policy_picture(
    policy: TrainedPolicy, grid: GridMap, path: Path, title: str, agent: str
) -> Path:
    """Save a picture of an agent's policy on one map: its path, and its choice everywhere."""
    world, (rows, columns) = GridWorld(grid), grid.shape
    stretches = short_path(policy, TimeLimit(world, max(100, 2 * rows * columns)))
    scale = value_scale([known_values(world, policy)])
    with map_picture(path, [grid, grid], 1.25 * cell_inches([grid]), 0.75, 0.05) as (
        figure,
        panels,
    ):
        left, right = panels
        draw_policy(left, grid, stretches, agent)
        _above(left, f"{agent}: {path_text(stretches)}", agent_colour(agent))
        draw_values(right, world, policy, scale)
        _above(right, "everywhere: action and steps")
        draw_scale(figure, right, scale)
        headline(figure, title, HOW_TO_READ)
    return path


def hero(material: Material) -> list[Path]:
    """One wide picture of the idea: the same way, decided step by step and decided ahead."""
    zigzag = [scene for scene in scenes(material) if scene.name == "ZigZag"]
    names = dict(zip(material.experiment.pictured, ("Q-learning", "TempoRL"), strict=True))
    if not zigzag or zigzag[0].paths.keys() != names.keys():
        return []
    grid, paths, path = zigzag[0].world.map, zigzag[0].paths, material.folder / "hero.png"
    cell = 0.464
    width, height = panels_size([grid, grid], cell)
    with picture(path, width, height + 0.52) as figure:
        panels = map_panels(figure, [grid, grid], cell, 0.45)
        for axes, (agent, name) in zip(panels, names.items(), strict=True):
            draw_policy(axes, grid, paths[agent], agent)
            colour = ink(agent_colour(agent))
            left, right, line = -0.5, grid.shape[1] - 0.5, axes.get_ylim()[1]
            text = f"decides {number_of(len(paths[agent]), 'time')}"
            axes.text(left, line, name, fontsize=17, fontweight="bold", color=colour)
            axes.text(right, line, text, fontsize=17, color=colour, ha="right")
    return [path]
