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


def test_every_cell_has_a_folder_of_its_own(tmp_path):
    for name, experiment in EXPERIMENTS.items():
        runs = experiment.runs(tmp_path, 2)
        assert len({run.folder for run in runs}) == len(runs) == 2 * len(experiment.cells), name


def test_an_unknown_experiment_is_answered_with_the_nearest():
    with pytest.raises(BadInput, match="did you mean 'gridworlds'"):
        experiment_named("gridworld")


def test_the_featurized_experiments_follow_the_papers_protocol():
    """1,000,000 steps, a greedy episode every 200; DQN, t-DQN, and DAR with five coarse repeats."""
    experiment = experiment_named("featurized")
    assert experiment.seeds == 50
    for environment, limit in (("MountainCar", 200), ("LunarLander", 1000)):
        cells = experiment.only([environment], []).cells
        assert [cell.agent for cell in cells] == ["dqn", "t-dqn", *["dar"] * 5]
        assert [cell.max_skip for cell in cells[2:]] == [2, 4, 6, 8, 10]
        for cell in cells:
            assert (cell.config.steps, cell.config.evaluate_every) == (1_000_000, 200)
            assert cell.config.environment.make().spec.max_episode_steps == limit
            behaviour = getattr(cell.config.agent, "behaviour", cell.config.agent)
            assert (behaviour.learning_rate, behaviour.gamma, behaviour.epsilon) == (
                1e-3,
                0.99,
                0.1,
            )
            assert (behaviour.batch_size, behaviour.buffer_size) == (64, 1_000_000)
            assert (behaviour.tau, behaviour.hidden) == (0.01, (50, 50))


def test_pendulum_follows_the_papers_protocol():
    """30,000 steps, ten greedy episodes every 250; DDPG, and two agents with seven skips each."""
    experiment = experiment_named("pendulum")
    assert experiment.seeds == 15
    tried = [(cell.agent, cell.max_skip) for cell in experiment.cells]
    lengths = (2, 4, 6, 8, 10, 14, 20)
    assert tried == [("ddpg", 1), *((agent, j) for agent in ("t-ddpg", "figar") for j in lengths)]
    for cell in experiment.cells:
        config = cell.config
        assert (config.steps, config.evaluate_every, config.evaluation_starts) == (30_000, 250, 10)
        behaviour = getattr(config.agent, "behaviour", config.agent)
        assert (behaviour.learning_rate, behaviour.gamma, behaviour.noise) == (1e-3, 0.99, 0.1)
        assert (behaviour.batch_size, behaviour.buffer_size) == (256, 1_000_000)
        assert (behaviour.tau, behaviour.warm_up) == (0.005, 1_000)
        assert behaviour.hidden == (400, 300)


def test_all_architectures_and_lengths():
    cells = experiment_named("architectures").cells
    shown = {(cell.environment, cell.architecture, cell.max_skip) for cell in cells}
    assert len(shown) == len(cells) == 2 * 3 * 5


def test_experiments_with_cells_in_common_share_their_runs(tmp_path):
    folders = [
        {run.folder for run in experiment_named(name).runs(tmp_path, 1)}
        for name in ("featurized", "architectures")
    ]
    assert len(folders[0] & folders[1]) == 2  # the best t-DQN of either environment


def test_a_part_of_an_experiment():
    part = experiment_named("featurized").only(["LunarLander"], ["dqn"])
    assert [(cell.environment, cell.agent) for cell in part.cells] == [("LunarLander", "dqn")]
    with pytest.raises(BadInput, match="did you mean 'MountainCar'") as caught:
        experiment_named("featurized").only(["MountainCar-v0"], [])
    assert caught.value.field == "environments"
    longest = experiment_named("featurized").only(["LunarLander"], ["dar"], [4, 10]).cells
    assert [cell.max_skip for cell in longest] == [4, 10]
    with pytest.raises(BadInput, match="max_skips: 3 cannot be used; known: 2, 4, 6, 8, 10"):
        experiment_named("featurized").only([], ["dar"], [3])


@pytest.mark.parametrize("name", ["gridworlds", "skip-length", "featurized", "architectures"])
def test_published_values_are_found_for_every_cell_of_the_paper(name):
    experiment = experiment_named(name)
    found = [
        published_value(name, cell, metric)
        for cell in experiment.cells
        for metric in experiment.metrics
    ]
    assert any(value is not None for value in found)
    if name == "gridworlds":
        assert None not in found
    if name in ("featurized", "architectures"):
        assert len([value for value in found if value]) == len(experiment.cells)


def test_published_values_of_zigzag():
    """Facts of the paper: t-Q on ZigZag reaches .92, .96 and .99."""
    areas = [
        published_value("gridworlds", cell, "reward_auc")
        for cell in experiment_named("gridworlds").only(["zigzag"], ["t-q"]).cells
    ]
    assert areas == pytest.approx([0.92, 0.96, 0.99], abs=0.005)


def test_published_rows_are_unique():
    text = (files("temporl.experiments") / "published.csv").read_text()
    rows = [tuple(row.items()) for row in csv.DictReader(text.splitlines())]
    assert len(rows) == len(set(rows))
