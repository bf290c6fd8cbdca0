"""Training a tabular agent: compiled where the environment has a transition table, else stepped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from temporl.environments.catalogue import step_limit_of
from temporl.environments.spaces import enumerate_space
from temporl.environments.transitions import TransitionTable, transition_table
from temporl.evaluation import Evaluations, OnProgress, Report, Trained, empty_evaluations
from temporl.randomness import Purpose, stream
from temporl.tabular.agents import QLearning
from temporl.tabular.compiled_training import (
    Budget,
    Streams,
    train_episodes,
)
from temporl.tabular.learner import empty_tables
from temporl.tabular.learning import Episode
from temporl.tabular.policy import TabularPolicy
from temporl.tabular.stepping import MakeEnvironment, train_episodes_by_stepping

CHUNK_EPISODES, CHUNK_STEPS = 5000, 5_000_000
"""How many episodes, or steps, are played between two reports of progress."""


def check_trainable(make: MakeEnvironment, name: str) -> None:
    """Raise if tables cannot learn in an environment, before anything is started."""
    environment = make()
    enumerate_space(environment.observation_space, "observation space", name)
    enumerate_space(environment.action_space, "action space", name)
    step_limit_of(environment, name)
    environment.close()


def train_tabular(
    agent: QLearning,
    make: MakeEnvironment,
    *,
    name: str,
    seed: int,
    episodes: int | None = None,
    steps: int | None = None,
    evaluate_every: int = 1,
    on_progress: OnProgress | None = None,
    prefer_stepping: bool = False,
) -> Trained:
    """Train one seed for a number of episodes or of steps, with greedy evaluations on the way."""
    environment = make()
    observations = enumerate_space(environment.observation_space, "observation space", name)
    actions = enumerate_space(environment.action_space, "action space", name)
    counts_steps = steps is not None
    amount = steps if steps is not None else episodes or 0
    budget = Budget(amount, counts_steps, step_limit_of(environment, name))
    tables = empty_tables(agent.learner(), observations.size, actions.size)
    policy = TabularPolicy(agent, tables, observations, actions)
    table = None if prefer_stepping else transition_table(environment)
    chunks = (
        train_compiled(policy, table, budget, evaluate_every, seed)
        if table is not None
        else train_episodes_by_stepping(policy, environment, make, budget, evaluate_every, seed)
    )
    parts: list[Evaluations] = []
    episode = step = 0
    for episode, step, evaluations in chunks:
        parts.append(evaluations)
        if on_progress is not None:
            fraction = (step if counts_steps else episode) / amount
            on_progress(Report(fraction, step, _latest(evaluations)))
    environment.close()
    columns = zip(*parts, strict=True) if parts else empty_evaluations(0)
    return Trained(
        policy=policy,
        evaluations=Evaluations(*(np.concatenate(column) for column in columns)),
        episodes=episode,
        steps=step,
    )


def _latest(evaluations: Evaluations) -> dict[str, float]:
    if not len(evaluations.step):
        return {}
    _, _, total, length, decisions = (float(column[-1]) for column in evaluations)
    return {"return": total, "length": length, "decisions": decisions}


def train_compiled(
    policy: TabularPolicy,
    table: TransitionTable,
    budget: Budget,
    evaluate_every: int,
    seed: int,
    pauses: Sequence[int] = (),
) -> Iterator[tuple[int, int, Evaluations]]:
    """Train by chunks of episodes; each yields the counts so far and the evaluations in it.

    A chunk also ends after every number of episodes in `pauses`, which changes nothing else.
    """
    streams = Streams(
        exploration=stream(seed, Purpose.EXPLORATION),
        environment=stream(seed, Purpose.ENVIRONMENT),
        evaluation=stream(seed, Purpose.EVALUATION),
        evaluation_environment=stream(seed, Purpose.EVALUATION_ENVIRONMENT),
    )
    scratch = Episode(np.empty(budget.step_limit, dtype=np.int64), np.empty(budget.step_limit))
    episode = step = 0
    while (step if budget.counts_steps else episode) < budget.amount:
        room = empty_evaluations(CHUNK_EPISODES)
        until_pause = [pause - episode for pause in pauses if pause > episode]
        episode, step, count = train_episodes(
            table,
            policy.learner,
            policy.tables,
            budget,
            episode,
            step,
            min([CHUNK_EPISODES, *until_pause]),
            CHUNK_STEPS,
            evaluate_every,
            streams,
            scratch,
            room,
        )
        yield episode, step, Evaluations(*(column[:count] for column in room))
