"""Everything that is written about an experiment: rows, a table, pictures."""

from __future__ import annotations

import json
from pathlib import Path

from temporl.experiments.experiment import Experiment
from temporl.report.cells import collect
from temporl.report.figures import draw_figures
from temporl.report.tables import Row, markdown_table, table_rows


def write_report(experiment: Experiment, out: Path, seeds: int) -> list[Row]:
    """Write `table.json`, `table.md` and the figures into the experiment's folder."""
    folder = out / experiment.name
    results = collect(experiment, out, seeds)
    rows = table_rows(experiment, results)
    (folder / "table.json").write_text(json.dumps([row.to_data() for row in rows], indent=1) + "\n")
    (folder / "table.md").write_text(markdown_table(experiment, rows))
    draw_figures(experiment, results, rows, folder)
    return rows
