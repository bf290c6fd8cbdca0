"""Training a tabular agent: compiled where the environment has a transition table, else stepped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from temporl.environments.catalogue import step_limit_of
from temporl.environments.spaces import enumerate_space
from temporl.environments.transitions import TransitionTable, transition_table
from temporl.evaluation import Evaluations, OnProgress, Report, Trained, empty_evaluations
from temporl.pausing import Breaks
from temporl.tabular.agents import QLearning
from temporl.tabular.compiled_training import Budget, train_episodes
from temporl.tabular.learner import empty_tables
from temporl.tabular.learning import Episode
from temporl.tabular.policy import TabularPolicy
from temporl.tabular.run import Run
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
    breaks: Breaks | None = None,
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
    run = Run(policy, budget, evaluate_every, seed)
    run.restore(breaks.saved if breaks is not None else None)
    for chunk in (
        train_compiled(run, table)
        if table is not None
        else train_episodes_by_stepping(run, environment, make)
    ):
        run.add(chunk)
        if on_progress is not None:
            on_progress(Report(run.spent / amount, run.step, _latest(chunk)))
        if breaks is not None and run.spent < amount:
            breaks.pause(run.step, run.arrays)
    environment.close()
    return Trained(policy, run.evaluations(), run.episode, run.step, run.course.moments())


def _latest(evaluations: Evaluations) -> dict[str, float]:
    if not len(evaluations.step):
        return {}
    _, _, total, length, decisions = (float(column[-1]) for column in evaluations)
    return {"return": total, "length": length, "decisions": decisions}


def train_compiled(
    run: Run, table: TransitionTable, pauses: Sequence[int] = ()
) -> Iterator[Evaluations]:
    """Train by chunks of episodes; each yields the evaluations in it.

    A chunk also ends after every number of episodes in `pauses`, which changes nothing else.
    """
    policy, limit = run.policy, run.budget.step_limit
    scratch = Episode(np.empty(limit, dtype=np.int64), np.empty(limit))
    while run.spent < run.budget.amount:
        room = empty_evaluations(CHUNK_EPISODES)
        until_pause = [pause - run.episode for pause in pauses if pause > run.episode]
        run.episode, run.step, count = train_episodes(
            table,
            policy.learner,
            policy.tables,
            run.budget,
            run.episode,
            run.step,
            min([CHUNK_EPISODES, *until_pause]),
            CHUNK_STEPS,
            run.evaluate_every,
            run.streams,
            scratch,
            room,
        )
        run.course.add(run.step)
        yield Evaluations(*(column[:count] for column in room))
