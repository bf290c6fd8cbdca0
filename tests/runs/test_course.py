"""The course of a run: beside it, complete, and read with suspicion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save
from tests.runs.stopping import deep, planned, tabular

from temporl.environments import EnvironmentSpec
from temporl.errors import DamagedFile
from temporl.runs.files import MOST_HEADER
from temporl.runs.plan import execute
from temporl.runs.store import course_file, is_finished, read_course, read_evaluations
from temporl.runs.verify import verify
from temporl.training.course import Course

STEPPED = replace(tabular("t-q", episodes=9), environment=EnvironmentSpec("Blackjack-v1", {}, 20))
PENDULUM = replace(
    deep("t-ddpg", "host", "Pendulum-v1", steps=400, max_skip=4, warm_up=20),
    evaluation_starts=2,
    evaluate_every=200,
)


@pytest.mark.parametrize(
    "config",
    [
        STEPPED,
        PENDULUM,
        deep("t-dqn", "device", max_skip=4),
        deep("t-dqn", "host", max_skip=4),
        deep("dar", "device", max_skip=4),
        deep("dqn", "device"),
    ],
    ids=["stepped", "fixed starts", "device", "host", "dar", "dqn"],
)
def test_every_decision_of_every_evaluation_is_counted(config, tmp_path):
    run = planned(tmp_path, config)
    execute(run)
    course, rows = read_course(run.folder), read_evaluations(run.folder).to_pandas()
    assert course.step.tolist() == sorted(set(rows["step"]))
    played = rows.groupby("step")[["decisions", "length"]].sum()
    assert course.chosen.sum(axis=1).tolist() == played["decisions"].tolist()
    lengths = course.chosen @ np.arange(1, course.chosen.shape[1] + 1)
    assert (lengths >= played["length"]).all()  # the end cuts skips short
    assert (np.diff(course.seconds, prepend=0.0) > 0).all()


def test_compiled_tables_note_seconds_only(tmp_path):
    run = planned(tmp_path, tabular("t-q"))
    execute(run)
    course = read_course(run.folder)
    assert course.step[-1] == read_evaluations(run.folder)["step"].to_numpy()[-1]
    assert course.chosen.sum() == 0


def test_many_notes_become_few_moments_and_none_is_lost():
    course = Course(3)
    for step in range(1, 10_001):
        course.add(step, np.array([1, 0, 2]))
    moments = course.moments()
    assert len(moments.step) < 300
    assert moments.step[:9].tolist() == list(range(1, 10))
    assert moments.step[-1] == 10_000
    assert np.diff(moments.step).max() <= 50
    assert moments.chosen.sum(axis=0).tolist() == [10_000, 0, 20_000]


@pytest.fixture
def folder(tmp_path):
    run = planned(tmp_path, tabular("t-q"))
    execute(run)
    return run.folder


def test_a_run_without_one_is_sound(folder):
    course_file(folder).unlink()
    assert read_course(folder) is None
    assert is_finished(folder)
    assert [finding.state for finding in verify(folder.parent)] == ["sound"]


def arrays(**changes):
    whole = {"step": np.arange(2), "seconds": np.arange(2.0), "chosen": np.zeros((2, 3), np.int32)}
    return save({**whole, **changes})


def test_anything_else_is_refused_by_name(folder):
    for content in (
        b"",
        b"nothing like it",
        (MOST_HEADER + 1).to_bytes(8, "little") + b"{}",
        arrays()[:-1],
        arrays(more=np.zeros(2)),
        arrays(step=np.arange(2.0)),
        arrays(step=np.array([2, 1])),
        arrays(step=np.arange(3)),
        arrays(seconds=np.array([0.0, np.nan])),
        arrays(chosen=np.full((2, 3), -1, np.int32)),
        arrays(chosen=np.zeros(2, np.int32)),
    ):
        course_file(folder).write_bytes(content)
        with pytest.raises(DamagedFile, match=r"course/seed-3\.safetensors"):
            read_course(folder)
