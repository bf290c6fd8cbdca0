"""How the longest skip J matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from temporl.report.figures.style import (
    ARCHITECTURE_COLOURS,
    QUIET,
    SCHEDULE_COLOURS,
    Margins,
    Material,
    agent_colour,
    few_ticks,
    headline,
    panels,
    picture,
    seeds_text,
)
from temporl.report.tables import METRIC_NAMES, Row

ASIDE = {"concat": -0.16, "context": 0.0, "shared": 0.16}
"""How far the points of an architecture stand aside, so that bars do not cover one another."""
Numbers = Float[np.ndarray, " skip"]


def skip_length(material: Material) -> list[Path]:
    """Each metric against the longest skip: ours as lines, the published values as circles."""
    path, metrics = material.folder / "skip-length.png", material.experiment.metrics
    with picture(path, 0.8 + 4.4 * len(metrics), 4.2) as figure:
        grid = panels(figure, 1, len(metrics), Margins(across=0.5))[0]
        for axes, metric in zip(grid, metrics, strict=True):
            rows = [row for row in material.rows if row.metric == metric]
            for schedule, colour in SCHEDULE_COLOURS.items():
                _draw_line(axes, [row for row in rows if row.schedule == schedule], colour)
            _finish(axes, metric, sorted({row.max_skip for row in rows}))
            axes.set(xlabel="longest skip J")
            axes.set_title(METRIC_NAMES[metric], loc="left")
        shown = {row.schedule for row in material.rows}
        handles: list[Line2D | Patch] = [
            *_handles({name: c for name, c in SCHEDULE_COLOURS.items() if name in shown}),
            Patch(fc=QUIET, alpha=0.25, label="95 % confidence"),
        ]
        grid[-1].legend(handles=handles, loc="upper right")
        seeds = seeds_text(material.results)
        headline(figure, material.experiment.title, f"{seeds} for each point")
    return [path]


def architectures(material: Material) -> list[Path]:
    """The same for each architecture of the skip network: a column for each environment."""
    path, metrics = material.folder / "skip-length.png", material.experiment.metrics
    worlds = list(dict.fromkeys(row.environment for row in material.rows))
    skips = sorted({cell.max_skip for cell in material.experiment.cells})
    with picture(path, max(8.2, 0.9 + 4.4 * len(worlds)), 1.5 + 2.4 * len(metrics)) as figure:
        margins = Margins(left=0.7, across=0.5)
        grid = panels(figure, len(metrics), len(worlds), margins, sharex="col")
        for column, world in zip(grid.T, worlds, strict=True):
            for axes, metric in zip(column, metrics, strict=True):
                rows = [r for r in material.rows if (r.environment, r.metric) == (world, metric)]
                for name, colour in ARCHITECTURE_COLOURS.items():
                    here = [row for row in rows if row.architecture == name]
                    _draw_points(axes, here, colour, ASIDE[name])
                _finish(axes, metric, skips)
            column[0].set_title(world, loc="left")
            column[-1].set(xlabel="longest skip J", xlim=(skips[0] - 0.5, skips[-1] + 0.5))
        for axes, metric in zip(grid[:, 0], metrics, strict=True):
            axes.set_ylabel(METRIC_NAMES[metric])
        shown = {row.architecture for row in material.rows}
        handles = [
            *_handles({name: c for name, c in ARCHITECTURE_COLOURS.items() if name in shown}),
            Line2D([], [], ls="", marker="|", ms=11, mew=1.6, color=QUIET, label="95 % confidence"),
        ]
        figure.legend(handles=handles, loc="upper right", ncols=len(handles))
        seeds = seeds_text(material.results)
        headline(figure, "How the skip network sees the action", f"t-dqn, {seeds} for each point")
    return [path]


def agents_by_skip_length(material: Material) -> list[Path]:
    """The same for each agent, with those that do not skip as a line across."""
    path, metrics = material.folder / "skip-length.png", material.experiment.metrics
    agents = list(dict.fromkeys(row.agent for row in material.rows))
    skips = sorted({cell.max_skip for cell in material.experiment.cells if cell.max_skip > 1})
    if not skips:
        return []
    with picture(path, 0.8 + 4.4 * len(metrics), 4.2) as figure:
        grid = panels(figure, 1, len(metrics), Margins(across=0.5))[0]
        for axes, metric in zip(grid, metrics, strict=True):
            for agent in agents:
                rows = [r for r in material.rows if (r.agent, r.metric) == (agent, metric)]
                if {row.max_skip for row in rows} == {1}:
                    axes.axhline(float(rows[0].value or np.nan), color=agent_colour(agent), lw=1.6)
                else:
                    _draw_points(axes, rows, agent_colour(agent), 0.0)
            _finish(axes, metric, skips)
            axes.set(xlabel="longest skip J", xlim=(0, skips[-1] + 1))
            axes.set_title(METRIC_NAMES[metric], loc="left")
        handles = _handles({agent: agent_colour(agent) for agent in agents})
        figure.legend(handles=handles, loc="upper right", ncols=len(handles))
        seeds = seeds_text(material.results)
        headline(figure, material.experiment.title, f"{seeds} for each point")
    return [path]


def _finish(axes: Axes, metric: str, skips: Sequence[int]) -> None:
    axes.set_xticks(skips)
    if metric != "reward_auc":
        axes.set_yscale("log")
        few_ticks(axes.yaxis, (1.0, 2.0, 5.0))


def _handles(colours: Mapping[str, str]) -> list[Line2D]:
    """The legend of the lines and of the published values."""
    handles = [Line2D([], [], color=colour, lw=2.5, label=name) for name, colour in colours.items()]
    published = Line2D([], [], ls="", marker="o", mfc="white", mec=QUIET, label="published")
    return [*handles, published]


def _known(rows: Sequence[Row]) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
    """Longest skips in order, with values, both ends of their intervals, and published values."""
    known = sorted(rows, key=lambda row: row.max_skip)
    names = ("max_skip", "value", "ci_low", "ci_high", "published")
    columns = [np.array([getattr(row, name) for row in known], dtype=float) for name in names]
    return columns[0], columns[1], columns[2], columns[3], columns[4]


def _draw_line(axes: Axes, rows: Sequence[Row], colour: str) -> None:
    skips, value, low, high, published = _known(rows)
    axes.fill_between(skips, low, high, color=colour, alpha=0.2, lw=0)
    axes.plot(skips, value, color=colour)
    axes.plot(skips, published, ls="", marker="o", ms=4.5, mfc="white", mec=colour, mew=1.1)


def _draw_points(axes: Axes, rows: Sequence[Row], colour: str, aside: float) -> None:
    """Dots with bars, which can be seen where the neighbours are missing."""
    skips, value, low, high, published = _known(rows)
    axes.vlines(skips + aside, low, high, color=colour, lw=1.6, alpha=0.5)
    axes.plot(skips + aside, value, color=colour, marker="o", ms=5, lw=1.2)
    axes.plot(
        skips + aside,
        published,
        ls="",
        marker="o",
        ms=5,
        mfc="white",
        mec=colour,
        mew=1.2,
        zorder=3,
    )
