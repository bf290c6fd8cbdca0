"""Everything that is written about an experiment: rows, a table, pictures."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, fields
from pathlib import Path

from temporl.experiments.experiment import Experiment
from temporl.report.cells import collect
from temporl.report.figures import draw_figures
from temporl.report.tables import Row, markdown_table, table_rows


def write_report(experiment: Experiment, out: Path, seeds: int) -> list[Row]:
    """Write `table.json`, `table.csv`, `table.md` and the figures into the experiment's folder."""
    folder = out / experiment.name
    folder.mkdir(parents=True, exist_ok=True)  # the runs may be in another experiment's folder
    results = collect(experiment, out, seeds)
    rows = table_rows(experiment, results)
    data = [asdict(row) for row in rows]
    (folder / "table.json").write_text(json.dumps(data, indent=1) + "\n")
    with (folder / "table.csv").open("w", newline="") as file:
        writer = csv.DictWriter(
            file, fieldnames=[field.name for field in fields(Row)], lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(data)
    (folder / "table.md").write_text(markdown_table(experiment, rows))
    draw_figures(experiment, results, rows, folder)
    return rows
