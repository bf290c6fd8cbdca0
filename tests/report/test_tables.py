from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.report import sweep

from temporl.experiments import experiment_named
from temporl.report import Row, markdown_table, table_rows, write_report
from temporl.report.cells import collect
from temporl.report.tables import text_table

KEYS = {
    "experiment",
    "environment",
    "agent",
    "architecture",
    "schedule",
    "max_skip",
    "metric",
    "value",
    "ci_low",
    "ci_high",
    "seeds",
    "published",
}
EPISODES = 200
GRIDWORLDS = sweep.small(
    experiment_named("gridworlds"),
    EPISODES,
    lambda cell: cell.environment == "cliff" and cell.schedule != "log",
)
EXPLORATION = sweep.small(experiment_named("exploration"), 5)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for experiment in (GRIDWORLDS, EXPLORATION):
        sweep.run(experiment, folder)
        write_report(experiment, folder, sweep.SEEDS)
    return folder


def written(out: Path, name: str) -> list[dict]:
    return json.loads((out / name / "table.json").read_text())


def column(folder: Path, name: str) -> list[float]:
    return pq.read_table(folder / "evaluations.parquet")[name].to_pylist()


def first_at_least(curves: list[list[float]], level: float) -> int | None:
    means = [sum(values) / len(values) for values in zip(*curves, strict=True)]
    return next((n for n, mean in enumerate(means, start=1) if mean >= level - 1e-6), None)


def test_rows_have_the_columns_of_the_published_tables(out):
    rows = written(out, "gridworlds")
    assert all(set(row) == KEYS for row in rows)
    assert [row["metric"] for row in rows] == ["reward_auc", "decisions"] * 4 + [
        "speedup_to_reward_0.5",
        "speedup_to_reward_1.0",
    ]
    assert {row["seeds"] for row in rows} == {sweep.SEEDS}
    assert {row["architecture"] for row in rows} == {None}


def test_values_are_those_of_the_runs_on_disk(out):
    rows = {
        (row["schedule"], row["agent"], row["metric"]): row for row in written(out, "gridworlds")
    }
    for cell in GRIDWORLDS.cells:
        folders = [run.folder for run in GRIDWORLDS.cell_runs(cell, out, sweep.SEEDS)]
        scores = [sum((x + 1) / 2 for x in column(f, "return")) / EPISODES for f in folders]
        decisions = [sum(column(f, "decisions")) / EPISODES for f in folders]
        for metric, by_seed in (("reward_auc", scores), ("decisions", decisions)):
            row = rows[cell.schedule, cell.agent, metric]
            assert row["value"] == pytest.approx(sum(by_seed) / len(by_seed))
            assert row["ci_low"] == pytest.approx(min(by_seed), rel=1e-5)
            assert row["ci_high"] == pytest.approx(max(by_seed), rel=1e-5)


def test_speedups_compare_first_episodes(out):
    comparison = replace(GRIDWORLDS.comparisons[0], rewards=(-0.9, 0.0))
    compared = replace(GRIDWORLDS, comparisons=(comparison,))
    rows = table_rows(compared, collect(compared, out, sweep.SEEDS))[-2:]
    for row, level in zip(rows, comparison.rewards, strict=True):
        assert row.metric == f"speedup_to_reward_{level}"
        fast, slow = (
            first_at_least([column(f.folder, "return") for f in runs], level)
            for runs in (
                GRIDWORLDS.cell_runs(cell, out, sweep.SEEDS)
                for cell in (comparison.faster, comparison.slower)
            )
        )
        assert row.value == pytest.approx(slow / fast)


@pytest.mark.parametrize(("value", "said"), [(13.62, True), (None, False), (0.0, False)])
def test_only_a_speedup_that_was_measured_is_told(value, said):
    rows = [
        made_up("t-q", "cliff", "reward_auc", 0.5),
        made_up("t-q", "cliff", "speedup_to_reward_0.5", value),
    ]
    table = markdown_table(GRIDWORLDS, rows)
    assert (
        "t-q reaches a mean reward of 0.5 in 13.6 times fewer episodes than q." in table
    ) == said
    assert ("times fewer" in table) == said


