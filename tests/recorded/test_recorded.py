"""Learning when to act from recorded episodes."""

from __future__ import annotations

import gc
from pathlib import Path

import gymnasium as gym
import minari
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import temporl
from temporl.recorded import (
    Episode,
    behaviour_of,
    collect_episodes,
    learn_skips,
    load_skip_policy,
    minari_episodes,
    save_skip_policy,
)
from temporl.recorded.targets import skip_targets
from temporl.results.policies import load_policy
from temporl.skipping import Step, connections, consecutive

MOUNTAIN_CAR = "MountainCar-v0"
VANILLA = Path(__file__).parent / "mountain-car-dqn"
"""The policy of a dqn that `temporl reproduce featurized` trained."""


class Corridor:
    """Stands on a line, walks right until 6 and then left; its values are known by hand."""

    actions = gym.spaces.Discrete(2)
    gamma = 0.9

    def act(self, observations):
        return (np.asarray(observations)[:, 0] < 6).astype(int)

    def value(self, observations, actions):
        place = np.asarray(observations)[:, 0]
        return place + 0.5 * (np.asarray(actions) == self.act(observations))


def walk(actions, terminated, start=0.0):
    places = start + np.cumsum([0.0, *(1.0 if action else -1.0 for action in actions)])
    rewards = np.arange(len(actions), dtype=float)
    return Episode(places[:, None], np.array(actions), rewards, terminated)


@given(
    actions=st.lists(st.integers(0, 1), min_size=1, max_size=12),
    terminated=st.booleans(),
    longest=st.integers(1, 5),
)
def test_what_was_played_is_worth_what_connections_say(actions, terminated, longest):
    """Against the library's own connections: an oracle that was written for something else."""
    behaviour, episode = Corridor(), walk(actions, terminated)
    steps = [
        Step(
            time,
            int(action),
            float(reward),
            time + 1,
            terminated and time + 1 == len(episode),
            not terminated and time + 1 == len(episode),
        )
        for time, (action, reward) in enumerate(zip(actions, episode.rewards, strict=True))
    ]
    targets, known = skip_targets(episode, behaviour, consecutive(longest), behaviour.gamma)
    values = behaviour.value(episode.observations, behaviour.act(episode.observations))
    revealed = list(connections(steps, consecutive(longest), behaviour.gamma))
    assert revealed
    for connection in revealed:
        start, column = connection.observation, connection.skip - 1
        worth = connection.reward + connection.discount * values[connection.next_observation]
        assert known[start, column]
        assert targets[start, column] == pytest.approx(worth - values[start])


def test_what_the_behaviour_broke_off_costs_more_the_longer_it_goes_on():
    episode = walk([1, 1, 0], terminated=False)
    targets, known = skip_targets(episode, Corridor(), consecutive(4), 0.9)
    value = [0.5, 1.5, 2.5, 1.5]  # the behaviour walks right everywhere here
    assert known[0].tolist() == [True] * 4
    assert targets[0, 0] == pytest.approx(0 + 0.9 * value[1] - value[0])
    assert targets[0, 1] == pytest.approx(0.9 * 1 + 0.81 * value[2] - value[0])
    # At the third place the recording went left; right is what the behaviour itself would do.
    assert targets[0, 2] == pytest.approx(targets[0, 1])
    # Left, played once at the third place, was cut by the end of the recording.
    assert known[2].tolist() == [True, False, False, False]
    wrong = walk([0, 1], terminated=False)
    costs, _ = skip_targets(wrong, Corridor(), consecutive(4), 0.9)
    assert np.diff(costs[0, 1:]) == pytest.approx(-0.9 * 0.5)


def test_a_terminal_state_teaches_all_longer_skips():
    episode = walk([1, 1], terminated=True)
    targets, known = skip_targets(episode, Corridor(), consecutive(4), 0.9)
    assert known.all()
    assert targets[0, 1:] == pytest.approx([0.9 * 1 - 0.5] * 3)


