"""What goes into the page, without a browser."""

from __future__ import annotations

import json
import os
import re
import time

import numpy as np
import pytest
from tests.report.page.browser import browser
from tests.report.page.folders import HOSTILE, WORLD, small_folder, write_table

import temporl
from temporl.cli import main
from temporl.report.page.chosen_skips import seed_shares, skips_over_training, step_edges
from temporl.report.page.comparison import is_met, read_tables
from temporl.report.page.curves import edges, group_curves, interquartile_mean, interval, thin
from temporl.report.page.groups import differences, find_scenes
from temporl.report.page.page import colours, embedded, write_page
from temporl.report.page.worlds import NUMBERS, replay_training, world_maps
from temporl.report.tables import Row
from temporl.runs.config import RunConfig
from temporl.runs.policies import load_policy
from temporl.training.course import Moments


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return small_folder(tmp_path_factory.mktemp("runs"))


def row(**changes):
    values = {"metric": "reward_auc", "value": 0.9, "ci_low": 0.89, "ci_high": 0.91, "seeds": 5}
    names = {"experiment": "x", "environment": "e", "agent": "q", "architecture": None}
    rest = {"schedule": "", "max_skip": 1, "published": 0.9}
    return Row(**(names | values | rest | changes))


@pytest.mark.parametrize(
    ("changes", "met"),
    [
        ({}, True),
        ({"published": None}, None),
        ({"published": 0.92}, False),
        ({"published": 0.905, "value": 0.9}, True),  # within the interval
        ({"published": 0.905, "value": 0.85, "ci_low": 0.8, "ci_high": 0.9}, False),
        ({"metric": "decisions", "value": 5.04, "published": 5.0, "seeds": 1}, True),
        ({"metric": "decisions", "value": 5.2, "published": 5.0, "seeds": 1}, False),
        ({"metric": "decisions", "value": 4.0, "published": 5.0}, True),
        ({"value": None}, False),
    ],
)
def test_met_is_at_least_as_good(changes, met):
    assert is_met(row(**changes)) is met