def test_published_values_stand_beside_ours(out):
    rows = {
        (row["schedule"], row["agent"], row["metric"]): row for row in written(out, "gridworlds")
    }
    assert rows["linear", "q", "reward_auc"]["published"] == 0.92
    assert rows["linear", "q", "decisions"]["published"] == 27.9
    assert rows["linear", "t-q", "speedup_to_reward_0.5"]["published"] == 13.6
    assert {row["published"] for row in written(out, "exploration")} == {None}
    table = (out / "gridworlds" / "table.md").read_text()
    assert "(0.92)" in table
    assert "In brackets: the paper's value." in table


def test_never_is_null_in_json_and_a_word_for_people(out):
    rows = written(out, "exploration")
    # Within five episodes no agent has found the way with both seeds at once.
    assert any(row["value"] is None for row in rows)
    text = (out / "exploration" / "table.json").read_text()
    assert "Infinity" not in text
    assert "NaN" not in text
    assert "| never |" in (out / "exploration" / "table.md").read_text()


@pytest.mark.parametrize("name", ["gridworlds", "exploration"])
def test_the_spreadsheet_says_the_same_with_nothing_for_none(out, name):
    with (out / name / "table.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    expected = [
        {key: "" if value is None else str(value) for key, value in row.items()}
        for row in written(out, name)
    ]
    assert lines == expected


def test_a_caption_says_when_seeds_are_missing(out):
    table = (out / "gridworlds" / "table.md").read_text()
    assert "2 seeds, 200 episodes" in table
    assert "The paper has 100 seeds." in table
    complete = replace(GRIDWORLDS, seeds=sweep.SEEDS)
    rows = table_rows(complete, collect(complete, out, sweep.SEEDS))
    assert "The paper has" not in markdown_table(complete, rows)
    table = (out / "exploration" / "table.md").read_text()
    assert "2 seeds, 5 episodes" in table
    assert "The full table has 100 seeds." in table


def test_only_finished_runs_count(out):
    results = collect(GRIDWORLDS, out, sweep.SEEDS + 1)
    assert [len(result.folders) for result in results] == [sweep.SEEDS] * len(GRIDWORLDS.cells)
    assert collect(GRIDWORLDS, out / "elsewhere", sweep.SEEDS) == []
    assert results[0].returns.shape == (sweep.SEEDS, EPISODES)


def test_the_best_policy_earned_most_with_the_fewest_decisions_at_the_end(out):
    for result in collect(GRIDWORLDS, out, sweep.SEEDS):
        best = min(
            result.folders,
            key=lambda folder: (-column(folder, "return")[-1], column(folder, "decisions")[-1]),
        )
        tables = result.best_policy().tables
        others = replace(result, folders=(best,)).best_policy().tables
        assert (tables.action_values == others.action_values).all()


def made_up(agent: str, environment: str, metric: str, value: float | None, **others) -> Row:
    known = {"schedule": "linear", "max_skip": 1, "published": None, "seeds": 3} | others
    return Row("made-up", environment, agent, None, metric=metric, value=value, ci_low=None,
               ci_high=None, **known)  # fmt: skip


def test_pivot_has_a_line_for_each_agent_and_a_column_for_each_metric():
    header, body = text_table(
        [
            made_up("q", "cliff", "reward_auc", 0.12345, published=0.1),
            made_up("q", "cliff", "decisions", 27.64),
            made_up("t-q", "cliff", "reward_auc", 0.5, max_skip=7),
            made_up("t-q", "bridge", "episodes_to_95_percent", None, max_skip=7),
        ]
    )
    assert header[3:] == ["cliff AUC", "cliff decisions", "bridge episodes to 95 %"]
    assert body == [
        ["linear", "q", "1", "0.123 (0.1)", "27.6", ""],
        ["linear", "t-q", "7", "0.500", "", "never"],
    ]


def test_the_table_is_markdown_with_equally_long_lines(out):
    lines = (out / "gridworlds" / "table.md").read_text().splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + len(GRIDWORLDS.cells)
    assert all(one.count("|") == other.count("|") for one, other in pairwise(table))
