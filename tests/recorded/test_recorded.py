"""Learning when to act from recorded episodes."""

from __future__ import annotations

import gc
import re
from dataclasses import replace
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
    keep_return,
    learn_skips,
    load_skip_policy,
    minari_episodes,
    save_skip_policy,
)
from temporl.recorded.targets import skip_targets
from temporl.runs.policies import load_policy
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


def test_advantages_cost_nothing_where_the_behaviour_would_do_the_same():
    episode = walk([1, 1, 0, 0], terminated=False)
    targets, known = skip_targets(episode, Corridor(), consecutive(4), 0.9, "advantages")
    assert known[0].all()
    assert targets[0].tolist() == [0.0] * 4  # also beyond what was played: right is right here
    # Left costs a half in every state, and the rest of it is not known.
    assert targets[2, :2] == pytest.approx([-0.5, -0.5 * 1.9])
    assert known[2].tolist() == [True, True, False, False]


def test_outcomes_and_advantages_agree_where_values_are_right():
    """Every step costs 1 until the sixth place; the behaviour knows, to the left as well."""

    class Right(Corridor):
        gamma = 1.0

        def value(self, observations, actions):
            place = np.asarray(observations)[:, 0]
            return place - 6 - 2 * (np.asarray(actions) == 0)

    places = np.array([3.0, 2.0, 1.0, 2.0, 3.0])[:, None]
    episode = Episode(places, np.array([0, 0, 1, 1]), -np.ones(4), terminated=False)
    (outcomes, known), (advantages, _) = (
        skip_targets(episode, Right(), consecutive(3), 1.0, kind)
        for kind in ("outcomes", "advantages")
    )
    assert outcomes[known] == pytest.approx(advantages[known])
    assert outcomes[0].tolist() == [-2.0, -4.0, -6.0]


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
    wary = temporl.evaluate(learned.with_tolerance(-0.5), MOUNTAIN_CAR, episodes=5)
    assert careful.decisions.sum() < wary.decisions.sum()
    alone = temporl.evaluate(learned.with_tolerance(-np.inf), MOUNTAIN_CAR, episodes=5)
    assert (alone.decisions == alone.lengths).all()
    with pytest.raises(temporl.BadInput, match="tolerance"):
        learned.with_tolerance(float("nan"))


def test_return_is_kept_by_playing(learned):
    """Whatever is asked: the most eager policy that earns it, down to the behaviour alone."""
    careful = keep_return(learned, MOUNTAIN_CAR, loss=0.05, episodes=10)
    eager = keep_return(learned, MOUNTAIN_CAR, loss=0.5, episodes=10)
    assert careful.tolerance <= eager.tolerance
    alone = temporl.evaluate(learned.with_tolerance(-np.inf), MOUNTAIN_CAR, episodes=10, seed=1)
    for policy, share in ((careful, 1.05), (eager, 1.5)):
        kept = temporl.evaluate(policy, MOUNTAIN_CAR, episodes=10, seed=1)
        assert kept.returns.mean() >= share * alone.returns.mean()
        assert kept.decisions.mean() < alone.decisions.mean()
    with pytest.raises(temporl.BadInput, match="loss"):
        keep_return(learned, MOUNTAIN_CAR, loss=-0.1)
    with pytest.raises(temporl.BadInput, match="policies"):
        keep_return([], MOUNTAIN_CAR)


def test_of_several_policies_the_one_that_decides_least_is_kept(learned, recorded):
    careful = replace(learned, skips=(1,) * len(learned.skips))
    kept = keep_return([careful, learned], MOUNTAIN_CAR, loss=0.5, episodes=3)
    assert kept.skips == learned.skips
    with pytest.raises(temporl.BadInput, match="targets"):
        learn_skips(load_policy(VANILLA), recorded, targets="hopes")


def test_a_policy_that_only_loses_decides_at_every_step():
    """A walk that ends at its first wrong step: no skip but the shortest keeps the return."""
    behaviour, walks = Alternating(), [alternation(steps) for steps in (9, 10)]
    hasty = learn_skips(behaviour, walks, max_skip=3, updates=20)
    kept = keep_return([hasty, hasty], alternating_world, loss=0.0, episodes=3)
    outcome = temporl.evaluate(kept, alternating_world, episodes=3)
    assert outcome.returns.tolist() == [10.0] * 3
    assert (outcome.decisions == outcome.lengths).all()


