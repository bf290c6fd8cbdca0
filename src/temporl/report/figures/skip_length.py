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
    Margins,
    Material,
    few_ticks,
    headline,
    panels,
    picture,
    schedule_colour,
    seeds_text,
)
from temporl.report.tables import METRIC_NAMES, Row


def skip_length(material: Material) -> list[Path]:
    """Each metric against the longest skip: ours as lines, the published values as circles."""
    path, metrics = material.folder / "skip-length.png", material.experiment.metrics
    with picture(path, 0.8 + 4.4 * len(metrics), 4.2) as figure:
        grid = panels(figure, 1, len(metrics), Margins(across=0.5))[0]
        for axes, metric in zip(grid, metrics, strict=True):
            rows = [row for row in material.rows if row.metric == metric]
            for schedule in dict.fromkeys(row.schedule for row in rows):
                _draw_schedule(axes, schedule, [row for row in rows if row.schedule == schedule])
            axes.set(xlabel="longest skip J", xticks=sorted({row.max_skip for row in rows}))
            axes.set_title(METRIC_NAMES[metric], loc="left")
            if metric != "reward_auc":
                axes.set_yscale("log")
                few_ticks(axes.yaxis, (1.0, 2.0, 5.0))
        grid[-1].legend(handles=_handles(material.rows), loc="upper right")
        seeds = seeds_text(material.results)
        headline(figure, material.experiment.title, f"{seeds} for each point")
    return [path]


def _handles(rows: Sequence[Row]) -> list[Line2D | Patch]:
    schedules = dict.fromkeys(row.schedule for row in rows)
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=schedule_colour(schedule), lw=2.5, label=schedule)
        for schedule in schedules
    ]
    handles.append(Patch(fc=QUIET, alpha=0.25, label="95 % confidence"))
    handles.append(Line2D([], [], ls="", marker="o", mfc="white", mec=QUIET, label="published"))
    return handles


def _draw_schedule(axes: Axes, schedule: str, rows: Sequence[Row]) -> None:
    colour = schedule_colour(schedule)
    known = sorted(rows, key=lambda row: row.max_skip)
    skips = [row.max_skip for row in known]
    value, low, high, published = (
        np.array([getattr(row, name) for row in known], dtype=float)
        for name in ("value", "ci_low", "ci_high", "published")
    )
    axes.fill_between(skips, low, high, color=colour, alpha=0.2, lw=0)
    axes.plot(skips, value, color=colour)
    axes.plot(skips, published, ls="", marker="o", ms=4.5, mfc="white", mec=colour, mew=1.1)
