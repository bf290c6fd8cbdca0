from __future__ import annotations

import pytest
from tests.runs.stopping import deep, tabular

from temporl.edge.estimates import Cost, Estimate, estimate, size_of
from temporl.runs.plan import plan_runs
from temporl.runs.workers import WORKER_START

DEEP, TABLE = deep("dqn", "device"), tabular("t-q")


def test_runs_are_shared_among_processes():
    cost = Cost(DEEP, runs=6, seconds=10.0, start=3.0, disk=100, checkpoint=7)
    one = Estimate((cost,), workers=2)
    assert one.seconds() == WORKER_START + 3 + 3 * 10
    assert one.seconds(machines=3) == WORKER_START + 3 + 10
    assert one.seconds(machines=32) == WORKER_START + 3 + 10  # no run is shorter than itself
    assert (one.disk, one.checkpoints) == (600, 14)


def test_a_process_begins_with_a_configuration_once():
    costs = tuple(Cost(DEEP, 2, 10.0, 3.0, 0, 0) for _ in range(2))
    assert Estimate(costs, workers=1).seconds() == WORKER_START + 2 * 3 + 4 * 10


def test_little_work_is_done_without_workers():
    assert Estimate((Cost(TABLE, 10, 0.1, 0.5, 0, 0),), workers=2).seconds() == pytest.approx(1.0)
    many = Estimate((Cost(TABLE, 1000, 0.1, 0.0, 0, 0),), workers=2)
    assert many.seconds() == pytest.approx(WORKER_START + 50)


def test_what_is_tried_leaves_nothing_behind(tmp_path):
    found = estimate(plan_runs(tmp_path, "x", TABLE, range(5)), workers=1)
    (cost,) = found.costs
    assert cost.runs == 5
    assert 0 < cost.seconds < 5
    assert cost.disk > 2000
    assert list(tmp_path.iterdir()) == []


def test_sizes_of_folders(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(bytes(10))
    (tmp_path / "c").write_bytes(bytes(5))
    assert size_of(tmp_path) == 15
