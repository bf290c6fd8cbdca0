"""Training and greedy episodes on a transition table, compiled as a whole."""

from __future__ import annotations

from typing import NamedTuple

from temporl.compilation import compiled
from temporl.environments.transitions import TransitionTable, draw_start, play
from temporl.evaluation import Evaluations
from temporl.randomness import Stream
from temporl.schedules import epsilon_at
from temporl.skipping.connections import run_length
from temporl.tabular.learner import Learner, Tables
from temporl.tabular.learning import Episode, decide, learn


class Budget(NamedTuple):
    """How long training lasts: a number of episodes, or of steps (then `counts_steps`)."""

    amount: int
    counts_steps: bool
    step_limit: int


class Streams(NamedTuple):
    """The random streams of a run; evaluation has its own, so that it cannot disturb training."""

    exploration: Stream
    environment: Stream
    evaluation: Stream
    evaluation_environment: Stream


@compiled
def train_episode(
    table: TransitionTable,
    learner: Learner,
    tables: Tables,
    episode: Episode,
    epsilon: float,
    skip_epsilon: float,
    most_steps: int,
    exploration: Stream,
    environment: Stream,
) -> int:
    """Play and learn one episode; returns its number of steps."""
    state = draw_start(table, environment)
    terminated = False
    time = run = remaining = 0
    action = -1
    while not terminated and time < most_steps:
        continues = True
        if remaining == 0:
            previous = action
            action, remaining = decide(
                learner,
                tables,
                state,
                epsilon,
                skip_epsilon,
                learner.training_skip_ties,
                exploration,
            )
            continues = learner.spans_decisions and action == previous
        next_state, reward, terminated = play(table, state, action, environment)
        episode.states[time] = state
        episode.rewards[time] = reward
        time += 1
        remaining -= 1
        run = run_length(run, continues, learner.skips[-1])
        learn(learner, tables, episode, time, run, action, remaining, next_state, terminated)
        state = next_state
    return time


@compiled
def greedy_episode(
    table: TransitionTable,
    learner: Learner,
    tables: Tables,
    step_limit: int,
    stream: Stream,
    environment: Stream,
) -> tuple[float, int, int]:
    """Play one episode without exploring: its return, steps and decisions."""
    state = draw_start(table, environment)
    terminated = False
    total = 0.0
    time = decisions = remaining = action = 0
    while not terminated and time < step_limit:
        if remaining == 0:
            action, remaining = decide(
                learner, tables, state, 0.0, 0.0, learner.greedy_skip_ties, stream
            )
            decisions += 1
        state, reward, terminated = play(table, state, action, environment)
        total += reward
        time += 1
        remaining -= 1
    return total, time, decisions


@compiled
def train_episodes(
    table: TransitionTable,
    learner: Learner,
    tables: Tables,
    budget: Budget,
    first_episode: int,
    first_step: int,
    most_episodes: int,
    enough_steps: int,
    evaluate_every: int,
    streams: Streams,
    scratch: Episode,
    evaluations: Evaluations,
) -> tuple[int, int, int]:
    """Train for some episodes of a run, until there are enough steps, evaluating on the way.

    Returns the numbers of episodes and steps of the run so far, and of evaluations made here.
    """
    longest = budget.step_limit
    episode, step, evaluated = first_episode, first_step, 0
    while episode < first_episode + most_episodes and step < first_step + enough_steps:
        spent = step if budget.counts_steps else episode
        if spent >= budget.amount:
            break
        epsilon = epsilon_at(learner.epsilon, spent, budget.amount)
        skip_epsilon = epsilon_at(learner.skip_epsilon, spent, budget.amount)
        most_steps = min(longest, budget.amount - step) if budget.counts_steps else longest
        step += train_episode(
            table,
            learner,
            tables,
            scratch,
            epsilon,
            skip_epsilon,
            most_steps,
            streams.exploration,
            streams.environment,
        )
        episode += 1
        if evaluate_every > 0 and episode % evaluate_every == 0:
            total, length, decisions = greedy_episode(
                table,
                learner,
                tables,
                longest,
                streams.evaluation,
                streams.evaluation_environment,
            )
            evaluations.episode[evaluated] = episode
            evaluations.step[evaluated] = step
            evaluations.returns[evaluated] = total
            evaluations.lengths[evaluated] = length
            evaluations.decisions[evaluated] = decisions
            evaluated += 1
    return episode, step, evaluated
