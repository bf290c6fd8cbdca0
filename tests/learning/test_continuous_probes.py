"""Worlds with continuous actions whose answers are known by hand."""

from __future__ import annotations

from functools import cache
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.spaces import Box
from tests.agents.small import layout_of
from tests.direct import train_deep
from tests.replay.quick import quick

from temporl.agents import make_agent
from temporl.agents.agent import Spaces
from temporl.agents.policy import NetworkPolicy
from temporl.environments import EnvironmentSpec
from temporl.skipping import Step

GAMMA, LONGEST = 0.5, 4
BEST = (0.25, -0.5)
"""The action that earns most in every world here."""
AGENTS = ("ddpg", "td3", "sac", "t-ddpg", "t-td3", "t-sac", "figar")
EVERY_AGENT = pytest.mark.parametrize("name", AGENTS)
TEMPO = pytest.mark.parametrize("name", ["t-ddpg", "t-td3", "t-sac"])
SPACES = Spaces((), 4, 2, continuous=True)
STEPS = 1024
CLOSE = 0.15


@cache
def agent(name: str, **options: Any) -> Any:
    learning = {"gamma": GAMMA, "learning_rate": 0.003, "tau": 0.05, "batch_size": 64}
    own = {"max_skip": LONGEST} if name.startswith("t-") or name == "figar" else {}
    return make_agent(name, hidden=(32, 32), **{"warm_up": 1} | learning | own | options)


def earned(action: np.ndarray) -> float:
    """One for the best action, less the farther from it."""
    return 1.0 - float(((action - np.array(BEST)) ** 2).sum())


def taught(name: str, played: Step, updates: int = 1500) -> NetworkPolicy:
    """The policy of an agent that has learned from these steps, and from nothing else."""
    made = agent(name)
    layout = layout_of(made, 2 * STEPS, SPACES)

    @quick
    def learn(networks, played):
        def keep(ring, step):
            return layout.add(ring, step), None

        ring, _ = jax.lax.scan(keep, layout.empty(jnp.int32(0)), played)

        def update(number, state):
            key = jax.random.key(number)
            return made.update(state, layout.sample(ring, key), jax.random.fold_in(key, 1))[0]

        return made.params(jax.lax.fori_loop(0, updates, update, made.init(networks)))

    networks = made.draw(np.random.default_rng(0), SPACES)
    learned = jax.tree.map(np.asarray, learn(networks, played))
    return NetworkPolicy(made, learned, gym.spaces.Discrete(4), Box(-1, 1, (2,), np.float32))


def decided(reward, *, following=lambda state: state, ends=False, cut=True) -> Step:
    """Random decisions of random lengths from random states, each an episode of its own."""
    random = np.random.default_rng(1)
    rows: list[tuple] = []
    while len(rows) < STEPS:
        state, action = int(random.integers(3)), random.uniform(-1, 1, 2).astype(np.float32)
        length = int(random.integers(1, LONGEST + 1))
        for time in range(1, length + 1):
            over = time == length
            after = following(state)
            rows.append(
                (
                    np.int32(state),
                    action,
                    np.float32(reward(state, action)),
                    np.int32(after),
                    over and ends,
                    over and cut and not ends,
                    time == 1,
                    np.int32(length - time),
                    np.int32(length),
                )
            )
            state = after
    return Step(*(np.stack(column) for column in zip(*rows[:STEPS], strict=True)))


@EVERY_AGENT
def test_the_actor_finds_the_best_action(name):
    """Every step ends the episode: nothing counts but its own reward."""
    played = decided(lambda _, action: earned(action), ends=True)
    if name == "figar":  # an end after one step only, so that the repeat does not matter
        played = played._replace(
            terminated=np.ones(STEPS, bool),
            truncated=np.zeros(STEPS, bool),
            decided=np.ones(STEPS, bool),
        )
    else:
        played = played._replace(terminated=np.ones(STEPS, bool), truncated=np.zeros(STEPS, bool))
    policy = taught(name, played)
    for state in range(3):
        assert policy.decide(state).action == pytest.approx(BEST, abs=CLOSE)
        best = np.array(BEST, np.float32)
        assert policy.skip_values(state, best)[1] == pytest.approx(1.0, abs=CLOSE)


