"""How the longest skip J matters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from temporl.report.figures.style import (
    QUIET,
    VARIANT_COLOURS,
    Margins,
    Material,
    agent_colour,
    few_ticks,
    headline,
    panels,
    picture,
    seeds_text,
)
from temporl.report.tables import METRICS, Row

ASIDE = {"concat": -0.16, "shared": 0.16}
"""How far the points of an architecture stand aside, so that bars do not cover one another."""


def skip_lengths(material: Material) -> list[Path]:
    """Each metric against the longest skip: ours as lines, the published values as circles.

    There is a line for each architecture, or else for each schedule or agent. Panels stand in a row
    for one environment; for several, each has a column.
    """
    experiment, rows = material.experiment, material.rows
    skips = sorted({cell.max_skip for cell in experiment.cells})
    if skips == [1]:
        return []
    kind = next(kind for kind in ("architecture", "schedule", "agent") if getattr(rows[0], kind))
    names = list(dict.fromkeys(getattr(row, kind) for row in rows))
    worlds = list(dict.fromkeys(row.environment for row in rows))
    high, wide = (len(experiment.metrics), len(worlds))
    if wide == 1:
        high, wide = wide, high
    path = material.folder / "skip-length.png"
    with picture(path, max(8.2, 0.9 + 4.4 * wide), 1.5 + 2.7 * high) as figure:
        grid = panels(figure, high, wide, Margins(left=0.7, across=0.5, down=0.25), sharex=True)
        for number, axes in enumerate(grid.flat):
            metric = experiment.metrics[number // len(worlds)]
            world = worlds[number % len(worlds)]
            for name in names:
                wanted = (world, metric, name)
                here = [r for r in rows if (r.environment, r.metric, getattr(r, kind)) == wanted]
                _draw_line(axes, here, name, with_band=kind == "schedule")
            axes.set(xticks=skips, xlim=(skips[0] - 0.7, skips[-1] + 0.7))
            if metric != "reward_auc":
                axes.set_yscale("log")
                few_ticks(axes.yaxis, (1.0, 2.0, 5.0))
            if len(worlds) == 1:
                axes.set_title(METRICS[metric].name, loc="left")
            elif number < wide:
                axes.set_title(world, loc="left")
            if len(worlds) > 1 and world == worlds[0]:
                axes.set_ylabel(METRICS[metric].name)
        for axes in grid[-1]:
            axes.set_xlabel("longest skip J")
        figure.legend(
            handles=_handles(names, with_band=kind == "schedule"),
            loc="upper right",
            bbox_to_anchor=(1, 1 - 0.3 / figure.get_figheight()),
            ncols=len(names) + 2,
        )
        headline(figure, experiment.title, f"{seeds_text(material.results)} for each point")
    return [path]


def _colour(name: str) -> str:
    return VARIANT_COLOURS.get(name) or agent_colour(name)


def _handles(names: Sequence[str], *, with_band: bool) -> list[Line2D | Patch]:
    confidence = "95 % confidence"
    return [
        *(Line2D([], [], color=_colour(name), lw=2.5, label=name) for name in names),
        Line2D([], [], ls="", marker="o", mfc="white", mec=QUIET, label="published"),
        Patch(fc=QUIET, alpha=0.25, label=confidence)
        if with_band
        else Line2D([], [], ls="", marker="|", ms=11, mew=1.6, color=QUIET, label=confidence),
    ]


def _draw_line(axes: Axes, rows: Sequence[Row], name: str, *, with_band: bool) -> None:
    """A line with a band, or dots with bars, which can be seen where the neighbours are missing.

    What never skips is a line across.
    """
    colour, known = _colour(name), sorted(rows, key=lambda row: row.max_skip)
    columns = ("max_skip", "value", "ci_low", "ci_high", "published")
    skips, value, low, high, published = (
        np.array([getattr(row, column) for row in known], dtype=float) for column in columns
    )
    if len(known) == 1 and known[0].max_skip == 1:
        axes.axhline(value[0], color=colour, lw=1.6)
        return
    skips += ASIDE.get(name, 0.0)
    if with_band:
        axes.fill_between(skips, low, high, color=colour, alpha=0.2, lw=0)
    else:
        axes.vlines(skips, low, high, color=colour, lw=1.6, alpha=0.5)
    axes.plot(skips, value, color=colour, marker="" if with_band else "o", ms=5)
    axes.plot(skips, published, "o", ms=5, mfc="white", mec=colour, mew=1.2, zorder=3)
