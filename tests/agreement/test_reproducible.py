"""A run depends on its configuration and its seed, and on nothing else."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

import numpy as np
import pytest
from tests.agreement.test_stepped_equals_compiled import assert_same
from tests.direct import train_tabular

import temporl
from temporl.agents import make_agent
from temporl.runs.config import RunConfig
from temporl.runs.plan import plan_runs
from temporl.runs.progress import ProgressDisplay
from temporl.runs.workers import complete
from temporl.tabular import training
from temporl.training.outcome import Trained

WORLD = temporl.EnvironmentSpec("temporl/ZigZag-v0", {"slip": 0.1})


def run(name: str = "t-q", seed: int = 0, **options) -> Trained:
    options = {"episodes": 60, "evaluate_every": 1} | options
    return train_tabular(
        make_agent(name, epsilon="log"), WORLD.make, name="zigzag", seed=seed, **options
    )


@pytest.mark.parametrize("name", ["q", "t-q", "ez-q"])
@pytest.mark.parametrize("prefer_stepping", [False, True], ids=["compiled", "stepped"])
def test_the_same_seed_gives_the_same_run(name, prefer_stepping):
    options = {"episodes": 15, "prefer_stepping": prefer_stepping}
    assert_same(run(name, 7, **options), run(name, 7, **options))


@pytest.mark.parametrize("name", ["q", "t-q", "ez-q"])
@pytest.mark.parametrize("prefer_stepping", [False, True], ids=["compiled", "stepped"])
def test_two_seeds_differ(name, prefer_stepping):
    options = {"episodes": 15, "prefer_stepping": prefer_stepping}
    one, other = run(name, 0, **options), run(name, 1, **options)
    assert not np.array_equal(one.policy.tables.action_values, other.policy.tables.action_values)


@pytest.mark.parametrize("prefer_stepping", [False, True], ids=["compiled", "stepped"])
@pytest.mark.parametrize("every", [0, 7])
def test_evaluation_does_not_change_training(every, prefer_stepping):
    watched = run(prefer_stepping=prefer_stepping, episodes=20)
    other = run(prefer_stepping=prefer_stepping, episodes=20, evaluate_every=every)
    for first, second in zip(watched.policy.tables, other.policy.tables, strict=True):
        assert np.array_equal(first, second)
    assert watched.steps == other.steps
    assert other.evaluations.episode.tolist() == ([] if every == 0 else [7, 14])


@pytest.mark.parametrize("limit", ["CHUNK_EPISODES", "CHUNK_STEPS"])
@pytest.mark.parametrize("chunk", [1, 7, 60, 61])
def test_the_size_of_chunks_does_not_matter(limit, chunk, monkeypatch):
    expected = run()
    monkeypatch.setattr(training, limit, chunk)
    assert_same(expected, run())


def test_the_size_of_chunks_does_not_matter_with_a_budget_of_steps(monkeypatch):
    expected = run(episodes=None, steps=500)
    monkeypatch.setattr(training, "CHUNK_EPISODES", 3)
    assert_same(expected, run(episodes=None, steps=500))


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name != "course"  # seconds are never the same twice
    }


def test_neither_the_number_of_workers_nor_the_order_matters(tmp_path):
    stepped = RunConfig(
        make_agent("t-q"), temporl.EnvironmentSpec("Blackjack-v1", {}, 20), episodes=60
    )
    quick = make_agent("t-dqn", hidden=(8,), batch_size=8)
    networks = RunConfig(
        quick, temporl.EnvironmentSpec("CartPole-v1"), steps=150, evaluate_every=50, driver="host"
    )

    def folder(workers: int) -> Path:
        out = tmp_path / f"workers-{workers}"
        runs = plan_runs(out, "stepped", stepped, range(5))
        runs += plan_runs(out, "networks", networks, range(2))
        Random(workers).shuffle(runs)
        with ProgressDisplay("runs", len(runs), show=False) as display:
            assert not complete(runs, workers, display)
        return out

    one, two, four = (contents(folder(workers)) for workers in (1, 2, 4))
    assert len(one) == 7 * 6
    assert one == two == four


def test_a_seed_does_not_depend_on_the_seeds_beside_it(tmp_path):
    options = {"episodes": 30, "progress": False, "workers": 1}
    alone = temporl.train("q", "temporl/Cliff-v0", seed=2, out=tmp_path / "alone", **options)
    among = temporl.train("q", "temporl/Cliff-v0", seeds=4, out=tmp_path / "among", **options)
    assert contents(alone.path / "seed-2") == contents(among.path / "seed-2")