class Alternating:
    """Plays 0 and 1 in turns, as the world below wants it, and promises the same everywhere."""

    actions = gym.spaces.Discrete(2)
    gamma = 1.0

    def act(self, observations):
        return np.asarray(observations)[:, 0].astype(int) % 2

    def value(self, observations, actions):
        return np.zeros(len(actions))


class AlternatingWorld(gym.Env):
    """A reward for every right step, ten at most."""

    observation_space = gym.spaces.Box(0, 10, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        right = action == self.place % 2
        self.place += 1
        over = not right or self.place == 10
        return np.array([self.place], np.float32), float(right), over, False, {}


def alternating_world():
    return gym.wrappers.TimeLimit(AlternatingWorld(), 20)


def alternation(steps):
    places = np.arange(steps + 1.0)[:, None]
    return Episode(places, np.arange(steps) % 2, np.ones(steps), terminated=False)


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


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("skip-network.safetensors", lambda _: (2**40).to_bytes(8, "little") + b"{}"),
        ("skip-network.safetensors", lambda content: content[:-4]),
        ("skip-network.safetensors", lambda _: b""),
        ("skip-policy.json", lambda _: b"[" * 100_000),
        ("skip-policy.json", lambda content: content.replace(b'"layers": 3', b'"layers": 2')),
        ("skip-policy.json", lambda content: content.replace(b'"layers": 3', b'"layers": 1e400')),
        ("skip-policy.json", lambda content: content.replace(b'e": 0.0', b'e": NaN')),
    ],
)
def test_what_strangers_send_is_read_with_suspicion(learned, tmp_path, name, change):
    save_skip_policy(learned, tmp_path)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(change(content))
    with pytest.raises(temporl.DamagedFile, match=re.escape(str(tmp_path))):
        load_skip_policy(tmp_path, load_policy(VANILLA))


def test_a_file_that_is_none_is_refused(learned, tmp_path):
    save_skip_policy(learned, tmp_path)
    (tmp_path / "skip-policy.json").unlink()
    (tmp_path / "skip-policy.json").symlink_to("/dev/zero")
    with pytest.raises(temporl.DamagedFile, match="not a file that can be read"):
        load_skip_policy(tmp_path, load_policy(VANILLA))


@pytest.mark.parametrize("agent", ["ddpg", "sac", "t-ddpg"])
def test_actors_of_this_library_are_behaviours(agent, tmp_path):
    options = {"max_skip": 3} if agent == "t-ddpg" else {}
    run = temporl.train(
        *(agent, "Pendulum-v1"),
        steps=60,
        warm_up=20,
        hidden=(8,),
        batch_size=8,
        **options,
        out=tmp_path,
        progress=False,
    )
    policy = run.policy()
    behaviour = behaviour_of(policy)
    seen = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, -3.0]], np.float32)
    actions = behaviour.act(seen)
    assert np.allclose(actions, [policy.decide(row).action for row in seen])
    if agent != "t-ddpg":
        expected = [
            policy.skip_values(row, action)[1] for row, action in zip(seen, actions, strict=True)
        ]
        assert behaviour.value(seen, actions) == pytest.approx(expected, rel=1e-5)
    episodes = collect_episodes(policy, "Pendulum-v1", 200, max_skip=3, repeat=0.7)
    learned = learn_skips(policy, episodes, max_skip=3, updates=50)
    action, skip = learned.decide(seen[0])
    assert np.allclose(action, actions[0])
    assert skip in (1, 2, 3)


@pytest.mark.parametrize(("agent", "world"), [("figar", "Pendulum-v1"), ("dar", "CartPole-v1")])
def test_agents_whose_values_are_of_repeats_are_not(agent, world, tmp_path):
    options = {"warm_up": 10} if agent == "figar" else {}
    run = temporl.train(
        agent, world, steps=30, hidden=(8,), batch_size=8, out=tmp_path, progress=False, **options
    )
    with pytest.raises(temporl.BadInput, match="values are of actions"):
        behaviour_of(run.policy())


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
