from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import gymnasium as gym
import pytest
from tests.worlds import grid

import temporl
from temporl.errors import BadInput, RunFailed
from temporl.randomness import Purpose, episode_seed

QUIET = {"progress": False, "workers": 1}


def times(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_train_load_decide_evaluate(tmp_path):
    run = temporl.train("t-q", "temporl/Cliff-v0", episodes=300, seeds=2, out=tmp_path, **QUIET)
    assert run.seeds == (0, 1)
    assert run.path.parent == tmp_path / "Cliff-v0"
    policy = temporl.load(run.path)
    action, skip = policy.decide(0)
    assert action in range(4)
    assert skip in range(1, 8)
    assert temporl.evaluate(policy, "temporl/Cliff-v0", episodes=1).returns.tolist() == [1.0]
    assert run.evaluations(seed=1).num_rows == 300
    assert run.evaluations().equals(run.evaluations(seed=0))
    assert not run.evaluations(0).equals(run.evaluations(1))


def test_seeds_are_chosen_when_loading(tmp_path):
    run = temporl.train("q", "temporl/Cliff-v0", episodes=5, seed=3, seeds=2, out=tmp_path, **QUIET)
    assert temporl.load(run.path / "seed-4").tables.action_values.tolist() == (
        run.policy(seed=4).tables.action_values.tolist()
    )
    with pytest.raises(BadInput, match="there are seed-3, seed-4"):
        temporl.load(run.path, seed=0)
    with pytest.raises(BadInput, match="no finished run"):
        temporl.load(tmp_path / "elsewhere")


def test_finished_runs_are_not_trained_again(tmp_path):
    options = {"episodes": 10, "out": tmp_path} | QUIET
    temporl.train("q", "temporl/Cliff-v0", seeds=2, **options)
    before = times(tmp_path)
    run = temporl.train("q", "temporl/Cliff-v0", seeds=3, **options)
    after = times(run.path)
    changed = {path for path, time in after.items() if before.get(path) not in (time, None)}
    new = {Path(path).relative_to(run.path).parts[0] for path in after.keys() - before.keys()}
    assert changed <= {str(run.path), str(run.path / "course")}
    assert new == {"seed-2", "course"}


def test_bad_input_is_refused_before_anything_is_written(tmp_path):
    out = tmp_path / "out"
    for field, options in {
        "seeds": {"seeds": 0},
        "seed": {"seed": -1},
        "workers": {"workers": 0},
        "episodes": {"episodes": 0},
        "steps": {"steps": 0},
        "episodes: 5": {"steps": 5, "episodes": 5},
        "evaluate_every": {"evaluate_every": -1},
        "step_limit": {"step_limit": 0},
        "alpha": {"alpha": 2},
        "skips": {"skips": "2,3"},
        "colour": {"colour": "red"},
    }.items():
        with pytest.raises(BadInput, match=f"^{field}"):
            temporl.train("t-q", "temporl/Cliff-v0", out=out, progress=False, **options)
        assert not out.exists()


def test_continuous_environments_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(BadInput, match="observation space") as caught:
        temporl.train("q", "CartPole-v1", out=tmp_path / "out")
    assert "'CartPole-v1'" in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_an_environment_without_a_step_limit_needs_one(tmp_path):
    with pytest.raises(BadInput) as caught:
        temporl.train("q", "CliffWalking-v1", out=tmp_path / "out")
    assert caught.value.field == "step_limit"
    run = temporl.train(
        "q", "CliffWalking-v1", step_limit=30, episodes=3, out=tmp_path / "out", **QUIET
    )
    assert max(run.evaluations()["length"].to_pylist()) <= 30


def test_an_output_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput) as caught:
        temporl.train("q", "temporl/Cliff-v0", episodes=1, out=tmp_path / "file" / "runs")
    assert caught.value.field == "out"


def small_world() -> gym.Env:
    return grid("S..\n.XG", 20)


def test_a_function_makes_the_environment(tmp_path):
    run = temporl.train("t-q", small_world, episodes=50, seeds=2, out=tmp_path, progress=False)
    assert run.path.parent.name == "small_world"
    assert temporl.evaluate(temporl.load(run.path), small_world, episodes=1).returns[0] == 1.0


def test_a_function_can_be_given_a_step_limit(tmp_path):
    run = temporl.train("q", small_world, episodes=30, step_limit=4, out=tmp_path, **QUIET)
    assert max(run.evaluations()["length"].to_pylist()) <= 4


def test_a_function_takes_no_options(tmp_path):
    with pytest.raises(BadInput) as caught:
        temporl.train("q", small_world, env_options={"slip": 0.1}, out=tmp_path)
    assert caught.value.field == "env_options"


