"""How all pictures look: colours, fonts, and the one way to make and save a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib import rc_context
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from temporl.experiments.experiment import Cell, Experiment
from temporl.report.cells import CellResult
from temporl.report.statistics import count_seeds
from temporl.report.tables import Row

AGENT_COLOURS = {
    "q": "#029e73",
    "ez-q": "#de8f05",
    "t-q": "#cc78bc",
    "dqn": "#029e73",
    "ez-dqn": "#56b4e9",
    "dar": "#de8f05",
    "t-dqn": "#cc78bc",
    "ddpg": "#029e73",
    "figar": "#de8f05",
    "t-ddpg": "#cc78bc",
    "td3": "#029e73",
    "t-td3": "#cc78bc",
    "sac": "#0173b2",
    "t-sac": "#d55e00",
    **dict.fromkeys(("frugal-q", "frugal-dqn", "frugal-ddpg", "frugal-td3"), "#0173b2"),
    "frugal-sac": "#ca9161",
}
"""The paper's colours, and others beside them; they stay apart for colour-blind readers."""
VARIANT_COLOURS = {
    "concat": "#0173b2",
    "context": "#d55e00",
    "shared": "#949494",
    "linear": "#0173b2",
    "log": "#d55e00",
    "constant": "#949494",
}
"""The colours of architectures and schedules."""
OTHER_COLOURS = ("#0173b2", "#d55e00", "#ca9161", "#56b4e9", "#949494")
TEXT, QUIET, FAINT = "#222222", "#666666", "#e4e4e4"
DOTS_PER_INCH = 150

STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": TEXT,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.labelsize": 9,
    "axes.labelcolor": TEXT,
    "axes.edgecolor": "#999999",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.6,
}


class Material(NamedTuple):
    """What pictures of an experiment are drawn from, and the folder they go to."""

    experiment: Experiment
    results: Sequence[CellResult]
    rows: Sequence[Row]
    folder: Path


Draw = Callable[[Material], list[Path]]
"""Draws pictures into the folder of an experiment, and returns where they are."""


@contextmanager
def picture(path: Path, width: float, height: float) -> Iterator[Figure]:
    """A white figure of a size in inches, saved as PNG at the end."""
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), facecolor="white")
        yield figure
        figure.savefig(path, dpi=DOTS_PER_INCH)


class Margins(NamedTuple):
    """Room around and between panels, in inches."""

    left: float = 0.6
    right: float = 0.2
    top: float = 1.0
    bottom: float = 0.5
    across: float = 0.3
    down: float = 0.2


def panels(
    figure: Figure,
    rows: int,
    columns: int,
    margins: Margins,
    sharex: Any = False,
    sharey: Any = False,
) -> Any:
    """Equal panels at fixed distances, as an array; quicker than a layout that measures text."""
    width, height = figure.get_size_inches()
    inner_width = width - margins.left - margins.right - (columns - 1) * margins.across
    inner_height = height - margins.top - margins.bottom - (rows - 1) * margins.down
    return figure.subplots(
        rows,
        columns,
        squeeze=False,
        sharex=sharex,
        sharey=sharey,
        gridspec_kw={
            "left": margins.left / width,
            "right": 1 - margins.right / width,
            "top": 1 - margins.top / height,
            "bottom": margins.bottom / height,
            "wspace": margins.across * columns / inner_width,
            "hspace": margins.down * rows / inner_height,
        },
    )


def headline(figure: Figure, title: str, details: str) -> None:
    """A title with a quiet line on how the picture was made, both flush left."""
    left, height = 0.14 / figure.get_figwidth(), figure.get_figheight()
    figure.text(left, 1 - 0.14 / height, title, va="top", fontsize=12, fontweight="bold")
    figure.text(left, 1 - 0.4 / height, details, va="top", fontsize=9, color=QUIET)


def few_ticks(axis: Axis, subs: tuple[float, ...] = (1.0,)) -> None:
    """Few ticks with plain numbers on a logarithmic axis; many take long to draw."""
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter("{x:,g}")
    axis.set_minor_locator(NullLocator())


def agent_colour(agent: str) -> str:
    """An agent's colour; one without a place in the table gets the same colour every time."""
    return AGENT_COLOURS.get(agent, OTHER_COLOURS[sum(agent.encode()) % len(OTHER_COLOURS)])


def ink(colour: str) -> tuple[float, float, float]:
    """A darker shade of a colour, for text on white."""
    red, green, blue = to_rgb(colour)
    return red * 0.75, green * 0.75, blue * 0.75


def world_name(cell: Cell) -> str:
    """The name of a cell's environment as a title, without its version."""
    return cell.config.environment.label.rpartition("-v")[0] or cell.environment


def seeds_text(results: Sequence[CellResult]) -> str:
    """From how many seeds a picture is made."""
    return count_seeds(len(result.folders) for result in results)


def band_text(results: Sequence[CellResult]) -> str:
    """What the lines and the bands around them are: of a single seed there is no band."""
    if all(len(result.folders) == 1 for result in results):
        return "1 seed"
    return f"mean of {seeds_text(results)}, shaded: one standard deviation"
