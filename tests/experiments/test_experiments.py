from __future__ import annotations

import csv
from importlib.resources import files

import pytest

from temporl.errors import BadInput
from temporl.experiments import EXPERIMENTS, experiment_named
from temporl.experiments.published import published_value


def test_the_gridworlds_of_the_paper():
    """Three worlds, three schedules, two agents, with the paper's protocol."""
    experiment = experiment_named("gridworlds")
    assert len(experiment.cells) == 18
    assert experiment.seeds == 100
    for cell in experiment.cells:
        agent = cell.config.agent
        assert (agent.alpha, agent.gamma) == (0.5, 0.99)
        assert (cell.config.episodes, cell.config.evaluate_every) == (10_000, 1)
        assert cell.max_skip == (1 if cell.agent == "q" else 7)
        assert cell.config.environment.make().spec.max_episode_steps == 100


def test_the_longest_skip_goes_from_one_to_sixteen():
    experiment = experiment_named("skip-length")
    assert experiment.seeds == 10
    assert {cell.max_skip for cell in experiment.cells} == set(range(1, 17))
    for cell in experiment.cells:
        assert cell.config.agent.skip_lengths[-1] == cell.max_skip


def test_the_exploration_study_varies_what_was_not_published():
    cells = experiment_named("exploration-sensitivity").cells
    assert len({str(cell.config.environment.options["goal"]) for cell in cells}) == 3
    assert {cell.config.agent.action_ties for cell in cells} == {"random", "first"}
    assert {cell.schedule for cell in cells} == {"constant", "linear", "log"}
    assert {cell.agent for cell in cells} == {"q", "ez-q", "t-q"}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_cell_has_a_folder_of_its_own(name, tmp_path):
    experiment = experiment_named(name)
    runs = experiment.runs(tmp_path, 2)
    assert len({run.folder for run in runs}) == len(runs) == 2 * len(experiment.cells)


def test_an_unknown_experiment_is_answered_with_the_nearest():
    with pytest.raises(BadInput, match="did you mean 'gridworlds'"):
        experiment_named("gridworld")


@pytest.mark.parametrize("name", ["gridworlds", "skip-length"])
def test_published_values_are_found_for_every_cell_of_the_paper(name):
    experiment = experiment_named(name)
    found = [
        published_value(name, c.environment, c.agent, c.schedule, c.max_skip, metric)
        for c in experiment.cells
        for metric in experiment.metrics
    ]
    assert any(value is not None for value in found)
    if name == "gridworlds":
        assert None not in found


def test_published_values_of_zigzag():
    """Facts of the paper: t-Q on ZigZag reaches .92, .96 and .99."""
    areas = [
        published_value("gridworlds", "zigzag", "t-q", schedule, 7, "reward_auc")
        for schedule in ("linear", "log", "constant")
    ]
    assert areas == pytest.approx([0.92, 0.96, 0.99], abs=0.005)


def test_published_rows_are_unique():
    text = (files("temporl.experiments") / "published.csv").read_text()
    rows = [tuple(row.items()) for row in csv.DictReader(text.splitlines())]
    assert len(rows) == len(set(rows))