@EVERY_AGENT
def test_a_time_limit_is_not_an_end(name):
    """Reward 1 for ever, cut after every decision: worth 1 / (1 - 0.5), whatever is done."""
    policy = taught(name, decided(lambda *_: 1.0))
    values = policy.skip_values(0, np.zeros(2, np.float32))
    # SAC adds to every value what it likes about being random.
    if name not in ("sac", "t-sac"):
        assert list(values.values()) == pytest.approx([2.0] * len(values), abs=CLOSE)
    else:
        assert min(values.values()) > 1.5


@TEMPO
def test_the_skip_policy_learns_the_duration_of_an_action(name):
    """Every step leads from state 0 to 1 and to 2, where the opposite of the best action is best.

    The best action earns 1 everywhere, so every state is worth 2. From state 0 it can be played
    for two steps; in state 2 it would earn 1 - 4 * 1.25.
    """

    def reward(state: int, action: np.ndarray) -> float:
        return earned(action) if state < 2 else 4 * earned(-action) - 3

    steps = decided(reward, following=lambda state: min(state + 1, 2))
    policy = taught(name, steps, updates=8000)
    best = np.array(BEST, np.float32)
    values = policy.skip_values(0, best)
    assert min(values[1], values[2]) > max(values[3], values[4]) + 0.8
    if name != "t-sac":  # which adds to every value what it likes about being random
        assert list(values.values()) == pytest.approx([2.0, 2.0, 0.75, 0.125], abs=0.3)
    # In state 2, and with its own best action, all durations are as good.
    same = list(policy.skip_values(2, -best).values())
    assert max(same) - min(same) < 0.4


def test_figar_values_whole_decisions_with_the_discount_of_their_length():
    """Every decision of j steps of reward 1 ends the episode: worth 1 + ... + gamma^(j-1)."""
    policy = taught("figar", decided(lambda *_: 1.0, ends=True))
    values = policy.skip_values(0, np.zeros(2, np.float32))
    expected = [sum(GAMMA**k for k in range(j)) for j in range(1, LONGEST + 1)]
    assert list(values.values()) == pytest.approx(expected, abs=CLOSE)
    # The longest is worth most, so it is the most probable, and that is what is played.
    assert policy.decide(0).skip == LONGEST


class Target(gym.Env[Any, Any]):
    """Hit a point: one step an episode, actions with bounds of their own, in double precision."""

    observation_space = Box(-1.0, 1.0, (1,), np.float64)
    action_space = Box(np.array([[-3.0], [10.0]]), np.array([[1.0], [20.0]]), dtype=np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        return np.zeros(1), {}

    def step(self, action: np.ndarray):
        assert self.action_space.contains(action), action
        away = (action - np.array([[0.0], [12.0]])) / np.array([[4.0], [10.0]])
        return np.zeros(1), 1.0 - float((away**2).sum()), True, False, {}


@pytest.mark.parametrize("name", ["ddpg", "sac", "t-td3", "figar"])
def test_bounds_shape_and_precision_of_actions_are_the_environments(name):
    trained = train_deep(
        agent(name, warm_up=200),
        EnvironmentSpec("probe", {}, 1),
        driver="host",
        seed=0,
        steps=900,
        evaluate_every=0,
        make=lambda: gym.wrappers.TimeLimit(Target(), 1),
    )
    action = trained.policy.decide(np.zeros(1)).action
    assert action.dtype == np.float64
    assert action.shape == (2, 1)
    away = (action.ravel() - [0.0, 12.0]) / [4.0, 10.0]
    assert np.abs(away).max() < 0.13
