"""Deciding and learning with tables: the inside of the paper's algorithm 1.

    s <- start
    repeat until the episode ends:
        a <- epsilon-greedy in Q(s, .)                                        decide
        j <- epsilon-greedy in Q(s, . | a)                                    decide
        repeat j times, or until the episode ends:
            play a: r, s'
            Q(s, a)     <- Q(s, a)     + alpha (r + gamma max Q(s', .) - Q(s, a))        learn
            for every connection (start, j', r', discount) that ends in s':
                Q(start, j' | a) <- Q(start, j' | a)
                                + alpha (r' + discount max Q(s', .) - Q(start, j' | a))  learn
            s <- s'

The paper collects the connections of a skip and learns them at its end; here each is learned as
soon as it is complete, which lets connections span decisions with the same action.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from temporl.compilation import compiled
from temporl.randomness import Stream, uniform
from temporl.skipping.connections import skips_taught
from temporl.skipping.targets import extend, target
from temporl.tabular.holding import hold, learn_costs
from temporl.tabular.tables import Duration, Settings, Tables, Ties


class EpisodeBuffer(NamedTuple):
    """The states and rewards of the episode so far; one is reused for all episodes of a run."""

    states: Int[np.ndarray, " step"]
    rewards: Float[np.ndarray, " step"]


@compiled
def best_value(values: Float[np.ndarray, "row choice"], row: int) -> float:
    """The largest value in a row."""
    best = values[row, 0]
    for choice in range(1, values.shape[1]):
        if values[row, choice] > best:
            best = values[row, choice]
    return float(best)


@compiled
def greedy(
    values: Float[np.ndarray, "row choice"],
    row: int,
    ties: int,
    tolerance: float,
    stream: Stream,
) -> int:
    """The best choice of a row; a random number is used only to break a tie at random."""
    threshold = best_value(values, row) - tolerance
    tied = last = 0
    for choice in range(values.shape[1]):
        if values[row, choice] >= threshold:
            tied += 1
            last = choice
    if tied == 1 or ties == Ties.LAST:
        return last
    rank = int(uniform(stream) * tied) if ties == Ties.RANDOM else 0
    choice = 0
    while rank > 0 or values[row, choice] < threshold:
        rank -= values[row, choice] >= threshold
        choice += 1
    return choice


@compiled
def epsilon_greedy(
    values: Float[np.ndarray, "row choice"],
    row: int,
    epsilon: float,
    ties: int,
    tolerance: float,
    stream: Stream,
) -> tuple[int, bool]:
    """A choice, and whether it explores.

    One random number decides both whether to explore and what to choose: where it falls below
    epsilon, it is uniform below epsilon. Without exploration none is used.
    """
    if epsilon > 0.0:
        draw = uniform(stream)
        if draw < epsilon:
            return int(draw / epsilon * values.shape[1]), True
    return greedy(values, row, ties, tolerance, stream), False


@compiled
def decide(
    settings: Settings,
    tables: Tables,
    state: int,
    epsilon: float,
    skip_epsilon: float,
    skip_ties: int,
    stream: Stream,
) -> tuple[int, int]:
    """An action and for how many steps to play it; greedy where both epsilons are 0."""
    action, explores = epsilon_greedy(
        tables.action_values, state, epsilon, settings.action_ties, 0.0, stream
    )
    if settings.duration == Duration.LEARNED:
        row = state * tables.action_values.shape[1] + action
        index, _ = epsilon_greedy(
            tables.skip_values, row, skip_epsilon, skip_ties, settings.tie_tolerance, stream
        )
        return action, settings.skips[index]
    if settings.duration == Duration.HELD:
        if skip_epsilon > 0.0 and settings.decision_cost > 0.0:
            draw = uniform(stream)
            if draw < skip_epsilon:
                return action, settings.skips[int(draw / skip_epsilon * len(settings.skips))]
        row = state * tables.action_values.shape[1] + action
        return action, hold(settings, tables, row, skip_ties, stream)
    if settings.duration == Duration.ZETA and explores:
        repeats = 1 + np.searchsorted(settings.repeat_cumulative, uniform(stream))
        return action, int(repeats)
    return action, 1


@compiled
def learn(
    settings: Settings,
    tables: Tables,
    episode: EpisodeBuffer,
    time: int,
    run: int,
    action: int,
    remaining: int,
    next_state: int,
    terminated: bool,
) -> None:
    """Learn from the step just played, the last of `time`, and from all connections it completes.

    `run` is how many steps back the connections may start, `remaining` for how many more steps the
    agent is committed to the action.
    """
    alive = 0.0 if terminated else 1.0
    value = best_value(tables.action_values, next_state)

    state = episode.states[time - 1]
    if settings.duration == Duration.HELD:
        actions = tables.action_values.shape[1]
        learn_costs(
            settings,
            tables,
            state * actions + action,
            next_state * actions + action,
            episode.rewards[time - 1],
            value,
            value - tables.action_values[next_state, action],
            settings.gamma * alive,
        )
    earned = episode.rewards[time - 1]
    goal = target(earned - settings.paid, settings.gamma * alive, value)
    tables.action_values[state, action] += settings.alpha * (
        goal - tables.action_values[state, action]
    )
    if settings.duration != Duration.LEARNED:
        return

    padding = settings.skips[-1] if settings.pads_all else remaining
    # A connection pays for one decision. Spread over its end and the steps before that, the price
    # costs nothing in the loop: paid = (1 - gamma) paid + gamma paid.
    episode.rewards[time - 1] = earned - (1.0 - settings.gamma) * settings.paid
    # Unsigned indices, as in `play`: they save a third of the time of this loop.
    reward, discount = -settings.paid, alive
    for distance in range(1, run + 1):
        start = np.uint64(time - distance)
        reward, discount = extend(episode.rewards[start], settings.gamma, reward, discount)
        row = np.uint64(episode.states[start] * tables.action_values.shape[1] + action)
        goal = target(reward, discount, value)
        first, stop = skips_taught(settings.first_at_least, distance, terminated, padding)
        for index in range(np.uint64(first), np.uint64(stop)):
            tables.skip_values[row, index] += settings.alpha * (
                goal - tables.skip_values[row, index]
            )
