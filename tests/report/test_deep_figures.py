from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report import deep_runs
from tests.report.test_figures import assert_picture

from temporl.experiments import experiment_named
from temporl.report.cells import collect
from temporl.report.figures import draw_figures
from temporl.report.figures.curves import best_of_each_agent, smoothed
from temporl.report.figures.labels import LABEL_SIZE, Labels
from temporl.report.figures.style import band_text
from temporl.report.tables import table_rows

EXPERIMENTS = {
    name: deep_runs.short(experiment_named(name))
    for name in ("featurized", "featurized-skip", "architectures", "pendulum", "continuous")
}
PICTURES = {
    "featurized": ["curves", "mountain-car"],
    "featurized-skip": ["curves"],
    "architectures": ["skip-length"],
    "pendulum": ["curves", "skip-length", "pendulum"],
    "continuous": ["curves"],
}
CURVE = (-200, -180, -150, -120, -100)


def drawn(experiment, out, folder):
    folder.mkdir()
    results = collect(experiment, out, 50)
    paths = draw_figures(experiment, results, table_rows(experiment, results), folder)
    assert sorted(folder.iterdir()) == sorted(paths)
    for path in paths:
        assert_picture(path)
    return [path.stem for path in paths]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_its_pictures(name, tmp_path):
    for number, cell in enumerate(EXPERIMENTS[name].cells):
        deep_runs.write(EXPERIMENTS[name], cell, tmp_path, [CURVE] * (1 + number % 3))
    assert drawn(EXPERIMENTS[name], tmp_path, tmp_path / "pictures") == PICTURES[name]


@pytest.mark.parametrize(
    ("seeds", "words"),
    [((1, 1), "1 seed"), ((1, 3), "mean of 1 to 3 seeds, shaded: one standard deviation")],
)
def test_a_single_seed_has_no_mean_and_no_band(seeds, words, tmp_path):
    experiment = EXPERIMENTS["continuous"]
    for cell, count in zip(experiment.cells, seeds, strict=False):
        deep_runs.write(experiment, cell, tmp_path, [CURVE] * count)
    assert band_text(collect(experiment, tmp_path, 50)) == words


@pytest.mark.parametrize(
    ("name", "environment", "agent", "pictures"),
    [
        ("featurized", "MountainCar", "dqn", ["curves"]),
        ("featurized", "MountainCar", "t-dqn", ["curves", "mountain-car"]),
        ("featurized", "LunarLander", "t-dqn", ["curves"]),
        ("featurized-skip", "LunarLander", "t-dqn", ["curves"]),
        ("architectures", "LunarLander", "t-dqn", ["skip-length"]),
        ("pendulum", "Pendulum", "ddpg", ["curves", "skip-length"]),
        ("pendulum", "Pendulum", "t-ddpg", ["curves", "skip-length", "pendulum"]),
        ("continuous", "MountainCarContinuous", "t-sac", ["curves"]),
    ],
)
def test_a_single_finished_run_is_enough(name, environment, agent, pictures, tmp_path):
    cell = deep_runs.cell_of(EXPERIMENTS[name], environment, agent)
    deep_runs.write(EXPERIMENTS[name], cell, tmp_path, [CURVE])
    assert drawn(EXPERIMENTS[name], tmp_path, tmp_path / "pictures") == pictures


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        (name, agent)
        for name in ("featurized", "pendulum")
        for agent in dict.fromkeys(cell.agent for cell in EXPERIMENTS[name].cells)
    ],
)
def test_one_agent_alone_has_its_pictures(name, agent, tmp_path):
    part = EXPERIMENTS[name].only(agents=(agent,))
    for cell in part.cells:
        deep_runs.write(part, cell, tmp_path, [CURVE])
    expected = [
        picture
        for picture in PICTURES[name]
        if agent.startswith("t-")
        or picture == "curves"
        or (picture, agent) == ("skip-length", "figar")
    ]
    assert drawn(part, tmp_path, tmp_path / "pictures") == expected


def test_the_best_variant_of_each_agent_is_shown(tmp_path):
    experiment = EXPERIMENTS["featurized"]
    curves = {("dqn", 1): [CURVE], ("dar", 2): [CURVE], ("dar", 4): [CURVE, (-90,) * 5],
              ("dar", 6): [(-200,) * 5]}  # fmt: skip
    for (agent, max_skip), returns in curves.items():
        cell = deep_runs.cell_of(experiment, "MountainCar", agent, max_skip=max_skip)
        deep_runs.write(experiment, cell, tmp_path, returns)
    best = best_of_each_agent(collect(experiment, tmp_path, 50))
    assert [(result.cell.agent, result.cell.max_skip) for result in best] == [
        ("dqn", 1),
        ("dar", 4),
    ]


def test_neighbouring_evaluations_are_averaged():
    curves = np.array([[1.0, 3.0, 5.0, 7.0, 9.0, 11.0], [0.0, 0.0, 3.0, 3.0, 0.0, 6.0]])
    assert smoothed(curves, 3).tolist() == [[2, 6, 10], [0, 3, 3]]
    assert smoothed(curves, 10).tolist() == curves.tolist()
    # As many as possible of the same size where it does not come out even.
    assert smoothed(curves, 4).tolist() == [[2, 6, 9, 11], [0, 3, 0, 6]]
    assert smoothed(np.zeros((2, 5000))).shape == (2, 200)


def test_a_label_goes_where_it_should_and_else_as_near_as_possible():
    marks = np.array([[0.0, 0.0]])
    up = np.array([0.0, 1.0])
    assert Labels(marks, marks).place(0, up, 12) == pytest.approx((0, 12))
    above = np.array([[0.0, 0.0], [2.0, 14.0]])
    turned = np.radians(90 + 40)
    expected = (12 * np.cos(turned), 12 * np.sin(turned))
    assert Labels(above, marks).place(0, up, 12) == pytest.approx(expected)


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 60)), min_size=1, max_size=20))
def test_labels_cover_neither_one_another_nor_the_path_and_stand_by_their_marks(places):
    marks = np.array(places)
    labels = Labels(marks, marks)
    for number in range(len(marks)):
        offset = labels.place(number, np.array([1.0, 0.0]), 10)
        if offset is not None:
            place = marks[number] + offset
            assert (np.abs(marks - place) >= LABEL_SIZE / 2 - 1e-9).any(axis=1).all()
            nearest = np.hypot(*(marks - place).T).min()
            assert nearest == pytest.approx(np.hypot(*offset), rel=0.011)
    for one, other in combinations(labels.placed, 2):
        assert (np.abs(one - other) >= LABEL_SIZE).any()
