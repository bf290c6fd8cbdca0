"""The loop on a transition table, compiled as a whole, and training with it."""

from __future__ import annotations

from typing import NamedTuple

from temporl.compilation import compiled
from temporl.environments.transitions import TransitionTable, draw_start, step
from temporl.randomness import Stream
from temporl.schedules import epsilon_at
from temporl.skipping.connections import run_length
from temporl.tabular.learning import EpisodeBuffer, decide, learn
from temporl.tabular.tables import Settings, Tables
from temporl.training.outcome import Evaluations


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
def play(
    table: TransitionTable,
    settings: Settings,
    tables: Tables,
    episode: EpisodeBuffer,
    learns: bool,
    epsilon: float,
    skip_epsilon: float,
    step_limit: int,
    stream: Stream,
    environment: Stream,
) -> tuple[float, int, int]:
    """Play one episode, and learn from every step in training: its return, steps and decisions.

    The loop, for tables: ask, step, count down. The twin of `temporl.skipping.play.play`.
    """
    state = draw_start(table, environment)
    skip_ties = settings.training_skip_ties if learns else settings.greedy_skip_ties
    terminated = False
    total = 0.0
    time = run = remaining = decisions = 0
    action = -1
    while not terminated and time < step_limit:
        continues = True
        if remaining == 0:
            previous = action
            action, remaining = decide(
                settings, tables, state, epsilon, skip_epsilon, skip_ties, stream
            )
            continues = settings.spans_decisions and action == previous
            decisions += 1
        next_state, reward, terminated = step(table, state, action, environment)
        time += 1
        remaining -= 1
        total += reward
        if learns:
            episode.states[time - 1] = state
            episode.rewards[time - 1] = reward
            run = run_length(run, continues, settings.skips[-1])
            learn(settings, tables, episode, time, run, action, remaining, next_state, terminated)
        state = next_state
    return total, time, decisions


@compiled
def train_episodes(
    table: TransitionTable,
    settings: Settings,
    tables: Tables,
    budget: Budget,
    first_episode: int,
    first_step: int,
    most_episodes: int,
    enough_steps: int,
    evaluate_every: int,
    streams: Streams,
    scratch: EpisodeBuffer,
    evaluations: Evaluations,
) -> tuple[int, int, int]:
    """Train for some episodes of a run, until there are enough steps, evaluating on the way.

    Returns the episodes and steps of the run so far, and the evaluations made here, as counts.
    """
    longest = budget.step_limit
    episode, steps, evaluated = first_episode, first_step, 0
    while episode < first_episode + most_episodes and steps < first_step + enough_steps:
        done = steps if budget.counts_steps else episode
        if done >= budget.amount:
            break
        epsilon = epsilon_at(settings.epsilon, done, budget.amount)
        skip_epsilon = epsilon_at(settings.skip_epsilon, done, budget.amount)
        most_steps = min(longest, budget.amount - steps) if budget.counts_steps else longest
        _, length, _ = play(
            table,
            settings,
            tables,
            scratch,
            True,
            epsilon,
            skip_epsilon,
            most_steps,
            streams.exploration,
            streams.environment,
        )
        steps += length
        episode += 1
        if evaluate_every > 0 and episode % evaluate_every == 0:
            total, length, decisions = play(
                table,
                settings,
                tables,
                scratch,
                False,
                0.0,
                0.0,
                longest,
                streams.evaluation,
                streams.evaluation_environment,
            )
            evaluations.episode[evaluated] = episode
            evaluations.step[evaluated] = steps
            evaluations.returns[evaluated] = total
            evaluations.lengths[evaluated] = length
            evaluations.decisions[evaluated] = decisions
            evaluated += 1
    return episode, steps, evaluated
