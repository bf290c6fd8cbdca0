"""When a policy on Pendulum decides: in the phase plane, and everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from temporl.environments import EnvironmentSpec
from temporl.report.figures.labels import Points
from temporl.report.figures.paths import Stretch, greedy_path, path_text
from temporl.report.figures.phase_plane import (
    HOW_TO_READ,
    Choices,
    ask_everywhere,
    colour_bar,
    draw_skips,
    draw_stretches,
    draw_trace,
)
from temporl.report.figures.style import QUIET, Margins, Material, headline, panels, picture
from temporl.skipping import Policy

ENVIRONMENT = EnvironmentSpec("Pendulum-v1")
TORQUE, SPEED = 2.0, 8.0
PI = "\N{GREEK SMALL LETTER PI}"
GRID = (90, 80)
"""For how many angles and speeds a policy is asked what it would do."""
TORQUES = LinearSegmentedColormap.from_list("torque", ["#0173b2", "#d0d0d0", "#d55e00"])


def swing(material: Material) -> list[Path]:
    """The best policy of t-ddpg with the longest skips, if there is one."""
    found = [result for result in material.results if result.cell.agent == "t-ddpg"]
    if not found:
        return []
    result = max(found, key=lambda one: (one.cell.max_skip == 10, one.cell.max_skip))
    title = f"When t-ddpg decides on Pendulum (J = {result.cell.max_skip})"
    return [pendulum_picture(result.best_policy(), material.folder / "pendulum.png", title)]


def pendulum_picture(policy: Policy, path: Path, title: str) -> Path:
    """Save a picture of a policy on Pendulum: one episode, and its choice everywhere."""
    episode = from_below(policy)
    lines = [in_plane(np.array(stretch.states)) for stretch in episode]
    choices = choices_everywhere(policy)
    with picture(path, 13.4, 4.9) as figure:
        margins = Margins(left=0.75, right=0.95, top=1.05, across=1.15, down=0.8)
        plane, actions, skips = panels(figure, 1, 3, margins)[0]
        draw_episode(plane, episode, lines)
        _draw_actions(figure, actions, choices)
        draw_skips(figure, skips, choices)
        for axes, name in ((actions, "the torque"), (skips, "for how many steps")):
            _set_plane(axes, f"everywhere: {name}")
            draw_trace(axes, _unbroken(lines))
        places = f"it hangs at \N{PLUS-MINUS SIGN}{PI} and stands at 0"
        headline(figure, title, f"{HOW_TO_READ}; {places}")
    return path


def from_below(policy: Policy) -> list[Stretch]:
    """Of some greedy episodes the one that begins lowest."""
    environment = ENVIRONMENT.make()
    paths = [greedy_path(policy, environment, seed) for seed in range(10)]
    environment.close()
    return min(paths, key=lambda path: path[0].states[0][0])


def in_plane(states: Points) -> Points:
    """Angle and angular velocity of observations, which hold cosine, sine and velocity."""
    return np.stack([np.arctan2(states[:, 1], states[:, 0]), states[:, 2]], axis=-1)


def _unbroken(lines: Sequence[Points]) -> list[Points]:
    """The same lines, with gaps where the angle jumps from one side to the other."""
    unbroken = []
    for line in lines:
        jumps = np.flatnonzero(np.abs(np.diff(line[:, 0])) > np.pi) + 1
        unbroken.append(np.insert(line, jumps, np.nan, axis=0))
    return unbroken


def choices_everywhere(policy: Policy) -> Choices:
    """Ask a policy about a grid of angles and speeds."""
    angles = np.linspace(-np.pi, np.pi, GRID[0])
    speeds = np.linspace(-SPEED, SPEED, GRID[1])

    def observed(angle: float, speed: float) -> Points:
        return np.array([np.cos(angle), np.sin(angle), speed], np.float32)

    return ask_everywhere(policy, angles, speeds, observed)


def draw_episode(axes: Axes, episode: Sequence[Stretch], lines: Sequence[Points]) -> None:
    """An episode in the phase plane, coloured by its torque."""
    _set_plane(axes, f"an episode: {path_text(episode)}")
    colours = [TORQUES(0.5 + float(one.decision.action[0]) / TORQUE / 2) for one in episode]
    scale = np.array([np.pi, SPEED])
    outwards = [line[0] / scale for line in lines]
    draw_stretches(axes, episode, _unbroken(lines), outwards, colours)


def _draw_actions(figure: Figure, axes: Axes, choices: Choices) -> None:
    axes.pcolormesh(
        choices.across, choices.upwards, choices.actions, cmap=TORQUES, vmin=-TORQUE, vmax=TORQUE
    )
    colours = ScalarMappable(Normalize(-TORQUE, TORQUE), TORQUES)
    colour_bar(figure, axes, colours, "torque", [-2, -1, 0, 1, 2])


def _set_plane(axes: Axes, title: str) -> None:
    axes.set(xlim=(-np.pi, np.pi), ylim=(-SPEED, SPEED), xlabel="angle", ylabel="angular velocity")
    axes.set_xticks([-np.pi, 0, np.pi], [f"\N{MINUS SIGN}{PI}", "0", PI])
    axes.plot(0, 0, "+", ms=9, color=QUIET, zorder=2)
    axes.set_title(title, loc="left")
