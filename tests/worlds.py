"""Small worlds for the tests, and their right values by dynamic programming."""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.wrappers import TimeLimit

from temporl.environments import GridWorld


class TableWorld(gym.Env[Any, Any]):
    """Any small decision process, in the form of Gymnasium's toy-text environments.

    `outcomes[state][action]` lists `(probability, next state, reward, terminated)`.
    """

    def __init__(self, outcomes: list[list[list[tuple]]], starts: list[float] | None = None):
        self.P = {state: dict(enumerate(actions)) for state, actions in enumerate(outcomes)}
        self.initial_state_distrib = np.array(starts or [1.0] + [0.0] * (len(outcomes) - 1))
        self.observation_space = Discrete(len(outcomes))
        self.action_space = Discrete(len(outcomes[0]))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        self.s = int(self.np_random.choice(len(self.P), p=self.initial_state_distrib))
        return self.s, {}

    def step(self, action: int):
        rows = self.P[self.s][int(action)]
        chosen = self.np_random.choice(len(rows), p=[row[0] for row in rows])
        _, self.s, reward, terminated = rows[chosen]
        return self.s, reward, terminated, False, {}


def limited(environment: gym.Env, step_limit: int) -> TimeLimit:
    """The environment with a step limit."""
    return TimeLimit(environment, step_limit)


def grid(text: str, step_limit: int = 100, **options: Any) -> TimeLimit:
    """A gridworld with a step limit."""
    return limited(GridWorld(text, **options), step_limit)


class RightValues(NamedTuple):
    """Both Q-functions of the best policy, as `TabularPolicy.tables` holds them."""

    action_values: np.ndarray
    skip_values: np.ndarray


def right_values(
    environment: gym.Env, gamma: float, skips: tuple[int, ...] = (1,), sweeps: int = 2000
) -> RightValues:
    """Value iteration for the behaviour; for skips, the action played on and on from each state.

    Q(s, j | a) is the expected discounted reward of j times a, plus gamma**j V(where that ends);
    a terminal state absorbs what is left of the skip.
    """
    outcomes = environment.unwrapped.P
    states, actions = len(outcomes), len(outcomes[0])
    moves = np.zeros((actions, states, states))  # to states where the episode goes on
    rewards = np.zeros((actions, states))
    for state in range(states):
        for action in range(actions):
            for probability, following, reward, terminated in outcomes[state][action]:
                rewards[action, state] += probability * reward
                if not terminated:
                    moves[action, state, following] += probability
    best = np.zeros(states)
    for _ in range(sweeps):
        best = (rewards + gamma * moves @ best).max(axis=0)
    action_values = (rewards + gamma * moves @ best).T
    skip_values = np.zeros((states, actions, len(skips)))
    for action in range(actions):
        value = best
        for length in range(1, skips[-1] + 1):
            value = rewards[action] + gamma * moves[action] @ value
            if length in skips:
                skip_values[:, action, skips.index(length)] = value
    return RightValues(action_values, skip_values.reshape(states * actions, len(skips)))
