"""When a policy on Pendulum decides: in the phase plane, and everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize

from temporl.environments import EnvironmentSpec
from temporl.report.figures.labels import Points
from temporl.report.figures.paths import greedy_paths, path_text
from temporl.report.figures.phase_plane import HOW_TO_READ, Plane, Side, colour_bar
from temporl.report.figures.style import QUIET, Margins, Material, headline, panels, picture
from temporl.skipping import Policy

ENVIRONMENT = EnvironmentSpec("Pendulum-v1")
PI = "\N{GREEK SMALL LETTER PI}"
TORQUES = LinearSegmentedColormap.from_list("torque", ["#0173b2", "#d0d0d0", "#d55e00"])


def swing(material: Material) -> list[Path]:
    """The best policy with the longest skips, 10 where there is a choice, if there is one."""
    pictured = material.experiment.pictured
    found = [result for result in material.results if result.cell.agent in pictured]
    if not found:
        return []
    result = max(found, key=lambda one: (one.cell.max_skip == 10, one.cell.max_skip))
    title = f"When {result.cell.agent} decides on Pendulum (J = {result.cell.max_skip})"
    return [pendulum_picture(result.best_policy(), material.folder / "pendulum.png", title)]


def pendulum_picture(policy: Policy, path: Path, title: str) -> Path:
    """Save a picture of a policy on Pendulum: one episode, and its choice everywhere."""
    episodes = greedy_paths(policy, ENVIRONMENT, range(10))
    from_below = min(episodes, key=lambda episode: episode[0].states[0][0])
    lines = unbroken([in_plane(np.array(stretch.states)) for stretch in from_below])
    with picture(path, 13.4, 4.9) as figure:
        margins = Margins(left=0.75, right=0.95, top=1.05, across=1.15, down=0.8)
        plane, *everywhere = panels(figure, 1, 3, margins)[0]
        PLANE.draw_episode(plane, from_below, lines, f"an episode: {path_text(from_below)}")
        torques = PLANE.draw_choices(figure, everywhere, policy, lines, "the torque", TORQUES)
        colour_bar(figure, everywhere[0], torques, "torque", [-2, -1, 0, 1, 2])
        places = f"it hangs at \N{PLUS-MINUS SIGN}{PI} and stands at 0"
        headline(figure, title, f"{HOW_TO_READ}; {places}")
    return path


def in_plane(states: Points) -> Points:
    """Angle and angular velocity of observations, which hold cosine, sine and velocity."""
    return np.stack([np.arctan2(states[:, 1], states[:, 0]), states[:, 2]], axis=-1)


def unbroken(lines: Sequence[Points]) -> list[Points]:
    """The same lines, with gaps where the angle jumps from one side to the other."""
    jumps = [np.flatnonzero(np.abs(np.diff(line[:, 0])) > np.pi) + 1 for line in lines]
    return [np.insert(line, jump, np.nan, axis=0) for line, jump in zip(lines, jumps, strict=True)]


def _mark(axes: Axes) -> None:
    axes.set_xticks([-np.pi, 0, np.pi], [f"\N{MINUS SIGN}{PI}", "0", PI])
    axes.plot(0, 0, "+", ms=9, color=QUIET, zorder=2)


PLANE = Plane(
    across=Side("angle", -np.pi, np.pi, 90),
    upwards=Side("angular velocity", -8.0, 8.0, 80),
    observed=lambda angle, speed: np.array([np.cos(angle), np.sin(angle), speed], np.float32),
    colours=TORQUES,
    actions=Normalize(-2.0, 2.0),
    mark=_mark,
)