@pytest.mark.parametrize(
    "parts",
    [
        (np.zeros((2, 1)), np.zeros(2), np.zeros(2)),
        (np.zeros((1, 1)), np.zeros(0), np.zeros(0)),
        (np.array([[0.0], [np.nan]]), np.zeros(1), np.zeros(1)),
    ],
)
def test_what_is_no_episode_is_refused(parts):
    with pytest.raises(temporl.BadInput, match="episode"):
        Episode(*parts, terminated=False)


def test_nothing_recorded_is_refused():
    with pytest.raises(temporl.BadInput, match="episodes"):
        learn_skips(Corridor(), [])
    with pytest.raises(temporl.BadInput, match="behaviour"):
        learn_skips(object(), [walk([1], terminated=True)])


@pytest.fixture(scope="module")
def recorded():
    """Twenty thousand steps of a vanilla agent that decides at every step, and explores."""
    return collect_episodes(load_policy(VANILLA), MOUNTAIN_CAR, 20_000, repeat=0.0, epsilon=0.2)


@pytest.fixture(scope="module")
def learned(recorded):
    return learn_skips(load_policy(VANILLA), recorded, max_skip=10)


def test_a_third_of_decisions_is_saved_from_recordings_alone(learned):
    vanilla = temporl.evaluate(load_policy(VANILLA), MOUNTAIN_CAR, episodes=50)
    outcome = temporl.evaluate(learned, MOUNTAIN_CAR, episodes=50)
    assert outcome.returns.mean() >= 1.05 * vanilla.returns.mean()  # returns are negative
    assert outcome.decisions.mean() <= 0.7 * vanilla.decisions.mean()


def test_more_tolerance_means_fewer_decisions(learned):
    eager = temporl.evaluate(learned.with_tolerance(2.0), MOUNTAIN_CAR, episodes=5)
    careful = temporl.evaluate(learned, MOUNTAIN_CAR, episodes=5)
    assert eager.decisions.sum() < careful.decisions.sum()
    with pytest.raises(temporl.BadInput, match="tolerance"):
        learned.with_tolerance(-1.0)


def test_it_can_be_saved_and_loaded_without_its_behaviour(learned, tmp_path):
    save_skip_policy(learned, tmp_path)
    again = load_skip_policy(tmp_path, load_policy(VANILLA))
    observation = np.array([-0.5, 0.02], dtype=np.float32)
    assert again.decide(observation) == learned.decide(observation)
    assert again.skip_values(observation) == learned.skip_values(observation)
    (tmp_path / "skip-policy.json").write_text("{}")
    with pytest.raises(temporl.DamagedFile, match="skip policy"):
        load_skip_policy(tmp_path, load_policy(VANILLA))
    with pytest.raises(temporl.BadInput, match="folder"):
        load_skip_policy(tmp_path / "elsewhere", load_policy(VANILLA))


def test_learning_is_a_function_of_its_seed(recorded):
    first, second, other = (
        learn_skips(load_policy(VANILLA), recorded[:5], updates=50, seed=seed) for seed in (0, 0, 1)
    )
    assert np.array_equal(first.layers[0].weight, second.layers[0].weight)
    assert not np.array_equal(first.layers[0].weight, other.layers[0].weight)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")
def test_minari_data_sets_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    behaviour = behaviour_of(load_policy(VANILLA))
    collector = minari.DataCollector(gym.make(MOUNTAIN_CAR))
    for seed in range(2):
        observation, _ = collector.reset(seed=seed)
        over = False
        while not over:
            action = int(behaviour.act(observation[None])[0])
            observation, _, terminated, truncated, _ = collector.step(action)
            over = terminated or truncated
    collector.create_dataset(
        "mountain-car/vanilla-v0",
        algorithm_name="dqn",
        author="nobody",
        author_email="nobody@example.org",
        code_permalink="https://example.org",
        description="two episodes",
    )
    episodes = list(minari_episodes("mountain-car/vanilla-v0"))
    assert len(episodes) == 2
    assert all(episode.terminated for episode in episodes)
    assert episodes[0].rewards.sum() == -len(episodes[0])
    policy = learn_skips(load_policy(VANILLA), episodes, updates=50, max_skip=4)
    assert policy.decide(np.array([-0.5, 0.0])).skip in (1, 2, 3, 4)
    collector.close()
    del collector
    gc.collect()  # it leaves a folder to be cleaned up, which is complained about
