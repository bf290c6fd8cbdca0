from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.report import deep_runs

from temporl.experiments import experiment_named
from temporl.report import Row, markdown_table, table_rows, write_report
from temporl.report.cells import collect
from temporl.report.statistics import normalized
from temporl.report.tables import area_under, text_table

FEATURIZED = deep_runs.short(experiment_named("featurized"))
ARCHITECTURES = deep_runs.short(experiment_named("architectures"))
RISING = (-200, -200, -145, -90, -90)
"""Scaled 0, 0, 1/2, 1, 1 at a fifth, two fifths, ... of the steps: an area of .4."""
GOOD = (-90, -90, -90, -90, -90)
"""Scaled 1 from a fifth to all of the steps: an area of .8."""


def areas(out: Path, *curves: tuple[float, ...], steps: int = deep_runs.STEPS) -> list[float]:
    experiment = deep_runs.short(experiment_named("featurized"), steps=steps)
    cell = deep_runs.cell_of(experiment, "MountainCar", "dqn")
    deep_runs.write(experiment, cell, out, curves)
    (result,) = collect(experiment, out, 50)
    return area_under(result).tolist()


def test_the_area_is_that_of_trapezoids_over_steps(tmp_path):
    assert areas(tmp_path, RISING, GOOD) == pytest.approx([0.4, 0.8])


def test_the_area_is_not_clipped(tmp_path):
    assert areas(tmp_path, (-35,) * 5, (-310,) * 5) == pytest.approx([1.5 * 0.8, -0.8])


def test_steps_after_the_last_evaluation_do_not_count(tmp_path):
    assert areas(tmp_path, RISING, steps=deep_runs.STEPS + 150) == pytest.approx([0.4])