def test_the_interquartile_mean_is_that_of_the_middle_half():
    values = np.array([[-1000.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [9000.0]])
    assert interquartile_mean(values)[0] == pytest.approx(3.5)
    low, high = interval(values)
    assert low[0] < 3.5 < high[0]
    assert interval(values[:1]) == (None, None)


@pytest.mark.parametrize("count", [1, 7, 90, 91, 5000])
def test_thinning_keeps_the_mean(count):
    values = np.arange(2.0 * count).reshape(2, count)
    cut = edges(count)
    assert cut[0] == 0
    assert cut[-1] == count
    kept = thin(values)
    assert kept @ np.diff(cut) / count == pytest.approx(values.mean(axis=1))
    if count <= 90:
        assert np.array_equal(kept, values)


def test_curves_are_those_of_the_runs(folder):
    group = next(group for scene in find_scenes(folder) for group in scene.groups)
    drawn = group_curves(group)
    tables = group.evaluations
    late = np.mean([table["return"].to_numpy()[-40:].mean() for table in tables])
    assert drawn["summary"]["return"][0] == pytest.approx(late)
    assert len(drawn["curves"]["return"]["seeds"]) == 2
    assert len(drawn["x"]["steps"]) == len(drawn["curves"]["return"]["mean"])
    assert drawn["x"]["decisions"][-1] <= drawn["x"]["steps"][-1]


def test_names_say_what_differs(tmp_path):
    for skip in (2, 10):
        temporl.train("t-q", WORLD, episodes=2, max_skip=skip, out=tmp_path, progress=False)
    temporl.train("q", WORLD, episodes=2, out=tmp_path, progress=False)
    (scene,) = find_scenes(tmp_path)
    labels, lines = differences(scene.groups)
    assert labels == ["q", "t-q · max_skip 2", "t-q · max_skip 10"]
    assert ("max_skip", ["", "2", "10"]) in lines
    assert len(set(colours(scene.groups))) == 3


def test_training_played_again_ends_with_the_saved_tables(folder):
    for scene in find_scenes(folder):
        for group in scene.groups:
            config = RunConfig.from_data(group.record)
            snapshots = replay_training(config, 1, [1, 10, 100])
            assert [snapshot.episode for snapshot in snapshots] == [0, 1, 10, 100, 400]
            saved = load_policy(group.seeds[1] / "policy")
            for ours, theirs in zip(snapshots[-1].policy.tables, saved.tables, strict=True):
                assert np.array_equal(ours, theirs)


def test_maps_stay_within_their_room(folder):
    maps = world_maps(find_scenes(folder))
    numbers = sum(
        len(moment["actions"]) + len(moment["skips"])
        for world in maps.values()
        for moment in world["snapshots"]
    )
    assert 0 < numbers <= NUMBERS
    path = maps[next(key for key in maps if "/t-q-" in key)]["snapshots"][-1]["path"]
    assert path[0][0] == 0
    assert path[-1][-1] == 59  # the goal


def test_skips_over_training_are_shares_of_what_was_chosen():
    chosen = np.array([[4, 0], [1, 3], [0, 2], [0, 4]])
    course = Moments(np.array([10, 20, 30, 40]), np.arange(4.0), chosen)
    assert seed_shares(course, np.array([0, 20, 25, 40])).tolist() == [
        [5 / 8, 5 / 8, 0.0],  # between 20 and 25 nothing was noted: as before
        [3 / 8, 3 / 8, 1.0],
    ]
    assert step_edges([course]).tolist() == [0, 10, 20, 30, 40]


def test_training_is_played_again_only_where_it_was_not_noted(folder, tmp_path):
    (scene,) = find_scenes(folder)
    assert all(not course.chosen.any() for group in scene.groups for course in group.courses)
    vanilla, skipping = (skips_over_training(group) for group in scene.groups)
    assert (vanilla["skips"], vanilla["seeds"]) == ([1], 2)
    assert set(vanilla["shares"][0]) == {1.0}
    assert max(skipping["skips"]) == 7
    temporl.train("t-dqn", "CartPole-v1", steps=200, evaluate_every=50, out=tmp_path, hidden=(8,))
    (scene,) = find_scenes(tmp_path)
    noted = skips_over_training(scene.groups[0])
    assert noted["steps"] == [0, 50, 100, 150, 200]
    assert np.sum(noted["shares"], axis=0) == pytest.approx(1, abs=1e-3)


def test_embedded_data_cannot_end_its_element():
    text = embedded({"name": "</script><!-- & \u2028"})
    assert not re.search(r"[<>&\u2028]", text)
    assert json.loads(text) == {"name": "</script><!-- & \u2028"}


def test_hostile_names_are_escaped(folder, tmp_path):
    text = write_page(folder, tmp_path / "page.html").read_text()
    assert HOSTILE not in text
    assert "&lt;script&gt;document.title" in text


def test_tables_are_those_of_table_json(tmp_path):
    write_table(tmp_path / "gridworlds")
    (table,) = read_tables(tmp_path)
    assert (table.met, table.compared, table.seeds) == (1, 2, 2)
    assert table.title.startswith("Gridworlds")
    assert table.columns == [("zigzag", "AUC")]


@pytest.mark.parametrize("words", [["report", "missing"], ["report", "."]])
def test_a_folder_without_runs_is_refused(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert capsys.readouterr().err.startswith("temporl: folder:")


def test_a_damaged_table_is_named(tmp_path, capsys):
    damaged = tmp_path / "gridworlds"
    damaged.mkdir()
    (damaged / "table.json").write_text('[{"agent": "q"}]')
    temporl.train("q", WORLD, episodes=2, out=tmp_path, progress=False)
    assert main(["report", str(tmp_path)]) == 1
    assert "table.json" in capsys.readouterr().err


def test_a_thousand_runs_are_small_and_soon_usable(tmp_path):
    """Four configurations with 250 seeds each, evaluated after every episode."""
    for skip in (2, 4, 7, 10):
        temporl.train(
            "t-q", WORLD, episodes=300, seeds=250, max_skip=skip, out=tmp_path, progress=False
        )
    page = write_page(tmp_path, tmp_path / "report.html")
    assert page.stat().st_size < 20e6
    times = [seconds_until_usable(page) for _ in range(3)]
    computing, waiting = map(min, zip(*times, strict=True))
    assert computing < 3, times
    if os.getloadavg()[0] < 1.5:  # other programs take their share of what can be measured
        assert waiting < 3, times


def seconds_until_usable(page):
    """From the address to charts that answer: what the page computes, and on the clock."""
    with browser() as driver:
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        began = time.monotonic()
        driver.get(page.as_uri())
        driver.execute_script("document.querySelector('.scene').scrollIntoView()")
        while not driver.execute_script("return document.querySelector('[data-filled]') !== null"):
            time.sleep(0.02)
        waited = time.monotonic() - began
        measured = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return {entry["name"]: entry["value"] for entry in measured}["ThreadTime"], waited
