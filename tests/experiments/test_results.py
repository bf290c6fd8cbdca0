"""The rows in `docs/results` are whole, and the tables of the pages are made of them.

What the rows say is no matter of tests: `docs/update_results.py` checks `docs/claims.toml`.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from temporl.experiments import EXPERIMENTS, Cell, Experiment
from temporl.experiments.published import published_value
from temporl.report.tables import Row, markdown_table

ROOT = Path(__file__).parents[2]
MEASURED = sorted(path.stem for path in (ROOT / "docs" / "results").glob("*.csv"))
SHORTER = {"atari": 200_000}
WHOLE = {
    "gridworlds": {},
    "gridworlds-skip": {},
    "gridworlds-committed": {},
    "skip-length": {},
    "exploration": {},
    "exploration-sensitivity": {},
    "architectures": {"environments": ["MountainCar"]},
    "pendulum": {},
    "continuous": {"environments": ["MountainCarContinuous"], "agents": ["td3", "t-td3"]},
    "minatar": {"agents": ["dqn", "t-dqn"]},
}
"""What must have been measured of an experiment, which may take days as a whole."""


def experiment_of(name: str) -> Experiment:
    whole = EXPERIMENTS[name]
    return whole.lasting(SHORTER[name]) if name in SHORTER else whole


def rows_of(name: str) -> list[Row]:
    kinds = {"max_skip": int, "seeds": int}
    kinds |= dict.fromkeys(("value", "ci_low", "ci_high", "published"), float)
    empty = dict.fromkeys(("environment", "agent", "schedule"), "")
    with (ROOT / "docs" / "results" / f"{name}.csv").open(newline="") as file:
        return [
            Row(
                **{
                    column: kinds.get(column, str)(value) if value else empty.get(column)
                    for column, value in row.items()
                }
            )
            for row in csv.DictReader(file)
        ]


def place(row: Row | Cell) -> tuple[object, ...]:
    return row.environment, row.agent, row.architecture or "", row.schedule, row.max_skip


@pytest.mark.parametrize("name", MEASURED)
def test_every_measured_cell_has_every_metric_once_with_all_its_seeds(name):
    experiment, rows = experiment_of(name), rows_of(name)
    cells = {place(cell): cell for cell in experiment.cells}
    compared = [row for row in rows if row.metric.startswith("speedup")]
    measured = [row for row in rows if row not in compared]
    seeds = {place(row): row.seeds for row in measured}
    assert {(place(row), row.metric, row.seeds) for row in measured} == {
        (where, metric, seeds[where]) for where in seeds for metric in experiment.metrics
    }
    assert len(measured) == len(seeds) * len(experiment.metrics)
    assert len(compared) == sum(len(comparison.rewards) for comparison in experiment.comparisons)
    for row in rows:
        table = experiment.compared_with or name
        assert row.published == published_value(table, cells[place(row)], row.metric)
    if cells[place(rows[0])].config.trainer.kind == "tabular":
        assert set(seeds.values()) == {experiment.seeds}


@pytest.mark.parametrize("name", WHOLE)
def test_what_the_documentation_speaks_of_was_measured(name):
    part = EXPERIMENTS[name].only(**WHOLE[name])
    assert {place(cell) for cell in part.cells} <= {place(row) for row in rows_of(name)}


def test_the_tables_of_the_pages_are_those_of_the_rows():
    shown = {}
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for name, table in re.findall(
            r"<!-- (\S+) -->\n(.*?)\n<!-- /\1 -->", page.read_text(), re.S
        ):
            shown.setdefault(name, []).append((page.name, table))
    for name in MEASURED:
        table = markdown_table(experiment_of(name), rows_of(name)).partition("\n")[2].strip()
        assert name in shown
        assert [page for page, found in shown[name] if found != table] == [], name
    assert "README.md" in dict(shown["gridworlds"])