def test_each_environment_has_its_own_range_of_returns(tmp_path):
    for environment, returns in (("MountainCar", (-145,) * 5), ("LunarLander", (0,) * 5)):
        cell = deep_runs.cell_of(FEATURIZED, environment, "dqn")
        deep_runs.write(FEATURIZED, cell, tmp_path, [returns])
    for result in collect(FEATURIZED, tmp_path, 50):
        assert area_under(result) == pytest.approx([0.4])


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Two seeds of dqn and three of t-dqn on MountainCar, one of t-dqn on LunarLander."""
    folder = tmp_path_factory.mktemp("runs")
    dqn = deep_runs.cell_of(FEATURIZED, "MountainCar", "dqn")
    deep_runs.write(FEATURIZED, dqn, folder, [RISING, GOOD])
    t_dqn = deep_runs.cell_of(FEATURIZED, "MountainCar", "t-dqn")
    deep_runs.write(FEATURIZED, t_dqn, folder, [GOOD, GOOD, GOOD])
    lunar = deep_runs.cell_of(FEATURIZED, "LunarLander", "t-dqn")
    deep_runs.write(FEATURIZED, lunar, folder, [(250,) * 5])
    return folder


def test_the_mean_of_areas_is_the_area_of_the_mean(out):
    result = collect(FEATURIZED, out, 50)[0]
    mean = normalized(result.returns, -200, -90).mean(axis=0)
    rows = table_rows(FEATURIZED, [result])
    assert rows[0].metric == "reward_auc"
    assert rows[0].value == pytest.approx(np.trapezoid(mean, np.linspace(0.2, 1, 5)))
    assert rows[0].value == pytest.approx(0.6)
    assert (rows[0].ci_low, rows[0].ci_high) == pytest.approx((0.4, 0.8))
    assert rows[1].value == pytest.approx(30)


def test_partial_results_make_a_table_of_what_is_there(out):
    rows = table_rows(FEATURIZED, collect(FEATURIZED, out, 50))
    lines = markdown_table(FEATURIZED, rows).splitlines()
    assert lines[2] == (
        "1 to 3 seeds, 1,000 steps, a greedy evaluation every 200 steps. The paper has 50 seeds."
        " In square brackets: the 95 % confidence interval over seeds."
        " In round brackets: the paper's value."
    )
    assert lines[4] == (
        "| agent | architecture | J | MountainCar AUC | MountainCar decisions | MountainCar seeds"
        " | LunarLander AUC | LunarLander decisions | LunarLander seeds |"
    )
    assert lines[6:9] == [
        "| dqn |  | 1 | 0.600 [0.400, 0.800] (0.5) | 30.0 [30.0, 30.0] | 2 |  |  |  |",
        "| t-dqn | shared | 10 | 0.800 [0.800, 0.800] (0.64) | 30.0 [30.0, 30.0] | 3 |  |  |  |",
        "| t-dqn | concat | 4 |  |  |  | 0.800 (0.88) | 30.0 | 1 |",
    ]
    assert lines[10].startswith("The paper's DAR")


def test_experiments_with_runs_in_common_each_have_a_report(out):
    write_report(ARCHITECTURES, out, 50)
    rows = json.loads((out / "architectures" / "table.json").read_text())
    found = [(row["environment"], row["architecture"], row["max_skip"]) for row in rows[::2]]
    assert found == [("MountainCar", "shared", 10), ("LunarLander", "concat", 4)]
    assert [row["published"] for row in rows[::2]] == [0.644, 0.878]
    with (out / "architectures" / "table.csv").open(newline="") as file:
        assert [row["seeds"] for row in csv.DictReader(file)] == ["3", "3", "1", "1"]


def test_without_a_finished_run_there_is_an_empty_report(tmp_path):
    assert write_report(FEATURIZED, tmp_path, 50) == []
    folder = tmp_path / "featurized"
    assert {path.name for path in folder.iterdir()} == {"table.json", "table.csv", "table.md"}
    assert "No run is finished yet." in (folder / "table.md").read_text()
    assert (folder / "table.csv").read_text().startswith("experiment,environment,agent,")


def made_up(agent: str, architecture: str | None, max_skip: int, **others) -> Row:
    known = {"environment": "MountainCar", "metric": "reward_auc", "seeds": 10} | others
    return Row("made-up", agent=agent, architecture=architecture, schedule="", max_skip=max_skip,
               value=0.7454, ci_low=0.711, ci_high=0.7719, published=0.64, **known)  # fmt: skip


def test_lines_come_by_agent_architecture_and_length():
    rows = [
        made_up("dqn", None, 1),
        made_up("t-dqn", "shared", 10),
        made_up("dar", None, 10),
        made_up("dar", None, 2),
        made_up("t-dqn", "concat", 4, environment="LunarLander"),
    ]
    header, body = text_table(rows)
    assert header == ["agent", "architecture", "J", "MountainCar AUC", "LunarLander AUC"]
    assert [line[:3] for line in body] == [
        ["dqn", "", "1"],
        ["t-dqn", "shared", "10"],
        ["t-dqn", "concat", "4"],
        ["dar", "", "2"],
        ["dar", "", "10"],
    ]
    assert body[2][3:] == ["", "0.745 (0.64)"]


def test_intervals_stand_between_ours_and_published_unless_there_is_one_seed():
    rows = [made_up("dqn", None, 1), made_up("dar", None, 2, seeds=1)]
    header, body = text_table(rows, intervals=True)
    assert header == ["agent", "J", "MountainCar AUC", "MountainCar seeds"]
    assert body == [
        ["dqn", "1", "0.745 [0.711, 0.772] (0.64)", "10"],
        ["dar", "2", "0.745 (0.64)", "1"],
    ]


def test_with_all_seeds_and_equally_many_the_caption_is_short():
    experiment = replace(FEATURIZED, seeds=10)
    table = markdown_table(experiment, [made_up("dqn", None, 1), made_up("dar", None, 2)])
    assert "10 seeds, 1,000 steps" in table
    assert "The paper has" not in table
    assert "MountainCar seeds" not in table


def test_evaluations_from_several_starts_are_one_with_their_mean(tmp_path):
    """Where evaluations begin before the first step, the area is their mean, as in the paper."""
    experiment = deep_runs.short(experiment_named("pendulum"), lambda cell: cell.agent == "ddpg")
    (cell,) = experiment.cells
    deep_runs.write(experiment, cell, tmp_path, [(-1800.0, -1800.0, -145.0, -145.0)])
    (result,) = collect(experiment, tmp_path, 1)
    assert result.returns.tolist() == [[-1800.0, -1800.0, -145.0, -145.0]]
    assert result.played.tolist() == [[200, 400, 600, 800]]
    assert area_under(result).tolist() == [0.5]


def test_decisions_in_the_end_are_those_of_the_last_tenth_of_evaluations(tmp_path):
    experiment = deep_runs.short(experiment_named("pendulum"), lambda cell: cell.agent == "ddpg")
    (cell,) = experiment.cells
    deep_runs.write(experiment, cell, tmp_path, [(-900.0, -300.0, -200.0, -150.0)])
    rows = {row.metric: row for row in write_report(experiment, tmp_path, 1)}
    (result,) = collect(experiment, tmp_path, 1)
    assert rows["final_decisions"].value == result.decisions[0, -1]
    assert rows["decisions"].value == result.decisions.mean()


def test_a_caption_tells_budgets_apart_where_environments_have_their_own():
    experiment = experiment_named("continuous")
    both = [
        made_up("td3", None, 1, environment=name) for name in ("Pendulum", "MountainCarContinuous")
    ]
    assert (
        "10 seeds, 30,000 steps, a greedy evaluation every 250 steps on Pendulum; 100,000 steps,"
        " a greedy evaluation every 1,000 steps on MountainCarContinuous."
        in markdown_table(experiment, both)
    )
    assert "30,000" not in markdown_table(experiment, both[1:])
