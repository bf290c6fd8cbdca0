"""Trainers: one interface to train agents with tables and with networks."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import ClassVar, Literal, Protocol, TypeVar

import numpy as np

from temporl.agents.agent import Agent
from temporl.environments.catalogue import EnvironmentSpec
from temporl.environments.types import Environment, Space
from temporl.training.checkpointer import Checkpointer, NoCheckpointer
from temporl.training.outcome import OnProgress, Trained, TrainedPolicy

Driver = Literal["device", "host"]
A = TypeVar("A", bound=Agent, contravariant=True)


@dataclass
class Task:
    """One seed of one configuration: where an agent learns, and for how long."""

    environment: EnvironmentSpec
    seed: int
    episodes: int | None = None
    steps: int | None = None
    evaluate_every: int = 1
    evaluation_starts: int | None = None
    driver: Driver | None = None
    on_progress: OnProgress | None = None
    checkpointer: Checkpointer = field(default_factory=NoCheckpointer)
    made: Environment | None = None
    """The environment to train in, if it has been made already."""

    @property
    def name(self) -> str:
        """The name of the environment, for messages."""
        return self.environment.name

    def training_environment(self) -> Environment:
        """The environment to train in: the one that was made already, or a new one."""
        made, self.made = self.made, None
        if made is not None:
            return made
        return self.environment.make(training=True)

    def evaluation_environment(self) -> Environment:
        """An environment of its own for greedy episodes."""
        return self.environment.make()


class Trainer(Protocol[A]):
    """What runs need of a trainer: settings, checks, training, and an untrained policy."""

    kind: ClassVar[str]
    """What a policy's file calls it."""
    unit: ClassVar[Literal["episodes", "steps"]]
    """What the number of evaluations is counted in, and what a run lasts for by default."""
    default_budget: ClassVar[int]
    default_evaluations: ClassVar[int | None]
    """How many evaluations a run has by default; None for one after every unit."""
    takes_episodes: ClassVar[bool]
    """Whether a run may last for a number of episodes."""
    takes_starts: ClassVar[bool]
    """Whether evaluations can have fixed starts."""
    needs_process: ClassVar[bool]
    """Whether it trains in a process that is set up for it."""

    def choose_driver(self, spec: EnvironmentSpec, wanted: Driver | None) -> Driver | None:
        """What steps the environment; raise `BadInput` if the given driver cannot."""
        ...

    def threads(self, observations: Space, driver: Driver | None) -> int:
        """How many threads a run has."""
        ...

    def is_compiled(self, environment: Environment) -> bool:
        """Whether training runs no code of the environment."""
        ...

    def train(self, agent: A, task: Task) -> Trained:
        """Train one seed."""
        ...

    def untrained(
        self, agent: A, observations: Space, actions: Space, name: str, random: np.random.Generator
    ) -> TrainedPolicy:
        """A policy as it is before training."""
        ...


def trainer_of(agent: Agent | type[Agent]) -> Trainer[Agent]:
    """The trainer that an agent names."""
    module, _, name = agent.trainer.partition(":")
    found: Trainer[Agent] = vars(import_module(module))[name]
    return found
