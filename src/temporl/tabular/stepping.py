"""Training through ordinary Gymnasium steps, for environments without a transition table.

The same compiled `decide` and `learn` as in the compiled loop; only the loop is Python's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from temporl.environments.types import Environment
from temporl.evaluation import play_episode
from temporl.randomness import Purpose, Stream, episode_seed
from temporl.schedules import epsilon_at
from temporl.skipping import Decision, play
from temporl.skipping.connections import run_length
from temporl.tabular.learning import EpisodeBuffer, decide, learn
from temporl.tabular.policy import TabularPolicy
from temporl.tabular.run import TabularRun
from temporl.training.outcome import Evaluations, empty_evaluations
from temporl.training.trainer import Task
from temporl.types import Element


def train_episodes_by_stepping(
    run: TabularRun, environment: Environment, task: Task
) -> Iterator[Evaluations]:
    """Train episode by episode; each yields the evaluation after it."""
    evaluation_environment = task.evaluation_environment() if run.evaluate_every else None
    policy, budget, seed = run.policy, run.budget, run.seed
    greedy = replace(policy, ties=run.streams.evaluation)
    scratch = EpisodeBuffer(
        np.empty(budget.step_limit, dtype=np.int64), np.empty(budget.step_limit)
    )
    settings = policy.settings
    while (done := run.done) < budget.amount:
        exploring = ExploringPolicy(
            policy,
            epsilon_at(settings.epsilon, done, budget.amount),
            epsilon_at(settings.skip_epsilon, done, budget.amount),
            run.streams.exploration,
        )
        run.step += train_episode(
            exploring,
            environment,
            scratch,
            episode_seed(seed, Purpose.ENVIRONMENT, run.episode),
            budget.amount - run.step if budget.counts_steps else budget.step_limit,
        )
        run.episode += 1
        due = evaluation_environment is not None and run.episode % run.evaluate_every == 0
        row = empty_evaluations(int(due))
        if evaluation_environment is not None and due:
            start = episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, run.episode)
            chosen = np.zeros(int(settings.skips[-1]), dtype=np.int64)
            row.episode[0], row.step[0] = run.episode, run.step
            row.returns[0], row.lengths[0], row.decisions[0] = play_episode(
                greedy, evaluation_environment, start, chosen=chosen
            )
            run.course.add(run.step, chosen)
        yield row
    if evaluation_environment is not None:
        evaluation_environment.close()


@dataclass(frozen=True)
class ExploringPolicy:
    """A policy in training."""

    policy: TabularPolicy
    epsilon: float
    skip_epsilon: float
    stream: Stream

    def decide(self, observation: Element) -> Decision:
        """An action and a skip, with exploration."""
        policy, settings = self.policy, self.policy.settings
        state = policy.observations.index(observation)
        ties = settings.training_skip_ties
        action, skip = decide(
            settings, policy.tables, state, self.epsilon, self.skip_epsilon, ties, self.stream
        )
        return Decision(policy.actions.element(action), skip)


def train_episode(
    exploring: ExploringPolicy,
    environment: Environment,
    scratch: EpisodeBuffer,
    seed: int,
    step_limit: int,
) -> int:
    """Play and learn one episode; returns its number of steps."""
    policy, settings = exploring.policy, exploring.policy.settings
    longest = int(settings.skips[-1])
    observation, _ = environment.reset(seed=seed)
    time = run = 0
    action = -1
    for step in play(exploring, environment, observation, step_limit=step_limit):
        previous, action = action, policy.actions.index(step.action)
        continues = not step.decided or (settings.spans_decisions and action == previous)
        scratch.states[time] = policy.observations.index(step.observation)
        scratch.rewards[time] = step.reward
        time += 1
        run = run_length(run, continues, longest)
        learn(
            settings,
            policy.tables,
            scratch,
            time,
            run,
            action,
            step.remaining,
            policy.observations.index(step.next_observation),
            step.terminated,
        )
    return time
