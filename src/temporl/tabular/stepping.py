"""Training through ordinary Gymnasium steps, for environments without a transition table.

The same compiled `decide` and `learn` as in the compiled loop; only the loop is Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np

from temporl.evaluation import CountedSkips, Evaluations, empty_evaluations, play_episode
from temporl.randomness import Purpose, Stream, episode_seed
from temporl.schedules import epsilon_at
from temporl.skipping.connections import run_length
from temporl.tabular.learning import Episode, decide, learn
from temporl.tabular.policy import TabularPolicy
from temporl.tabular.run import Run

MakeEnvironment = Callable[[], gym.Env[Any, Any]]


def train_episodes_by_stepping(
    run: Run, environment: gym.Env[Any, Any], make: MakeEnvironment
) -> Iterator[Evaluations]:
    """Train episode by episode; each yields the evaluation after it."""
    evaluation_environment = make()
    policy, budget, seed = run.policy, run.budget, run.seed
    greedy = replace(policy, ties=run.streams.evaluation)
    scratch = Episode(np.empty(budget.step_limit, dtype=np.int64), np.empty(budget.step_limit))
    learner = policy.learner
    while (spent := run.spent) < budget.amount:
        run.step += train_episode(
            policy,
            environment,
            scratch,
            episode_seed(seed, Purpose.ENVIRONMENT, run.episode),
            epsilon_at(learner.epsilon, spent, budget.amount),
            epsilon_at(learner.skip_epsilon, spent, budget.amount),
            budget.amount - run.step if budget.counts_steps else budget.step_limit,
            run.streams.exploration,
        )
        run.episode += 1
        due = run.evaluate_every > 0 and run.episode % run.evaluate_every == 0
        row = empty_evaluations(int(due))
        for column in range(len(row.episode)):
            evaluation_seed = episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, run.episode)
            evaluated = CountedSkips(greedy, int(learner.skips[-1]))
            row.episode[column], row.step[column] = run.episode, run.step
            row.returns[column], row.lengths[column], row.decisions[column] = play_episode(
                evaluated, evaluation_environment, evaluation_seed
            )
            run.course.add(run.step, evaluated.chosen)
        yield row
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
