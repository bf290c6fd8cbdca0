"""When a policy on MountainCar decides: on the hill, in the phase plane, and everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, Normalize, to_rgb
from matplotlib.lines import Line2D

from temporl.environments import EnvironmentSpec
from temporl.evaluation import evaluate
from temporl.report.figures.paths import Stretch, greedy_paths, path_text
from temporl.report.figures.phase_plane import HOW_TO_READ, Plane, Side, draw_stretches
from temporl.report.figures.style import (
    QUIET,
    TEXT,
    Margins,
    Material,
    headline,
    panels,
    picture,
)
from temporl.runs.policies import load_policy
from temporl.runs.store import POLICY
from temporl.skipping import Policy
from temporl.wording import number_of

ENVIRONMENT = EnvironmentSpec("MountainCar-v0")
ACTIONS = {"push left": "#0173b2", "no push": "#949494", "push right": "#d55e00"}
"""What the actions 0, 1 and 2 do, and their colours."""
COLOURS = ListedColormap(list(ACTIONS.values()))
FAINT = ListedColormap([0.45 * np.array(to_rgb(colour)) + 0.55 for colour in ACTIONS.values()])
GOAL, BOTTOM = 0.5, -np.pi / 6
EPISODES = 10
NEARLY = 0.05
"""By which part of the best return a policy may miss it and still be as good."""
RISE = 0.9
"""How much higher than at its beginning an episode is drawn at its end."""


def key_states(material: Material) -> list[Path]:
    """A good policy with skips on MountainCar, if there is one."""
    found = [
        result
        for result in material.results
        if result.cell.config.environment == ENVIRONMENT
        and result.cell.agent in material.experiment.pictured
    ]
    if not found:
        return []
    policy, path = good_policy(found[0].folders), material.folder / "mountain-car.png"
    seeds = number_of(len(found[0].folders), "seed")
    title = f"When {found[0].cell.agent} decides on MountainCar: one of the best of {seeds}"
    return [mountain_car_picture(policy, path, title)]


def good_policy(folders: Sequence[Path]) -> Policy:
    """The policy with the fewest decisions among those that earn nearly as much as the best."""
    policies: list[Policy] = [load_policy(folder / POLICY) for folder in folders]
    played = [evaluate(policy, ENVIRONMENT, EPISODES) for policy in policies]
    returns = [float(episodes.returns.mean()) for episodes in played]
    enough = max(returns) - NEARLY * abs(max(returns))
    good = [number for number, earned in enumerate(returns) if earned >= enough]
    return policies[min(good, key=lambda number: played[number].decisions.mean())]


def mountain_car_picture(policy: Policy, path: Path, title: str) -> Path:
    """Save a picture of a policy on MountainCar: one episode, and its choice everywhere."""
    episode = typical_episode(policy)
    lines = [np.array(stretch.states, dtype=np.float64) for stretch in episode]
    with picture(path, 10.6, 7.9) as figure:
        margins = Margins(left=0.75, right=0.75, top=1.05, across=0.9, down=0.8)
        (hill, plane), everywhere = panels(figure, 2, 2, margins)
        draw_hill(hill, episode)
        PLANE.draw_episode(plane, episode, lines, "the same episode by position and velocity")
        PLANE.draw_choices(figure, everywhere, policy, lines, "the action", FAINT)
        handles = [
            Line2D([], [], color=colour, lw=1.5, marker="o", mec="white", label=name)
            for name, colour in ACTIONS.items()
        ]
        figure.legend(handles=handles, loc="upper right", ncols=len(ACTIONS))
        headline(figure, title, f"{HOW_TO_READ}; the median of {EPISODES} episodes by decisions")
    return path


def typical_episode(policy: Policy) -> list[Stretch]:
    """Of some greedy episodes the one in the middle by its decisions."""
    return sorted(greedy_paths(policy, ENVIRONMENT, range(EPISODES)), key=len)[EPISODES // 2]


def height(position: Float[np.ndarray, ...]) -> Float[np.ndarray, ...]:
    """The hill, as Gymnasium draws it: .45 sin(3 x) + .55."""
    return np.asarray(0.45 * np.sin(3 * position) + 0.55)


def draw_hill(axes: Axes, episode: Sequence[Stretch]) -> None:
    """An episode above the hill, the later the higher, so that its swings stay apart."""
    ground, top = np.linspace(-1.2, 0.6, 200), float(height(np.array(GOAL)))
    axes.fill_between(ground, height(ground), color="#eeeeee", lw=0, zorder=1)
    axes.plot(ground, height(ground), color=QUIET, lw=1.2, zorder=2)
    axes.plot([GOAL, GOAL], [top, top + 0.2], color=TEXT, lw=1.2, zorder=2)
    axes.fill([GOAL, GOAL - 0.09, GOAL], top + np.array([0.1, 0.15, 0.2]), color=TEXT, zorder=2)
    steps, begin, lines = sum(stretch.steps for stretch in episode), 0, []
    for stretch in episode:
        positions = np.array(stretch.states)[:, 0]
        times = np.arange(begin, begin + len(positions))
        lines.append(np.stack([positions, height(positions) + 0.07 + RISE * times / steps], -1))
        begin += stretch.steps
    axes.set(xlim=(-1.2, 0.6), ylim=(0, 1.2 + RISE), yticks=[], xlabel="position")
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    axes.set_title(f"on the hill, time goes up: {path_text(episode)}", loc="left")
    draw_stretches(
        axes, episode, lines, [np.array([0.0, 1.0])] * len(lines), PLANE.action_colours(episode)
    )


def _mark_goal(axes: Axes) -> None:
    axes.axvline(GOAL, color=QUIET, lw=0.9, ls=(0, (4, 3)), zorder=1)
    place = (GOAL, axes.get_ylim()[1])
    axes.annotate("goal", place, (0, 3), textcoords="offset points", ha="center", color=QUIET)


PLANE = Plane(
    across=Side("position", -1.2, 0.6, 120),
    upwards=Side("velocity per step", -0.07, 0.07, 90),
    observed=lambda position, velocity: np.array([position, velocity], np.float32),
    colours=COLOURS,
    actions=Normalize(-0.5, 2.5),
    mark=_mark_goal,
    centre=(BOTTOM, 0.0),
)
