"""Training through ordinary Gymnasium steps, for environments without a transition table.

The same compiled `decide` and `learn` as in the compiled loop; only the loop is Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np

from temporl.evaluation import Evaluations, empty_evaluations, play_episode
from temporl.randomness import Purpose, Stream, episode_seed, stream
from temporl.schedules import epsilon_at
from temporl.skipping.connections import run_length
from temporl.tabular.compiled_training import Budget
from temporl.tabular.learning import Episode, decide, learn
from temporl.tabular.policy import TabularPolicy

MakeEnvironment = Callable[[], gym.Env[Any, Any]]


def train_episodes_by_stepping(
    policy: TabularPolicy,
    environment: gym.Env[Any, Any],
    make: MakeEnvironment,
    budget: Budget,
    evaluate_every: int,
    seed: int,
) -> Iterator[tuple[int, int, Evaluations]]:
    """Train episode by episode; each yields the counts so far and the evaluation after it."""
    evaluation_environment = make()
    exploration = stream(seed, Purpose.EXPLORATION)
    evaluated = replace(policy, ties=stream(seed, Purpose.EVALUATION))
    scratch = Episode(np.empty(budget.step_limit, dtype=np.int64), np.empty(budget.step_limit))
    learner = policy.learner
    episode = step = 0
    while (spent := step if budget.counts_steps else episode) < budget.amount:
        step += train_episode(
            policy,
            environment,
            scratch,
            episode_seed(seed, Purpose.ENVIRONMENT, episode),
            epsilon_at(learner.epsilon, spent, budget.amount),
            epsilon_at(learner.skip_epsilon, spent, budget.amount),
            budget.amount - step if budget.counts_steps else budget.step_limit,
            exploration,
        )
        episode += 1
        row = empty_evaluations(int(evaluate_every > 0 and episode % evaluate_every == 0))
        for column in range(len(row.episode)):
            evaluation_seed = episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, episode)
            row.episode[column], row.step[column] = episode, step
            row.returns[column], row.lengths[column], row.decisions[column] = play_episode(
                evaluated, evaluation_environment, evaluation_seed
            )
        yield episode, step, row
    evaluation_environment.close()


def train_episode(
    policy: TabularPolicy,
    environment: gym.Env[Any, Any],
    scratch: Episode,
    seed: int,
    epsilon: float,
    skip_epsilon: float,
    most_steps: int,
    exploration: Stream,
) -> int:
    """Play and learn one episode; returns its number of steps."""
    learner, tables = policy.learner, policy.tables
    ties, longest = learner.training_skip_ties, int(learner.skips[-1])
    observation, _ = environment.reset(seed=seed)
    state = policy.observations.index(observation)
    time = run = remaining = 0
    action, over = -1, False
    while not over and time < most_steps:
        continues = True
        if remaining == 0:
            previous = action
            action, remaining = decide(
                learner, tables, state, epsilon, skip_epsilon, ties, exploration
            )
            continues = learner.spans_decisions and action == previous
        observation, reward, terminated, truncated, _ = environment.step(
            policy.actions.element(action)
        )
        over = terminated or truncated
        scratch.states[time], scratch.rewards[time] = state, reward
        time, remaining = time + 1, remaining - 1
        run = run_length(run, continues, longest)
        state = policy.observations.index(observation)
        learn(learner, tables, scratch, time, run, action, remaining, state, bool(terminated))
    return time