def test_a_map_from_a_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("S..\n.XG\n")
    run = temporl.train("t-q", str(path), episodes=100, out=tmp_path / "out", **QUIET)
    assert temporl.evaluate(temporl.load(run.path), str(path), episodes=1).returns[0] == 1.0


def test_tuples_of_numbers_are_observations(tmp_path):
    run = temporl.train("t-q", "Blackjack-v1", step_limit=20, episodes=500, out=tmp_path, **QUIET)
    policy = temporl.load(run.path)
    assert policy.decide((20, 5, 0)).action in (0, 1)
    assert policy.tables.action_values.shape == (32 * 11 * 2, 2)
    assert policy.tables.action_values.any()


MODULE = """
    import os
    import gymnasium as gym
    from gymnasium.spaces import Discrete


    class Corridor(gym.Env):
        observation_space = Discrete(4)
        action_space = Discrete(2)

        def __init__(self, fault=None):
            self.fault = fault

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            print("an environment may talk")
            self.state = 0
            self.unlucky = self.np_random.random() < 0.3
            return 0, {}

        def step(self, action):
            if self.fault == "raise" and self.unlucky:
                raise RuntimeError("the motor is hot")
            if self.fault == "die" and self.unlucky:
                os._exit(7)
            self.state = max(self.state + (1 if action else -1), 0)
            return self.state, float(self.state == 3), self.state == 3, False, {}


    gym.register("Corridor-v0", entry_point=Corridor, max_episode_steps=20)
"""


@pytest.fixture
def corridor(tmp_path, monkeypatch) -> str:
    """An environment registered by a module that is not part of the library."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "corridors.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(folder)
    yield "corridors:Corridor-v0"
    gym.registry.pop("Corridor-v0", None)
    sys.modules.pop("corridors", None)


@pytest.mark.parametrize("workers", [1, 2])
def test_environments_from_a_module_of_ones_own(tmp_path, corridor, workers):
    run = temporl.train(
        "t-q", corridor, episodes=60, seeds=2, out=tmp_path, workers=workers, progress=False
    )
    assert run.path.parent.name == "Corridor-v0"
    for seed in (0, 1):
        policy = run.policy(seed)
        assert policy.decide(0).action == 1
        assert temporl.evaluate(policy, corridor, episodes=1).returns[0] == 1.0


def failing_seeds(episodes: int, seeds: int) -> list[int]:
    """Which seeds meet an unlucky episode, by the library's seeds and the environment's rule."""

    def unlucky(seed: int, purpose: Purpose, episode: int) -> bool:
        generator, _ = gym.utils.seeding.np_random(episode_seed(seed, purpose, episode))
        return generator.random() < 0.3

    return [
        seed
        for seed in range(seeds)
        if any(unlucky(seed, Purpose.ENVIRONMENT, k) for k in range(episodes))
    ]


@pytest.mark.parametrize(("workers", "fault"), [(1, "raise"), (2, "raise"), (2, "die")])
def test_a_failing_environment_fails_its_run_only(tmp_path, corridor, workers, fault):
    failing = failing_seeds(episodes=2, seeds=5)
    assert 0 < len(failing) < 5
    with pytest.raises(RunFailed) as caught:
        temporl.train(
            "q",
            corridor,
            episodes=2,
            seeds=5,
            evaluate_every=0,
            env_options={"fault": fault},
            out=tmp_path / "out",
            workers=workers,
            progress=False,
        )
    message = str(caught.value)
    reason = "the motor is hot" if fault == "raise" else "exit code 7"
    assert reason in message
    finished = {path.name for path in (tmp_path / "out").glob("*/*/seed-*")}
    for seed in range(5):
        assert (f"q on {corridor}, seed {seed}: " in message) == (seed in failing)
        assert (f"seed-{seed}" in finished) == (seed not in failing)
    assert not list((tmp_path / "out").rglob(".seed-*"))


def test_what_failed_can_be_trained_later(tmp_path):
    broken = [True]

    def sometimes_broken() -> gym.Env:
        class Sometimes(gym.Wrapper):
            def step(self, action):
                if broken[0]:
                    raise RuntimeError("not yet")
                return super().step(action)

        return Sometimes(grid("S.G", 10))

    options = {"episodes": 5, "out": tmp_path} | QUIET
    with pytest.raises(RunFailed, match="q on sometimes_broken, seed 0: RuntimeError: not yet"):
        temporl.train("q", sometimes_broken, **options)
    broken[0] = False
    assert temporl.train("q", sometimes_broken, **options).evaluations().num_rows == 5


def test_runs_of_a_function_are_never_taken_for_those_of_another(tmp_path):
    options = {"episodes": 5, "out": tmp_path} | QUIET
    temporl.train("q", lambda: grid("S.G", 10), **options)
    with pytest.raises(BadInput, match="another") as caught:
        temporl.train("q", lambda: grid("S..G", 10), **options)
    assert caught.value.field == "out"
