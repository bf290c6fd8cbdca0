"""Training with tables: compiled where the environment has a transition table, else stepped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

import numpy as np

from temporl.environments.catalogue import EnvironmentSpec, step_limit_of
from temporl.environments.spaces import enumerate_space
from temporl.environments.transitions import TransitionTable, transition_table
from temporl.environments.types import Environment, Space
from temporl.errors import BadInput
from temporl.tabular.agents import QLearning
from temporl.tabular.learning import EpisodeBuffer
from temporl.tabular.play import Budget, train_episodes
from temporl.tabular.policy import TabularPolicy
from temporl.tabular.run import TabularRun
from temporl.tabular.stepping import train_episodes_by_stepping
from temporl.tabular.tables import empty_tables
from temporl.training.outcome import (
    Evaluations,
    ProgressReport,
    Trained,
    empty_evaluations,
)
from temporl.training.trainer import Driver, Task

CHUNK_EPISODES, CHUNK_STEPS = 5000, 5_000_000
"""How many episodes, or steps, are played between two reports of progress."""


class TableTrainer:
    """Trains agents with tables."""

    kind: ClassVar[str] = "tabular"
    unit: ClassVar[Literal["episodes", "steps"]] = "episodes"
    default_budget: ClassVar[int] = 10_000
    default_evaluations: ClassVar[int | None] = None
    takes_episodes: ClassVar[bool] = True
    takes_starts: ClassVar[bool] = False
    needs_process: ClassVar[bool] = False

    def choose_driver(
        self,
        spec: EnvironmentSpec,  # noqa: ARG002
        wanted: Driver | None,
    ) -> Driver | None:
        """None: whether it is compiled follows from the environment itself."""
        if wanted is not None:
            raise BadInput("driver", wanted, "tabular agents need none; leave it out")
        return None

    def threads(self, observations: Space, driver: Driver | None) -> int:  # noqa: ARG002
        """Always one."""
        return 1

    def is_compiled(self, environment: Environment) -> bool:
        """Whether the environment has a transition table."""
        return transition_table(environment) is not None

    def untrained(
        self,
        agent: QLearning,
        observations: Space,
        actions: Space,
        name: str,
        random: np.random.Generator,  # noqa: ARG002
    ) -> TabularPolicy:
        """A policy with tables full of zeros."""
        rows = enumerate_space(observations, "observation space", name)
        columns = enumerate_space(actions, "action space", name)
        tables = empty_tables(agent.settings(), rows.size, columns.size)
        return TabularPolicy(agent, tables, rows, columns)

    def train(self, agent: QLearning, task: Task, *, prefer_stepping: bool = False) -> Trained:
        """Train one seed for a number of episodes or of steps, with greedy evaluations."""
        environment = task.training_environment()
        run = begin_run(agent, environment, task)
        run.restore(task.checkpointer.saved)
        amount = run.budget.amount
        table = None if prefer_stepping else transition_table(environment)
        for chunk in (
            train_compiled(run, table)
            if table is not None
            else train_episodes_by_stepping(run, environment, task)
        ):
            run.add(chunk)
            if task.on_progress is not None:
                task.on_progress(ProgressReport(run.done / amount, run.step, _latest(chunk)))
            if run.done < amount:
                task.checkpointer.checkpoint(run.step, run.arrays)
        environment.close()
        return Trained(run.policy, run.evaluations(), run.episode, run.step, run.course.moments())


TRAINER = TableTrainer()


def begin_run(agent: QLearning, environment: Environment, task: Task) -> TabularRun:
    """A run before its first episode."""
    spaces = environment.observation_space, environment.action_space
    policy = TRAINER.untrained(agent, *spaces, task.name, np.random.Generator(np.random.PCG64(0)))
    amount = task.steps if task.steps is not None else task.episodes or 0
    budget = Budget(amount, task.steps is not None, step_limit_of(environment, task.name))
    return TabularRun(policy, budget, task.evaluate_every, task.seed)


def _latest(evaluations: Evaluations) -> dict[str, float]:
    if not len(evaluations.step):
        return {}
    _, _, total, length, decisions = (float(column[-1]) for column in evaluations)
    return {"return": total, "length": length, "decisions": decisions}


def train_compiled(
    run: TabularRun, table: TransitionTable, stops: Sequence[int] = ()
) -> Iterator[Evaluations]:
    """Train by chunks of episodes; each yields the evaluations in it.

    A chunk also ends after every number of episodes in `stops`, which changes nothing else.
    """
    policy, limit = run.policy, run.budget.step_limit
    scratch = EpisodeBuffer(np.empty(limit, dtype=np.int64), np.empty(limit))
    while run.done < run.budget.amount:
        room = empty_evaluations(CHUNK_EPISODES)
        until_stop = [stop - run.episode for stop in stops if stop > run.episode]
        run.episode, run.step, count = train_episodes(
            table,
            policy.settings,
            policy.tables,
            run.budget,
            run.episode,
            run.step,
            min([CHUNK_EPISODES, *until_stop]),
            CHUNK_STEPS,
            run.evaluate_every,
            run.streams,
            scratch,
            room,
        )
        run.course.add(run.step)
        yield Evaluations(*(column[:count] for column in room))
