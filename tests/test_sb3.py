"""Models of Stable-Baselines3 that learn when to act."""

from __future__ import annotations

import warnings

import gymnasium as gym
import numpy as np
import pytest
import torch
from stable_baselines3 import DQN, PPO, TD3
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.noise import NormalActionNoise

import temporl
from temporl.recorded import collect_episodes, keep_return, learn_skips
from temporl.sb3 import CommittedModel, FrozenModel, replayed_episodes
from temporl.wrappers import CommittedActions

EPISODES = 50
SMALL = {"net_arch": [64, 64]}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def dqn():
    """A model as its users train it, with its own replay."""
    model = DQN(
        "MlpPolicy",
        "CartPole-v1",
        learning_rate=2.3e-3,
        buffer_size=50_000,
        batch_size=64,
        train_freq=256,
        gradient_steps=128,
        target_update_interval=10,
        exploration_fraction=0.3,
        learning_starts=1000,
        policy_kwargs=SMALL,
        seed=0,
    )
    return model.learn(20_000)


@pytest.fixture(scope="module")
def td3():
    noise = NormalActionNoise(np.zeros(1), 0.1 * np.ones(1))
    model = TD3(
        "MlpPolicy",
        "Pendulum-v1",
        learning_rate=1e-3,
        batch_size=128,
        learning_starts=500,
        gamma=0.98,
        action_noise=noise,
        policy_kwargs=SMALL,
        seed=0,
    )
    return model.learn(8000)


class Plain:
    """The model alone: it decides at every step."""

    def __init__(self, model):
        self.behaviour = FrozenModel(model)

    def decide(self, observation):
        return temporl.Decision(self.behaviour.act(np.asarray(observation)[None])[0], 1)


def check(policy, model, environment):
    base = temporl.evaluate(Plain(model), environment, EPISODES)
    ours = temporl.evaluate(policy, environment, EPISODES)
    worst = base.returns.mean() - 0.05 * abs(base.returns.mean())
    print(environment, base.summary(), ours.summary())
    assert ours.returns.mean() >= worst
    assert ours.decisions.mean() / ours.lengths.mean() <= 0.7
    assert ours.decisions.mean() <= 0.7 * base.decisions.mean()


def test_values_are_those_of_the_model(dqn, td3):
    seen = np.array([[0.0, 0.1, -0.02, 0.3], [0.1, -0.4, 0.05, 0.0]], dtype=np.float32)
    behaviour = FrozenModel(dqn)
    with torch.no_grad():
        values = dqn.q_net(torch.as_tensor(seen)).numpy()
    assert behaviour.act(seen).tolist() == values.argmax(axis=1).tolist()
    assert behaviour.value(seen, [1, 0]) == pytest.approx([values[0, 1], values[1, 0]])
    assert behaviour.gamma == 0.99
    seen = np.array([[1.0, 0.0, 0.5]], dtype=np.float32)
    with torch.no_grad():
        both = td3.critic(torch.as_tensor(seen), torch.as_tensor([[0.5]]))
    least = min(float(value) for value in both)
    assert FrozenModel(td3).value(seen, [[1.0]]) == pytest.approx([least])  # torque 1 of 2


def test_the_replay_tells_whole_episodes(dqn):
    episodes = list(replayed_episodes(dqn))
    buffer = dqn.replay_buffer
    assert sum(len(episode) for episode in episodes) == buffer.size()
    assert len(episodes) >= int(buffer.dones.sum())
    assert np.array_equal(episodes[0].observations[1], buffer.observations[1, 0])
    assert [e.terminated for e in episodes[:3]] == [True] * 3
    assert all(episode.rewards.sum() == len(episode) for episode in episodes)


def test_a_frozen_dqn_learns_when_to_act_from_its_own_replay(dqn):
    before = {name: array.clone() for name, array in dqn.policy.state_dict().items()}
    behaviour, recorded = FrozenModel(dqn), list(replayed_episodes(dqn))
    learned = [
        learn_skips(behaviour, recorded, max_skip=4, updates=6000, targets=targets)
        for targets in ("outcomes", "advantages")
    ]
    check(keep_return(learned, "CartPole-v1"), dqn, "CartPole-v1")
    after = dqn.policy.state_dict()
    assert all(torch.equal(array, after[name]) for name, array in before.items())


def test_fresh_episodes_are_played_by_the_model(dqn):
    behaviour = FrozenModel(dqn)
    episodes = collect_episodes(behaviour, "CartPole-v1", 500, repeat=0.0, epsilon=0.1)
    seen = np.concatenate([episode.observations[:-1] for episode in episodes])
    played = np.concatenate([episode.actions for episode in episodes])
    assert 0.85 < (behaviour.act(seen) == played).mean() < 1


def test_a_frozen_td3_learns_when_to_act_from_fresh_steps(td3):
    behaviour = FrozenModel(td3)
    episodes = collect_episodes(behaviour, "Pendulum-v1", 8000, max_skip=6, repeat=0.7)
    learned = learn_skips(behaviour, episodes, max_skip=6, updates=6000)
    check(keep_return(learned, "Pendulum-v1"), td3, "Pendulum-v1")


def test_our_policies_play_in_evaluate_policy(tmp_path):
    run = temporl.train(
        "t-dqn", "CartPole-v1", steps=600, max_skip=5, out=tmp_path, progress=False, workers=1
    )
    policy = run.policy()
    alone = make_vec_env("CartPole-v1", 1, seed=3)
    model = CommittedModel(policy)
    returns, lengths = evaluate_policy(model, alone, 5, return_episode_rewards=True)
    # The same episodes by hand: the same returns, and as many decisions.
    alone.seed(3)
    observations = alone.reset()
    decisions, again = 0, []
    for length in lengths:
        commitment = temporl.Commitment(temporl.Decision(0, 0), 0)
        for _ in range(length):
            if commitment.spent:
                decision = policy.decide(observations[0])
                commitment, decisions = temporl.Commitment(decision, decision.skip), decisions + 1
            observations, _, over, _ = alone.step(np.array([commitment.decision.action]))
            commitment = commitment.after_step(bool(over[0]))
        again.append(float(length))
        assert over[0]
    assert returns == again
    # After its last episode the loop over there has asked once more at most.
    assert decisions <= model.decisions <= decisions + 1
    with pytest.raises(temporl.BadInput, match="deterministic"):
        model.predict(observations, deterministic=False)
    several = make_vec_env("CartPole-v1", 3, seed=0)
    mean, _ = evaluate_policy(CommittedModel(policy), several, 6)
    assert mean > 0


def test_models_without_values_are_refused():
    with pytest.raises(temporl.BadInput, match="model"):
        FrozenModel(PPO("MlpPolicy", "CartPole-v1"))


def test_a_model_learns_in_an_environment_whose_actions_last():
    """Numbered pairs of action and skip: what libraries without tuples need."""
    skips = (1, 2, 4)
    env = CommittedActions(gym.make("CartPole-v1"), skips)
    flat = gym.wrappers.TransformAction(
        env,
        lambda pair: (pair % 2, pair // 2 + 1),
        gym.spaces.Discrete(2 * len(skips)),
    )
    model = DQN("MlpPolicy", flat, learning_starts=100, policy_kwargs=SMALL, seed=0).learn(400)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Evaluation environment is not wrapped")
        mean, _ = evaluate_policy(model, flat, 2)
    assert mean > 0
