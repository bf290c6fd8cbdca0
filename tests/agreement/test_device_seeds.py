"""A seed of a deep agent gives the same files, whatever runs beside it and in whatever order."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from tests.agents.small import small

from temporl.environments import EnvironmentSpec
from temporl.runs.config import RunConfig
from temporl.runs.plan import plan_runs
from temporl.runs.policies import load_policy
from temporl.runs.progress import ProgressDisplay
from temporl.runs.store import read_evaluations
from temporl.runs.workers import complete

SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Three seeds one after the other in one process, and in another order in two."""
    config = RunConfig(
        agent=small("t-dqn-shared", epsilon=0.3),
        environment=EnvironmentSpec("CartPole-v1"),
        steps=400,
        evaluate_every=100,
        driver="device",
    )
    made = []
    for workers, seeds in ((1, SEEDS), (2, SEEDS[::-1])):
        out = tmp_path_factory.mktemp(f"workers-{workers}")
        planned = plan_runs(out, "probe", config, seeds)
        with ProgressDisplay("probe", len(planned), show=False) as display:
            assert complete(planned, workers, display) == []
        made.append({run.seed: run.folder for run in planned})
    return made


def contents(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_does_not_depend_on_the_seeds_beside_it(seed, folders):
    alone, beside = (contents(of_seed[seed]) for of_seed in folders)
    assert {"evaluations.parquet", "policy/arrays.safetensors"} < set(alone)
    assert alone == beside


def test_two_seeds_differ(folders):
    policies = [load_policy(folders[0][seed] / "policy") for seed in SEEDS]
    heads = [policy.params.skip.head.weight for policy in policies]
    assert not np.array_equal(heads[0], heads[1])
    assert not np.array_equal(heads[1], heads[2])
    tables = [read_evaluations(folders[0][seed]).to_pydict() for seed in SEEDS]
    assert tables[0]["step"] == tables[1]["step"] == [100, 200, 300, 400]
    assert tables[0] != tables[1]
