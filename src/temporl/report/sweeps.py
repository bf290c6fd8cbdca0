"""What a sweep brought: a row for every configuration."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from temporl.experiments.sweep_file import Sweep
from temporl.report.statistics import estimate
from temporl.report.tables import markdown_lines
from temporl.runs.config import RunConfig
from temporl.runs.files import write_file
from temporl.runs.store import group_folder, is_finished, read_evaluations, seed_folder
from temporl.types import Record

COLUMNS = ("agent", "environment", "options", "seeds", "return", "low", "high", "decisions")


def write_sweep_table(sweep: Sweep, out: Path) -> str:
    """Write `table.csv` into the sweep's folder, and return the same in Markdown.

    `return` is the mean over all evaluations, with its 95 % interval over seeds.
    """
    rows = [row for config in sweep.configs if (row := _row(sweep, config, out)) is not None]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([COLUMNS, *rows])
    (out / sweep.name).mkdir(parents=True, exist_ok=True)
    write_file(out / sweep.name / "table.csv", text.getvalue().encode())
    return "\n".join(markdown_lines(COLUMNS, rows))


def _row(sweep: Sweep, config: RunConfig, out: Path) -> list[object] | None:
    group = group_folder(out, sweep.name, config)
    folders = [seed_folder(group, seed) for seed in range(sweep.seeds)]
    finished = [folder for folder in folders if is_finished(folder)]
    if not finished:
        return None
    head: list[object] = [
        config.agent_label,
        config.environment.label,
        _options(sweep, config),
        len(finished),
    ]
    tables = [read_evaluations(folder, ("return", "decisions")) for folder in finished]
    if not all(table.num_rows for table in tables):
        return [*head, "", "", "", ""]
    means = np.array([[column.to_numpy().mean() for column in table.columns] for table in tables])
    returns = estimate(np.mean, means[:, :1])
    numbers = (returns.value, returns.low, returns.high, means[:, 1].mean())
    return [*head, *(f"{number:.4g}" for number in numbers)]


def _options(sweep: Sweep, config: RunConfig) -> str:
    """The options by which this configuration differs from others of its agent."""
    own = config.to_data()["options"]
    others = [c.to_data()["options"] for c in sweep.configs if c.agent_name == config.agent_name]
    return ", ".join(f"{name}={own[name]}" for name in varied(others))


def varied(settings: Sequence[Record]) -> list[str]:
    """The names under which not all have the same value."""
    names, first = dict.fromkeys(name for one in settings for name in one), settings[0]
    return [name for name in names if any(one.get(name) != first.get(name) for one in settings)]
