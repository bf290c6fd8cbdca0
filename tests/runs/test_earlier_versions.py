"""Folders of earlier versions are read, checked, shown, resumed, and not trained again.

Version 0.1 (commit d97c1c1) wrote `version-0.1`, and made the decisions below. The runs in
`interrupted` were stopped at a checkpoint.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.runs.stopping import outcome

import temporl
from temporl.cli import main
from temporl.runs.plan import execute, unfinished_runs
from temporl.runs.store import read_config, read_course, read_evaluations

EARLIER = Path(__file__).parent / "version-0.1"
DECIDED = {
    "ZigZag-v0/t-q-05dc8b2c60": [
        (0, 2, 5),
        (10, 2, 4),
        (40, 2, 1),
        (52, 1, 3),
        (59, 1, 7),
    ],
    "CartPole-v1/t-dqn-3848263ca9": [
        ([0.1, -0.1, 0.6, 0.1], 0, 4),
        ([-0.1, 1.4, -0.7, 0.4], 0, 3),
        ([1.8, 1.3, 0.4, -1.2], 0, 1),
        ([1.4, 1.2, -2.4, 1.2], 1, 3),
        ([-0.5, 1.4, 1.0, -0.2], 0, 2),
        ([-0.4, -0.3, -3.9, 0.5], 1, 4),
    ],
    "Pendulum-v1/t-ddpg-e3a8443308": [
        ([-1.3, 0.3, 1.3], 1.4992747, 1),
        ([-0.4, -1.3, -1.5], 1.5771563, 3),
        ([1.1, 0.2, 1.4], 1.2750885, 4),
        ([-3.0, -0.1, 1.5], 1.7204082, 2),
    ],
}


@pytest.fixture
def copy(tmp_path) -> Path:
    return shutil.copytree(EARLIER, tmp_path / "copy")


@pytest.mark.parametrize("group", DECIDED)
def test_a_policy_decides_as_it_did(group):
    policy = temporl.load(EARLIER / "finished" / group)
    for observation, action, skip in DECIDED[group]:
        decided = policy.decide(observation)
        assert decided.skip == skip
        assert decided.action == pytest.approx(action, rel=1e-5)


def test_what_was_learned_is_evaluated_and_was_written_down():
    folder = EARLIER / "finished" / "ZigZag-v0" / "t-q-05dc8b2c60" / "seed-0"
    played = temporl.evaluate(temporl.load(folder), "temporl/ZigZag-v0", episodes=2)
    assert (played.returns.tolist(), played.lengths.tolist()) == ([1.0, 1.0], [24, 24])
    assert played.decisions.tolist() == [7, 7]
    rows = read_evaluations(folder)
    assert (rows.num_rows, rows["decisions"][-1].as_py()) == (200, 7)
    assert read_course(folder).step[-1] == rows["step"][-1].as_py()


def test_the_folders_are_sound(capsys):
    assert main(["verify", str(EARLIER)]) == 0
    assert "4 interrupted, 3 sound" in capsys.readouterr().out


def test_they_have_a_report(copy):
    assert main(["report", str(copy)]) == 0
    page = (copy / "report.html").read_text()
    assert all(world in page for world in ("ZigZag-v0", "CartPole-v1", "Pendulum-v1"))


def test_the_same_command_trains_nothing_again(copy):
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*") if path.is_file()}
    run = temporl.train(
        "t-q", "temporl/ZigZag-v0", episodes=200, out=copy / "finished", progress=False, workers=1
    )
    assert run.path == copy / "finished" / "ZigZag-v0" / "t-q-05dc8b2c60"
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_interrupted_runs_are_finished(copy, tmp_path):
    unfinished = unfinished_runs(copy)
    assert len(unfinished) == 4
    assert main(["resume", str(copy), "--workers", "1"]) == 0
    assert not unfinished_runs(copy)
    for run in unfinished:
        resumed, rows = read_config(run.folder), read_evaluations(run.folder)
        assert resumed["resumed"]["exact"]
        assert rows["step"][-1].as_py() > resumed["resumed"]["at_steps"][0]
        assert np.isfinite(rows["return"].to_numpy()).all()
        if run.config.agent_name == "t-q":  # tables do not depend on the processor
            calm = replace(run, folder=tmp_path / run.folder.parent.name / "seed-0")
            execute(calm)
            assert outcome(run) == outcome(calm)
