from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import gymnasium as gym
import numpy as np
import pytest
from tests.report import deep_runs
from tests.report.test_figures import assert_picture

import temporl
from temporl.experiments import experiment_named
from temporl.experiments.featurized import PROTOCOLS
from temporl.networks.layers import Layer
from temporl.report.figures import mountain_car_picture
from temporl.report.figures.mountain_car import PLANE, good_policy, height, typical_episode
from temporl.report.figures.paths import greedy_path


class Swing:
    """Pushes the way it moves, for a fixed number of steps."""

    def __init__(self, skip: int) -> None:
        self.skip = skip

    def decide(self, observation):
        return temporl.Decision(2 if observation[1] >= 0 else 0, self.skip)


def test_a_path_holds_what_was_observed():
    path = greedy_path(Swing(7), "MountainCar-v0", seed=3)
    played = temporl.evaluate(Swing(7), "MountainCar-v0", episodes=1, seed=3)
    assert len(path) == played.decisions[0]
    assert sum(stretch.steps for stretch in path) == played.lengths[0]
    observed = [state for stretch in path for state in stretch.states]
    assert all(state.shape == (2,) for state in observed)
    assert len({tuple(state) for state in observed}) > 50
    assert observed[-1][0] >= 0.5


def test_observations_that_an_environment_reuses_are_kept_apart():
    class Reusing(gym.Env):
        observation_space = gym.spaces.Box(0, 9, (1,))
        action_space = gym.spaces.Discrete(3)
        seen = np.zeros(1)

        def reset(self, *, seed=None, options=None):
            self.seen[:] = 0
            return self.seen, {}

        def step(self, action):
            self.seen += 1
            return self.seen, 0.0, self.seen[0] == 3, False, {}

    class Ahead:
        def decide(self, observation):
            return temporl.Decision(0, 2)

    path = greedy_path(Ahead(), Reusing())
    assert [[float(state[0]) for state in stretch.states] for stretch in path] == [
        [0, 1, 2],
        [2, 3],
    ]


def test_the_hill_is_gymnasiums():
    world = gym.make("MountainCar-v0").unwrapped
    positions = np.linspace(-1.2, 0.6, 50)
    np.testing.assert_allclose(height(positions), world._height(positions))


def test_a_policy_is_asked_about_every_position_and_velocity():
    class Corner:
        """Pushes left for three steps at the far left while moving right."""

        def decide(self, observation):
            there = observation[0] < -1 and observation[1] > 0
            return temporl.Decision(0, 3) if there else temporl.Decision(1, 1)

    actions, skips = PLANE.ask_everywhere(Corner())
    across, upwards = PLANE.across.values(), PLANE.upwards.values()
    assert actions.shape == skips.shape == (len(upwards), len(across))
    assert (across[0], across[-1]) == pytest.approx((-1.2, 0.6))
    assert (upwards[0], upwards[-1]) == pytest.approx((-0.07, 0.07))
    there = np.outer(upwards > 0, across < -1)
    assert (actions == np.where(there, 0, 1)).all()
    assert (skips == np.where(there, 3, 1)).all()


def test_the_episode_shown_is_in_the_middle():
    lengths = [len(greedy_path(Swing(3), "MountainCar-v0", seed)) for seed in range(10)]
    shown = len(typical_episode(Swing(3)))
    assert min(lengths) < max(lengths)
    assert sum(length <= shown for length in lengths) >= 5
    assert sum(length >= shown for length in lengths) >= 5


@pytest.mark.parametrize("skip", [1, 10])
def test_any_policy_has_a_picture(skip, tmp_path):
    path = tmp_path / "policy.png"
    assert mountain_car_picture(Swing(skip), path, "swing") == path
    assert_picture(path)


class TestGoodPolicy:
    """Among three policies made by hand: two that swing with different repeats, one that idles."""

    right, left = 1000.0, -1000.0
    heads: ClassVar = {"fine": {2: right, 0: left}, "coarse": {5: right, 3: left}, "idle": {}}

    def network(self, name):
        """Two units see the speed in either direction; each favours one head."""
        first = np.zeros((2, 2), np.float32)
        first[1] = self.right, self.left
        last, bias = np.zeros((2, 6), np.float32), np.full(6, -1.0, np.float32)
        for head, factor in self.heads[name].items():
            last[0 if factor > 0 else 1, head] = 1
        bias[list(self.heads[name]) or [4]] = 0
        return (
            Layer(first, np.zeros(2, np.float32)),
            Layer(np.eye(2, dtype=np.float32), np.zeros(2, np.float32)),
            Layer(last, bias),
        )

    @pytest.fixture
    def folders(self, tmp_path):
        cell = PROTOCOLS["MountainCar"].cell("MountainCar", "dar", max_skip=2, hidden=(2, 2))
        experiment = replace(experiment_named("featurized"), cells=(cell,))
        written = deep_runs.write(
            experiment, cell, tmp_path, [(-200,)] * 3, networks=list(map(self.network, self.heads))
        )
        return dict(zip(self.heads, written, strict=True))

    def shown(self, folders):
        policy = good_policy(folders)
        return policy.decide([-0.5, 0.01])

    def test_the_policies_do_what_they_are_called(self, folders):
        played = {
            name: temporl.evaluate(temporl.load(folder), "MountainCar-v0", 10)
            for name, folder in folders.items()
        }
        returns = {name: episodes.returns.mean() for name, episodes in played.items()}
        decisions = {name: episodes.decisions.mean() for name, episodes in played.items()}
        assert returns["idle"] == -200
        assert returns["fine"] > -150
        assert returns["coarse"] > 1.05 * returns["fine"]
        assert decisions["coarse"] < decisions["idle"] == 100 < decisions["fine"]

    def test_of_equally_good_ones_it_decides_least(self, folders):
        assert self.shown(list(folders.values())) == (2, 2)

    def test_a_bad_one_is_not_shown_however_seldom_it_decides(self, folders):
        assert self.shown([folders["fine"], folders["idle"]]) == (2, 1)
