"""What a run is, as pure data: everything that decides its outcome but the seed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from temporl.agents import (
    Agent,
    agent_class,
    agent_from,
    agent_label,
    agent_name,
    agent_options,
)
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, require_at_least
from temporl.training.trainer import Driver, Task, Trainer, trainer_of
from temporl.types import Record

FORMAT = 1
"""The version of the results folder; a change of its meaning changes every run's identity."""

LONGEST_RUN = 2_000_000_000
"""The most steps or episodes: what the counters of compiled programs can hold."""
MOST_EVALUATIONS = 5_000_000
"""The most greedy episodes of a run, and the most rows that a reader accepts."""


@dataclass(frozen=True)
class RunConfig:
    """An agent, an environment, and for how long one learns in the other."""

    agent: Agent
    environment: EnvironmentSpec
    episodes: int | None = None
    steps: int | None = None
    evaluate_every: int = 1
    """Episodes of a tabular agent, or steps of a deep one, between two greedy evaluations."""
    driver: Driver | None = None
    """What steps the environment for a deep agent: compiled code, or Gymnasium."""
    evaluation_starts: int | None = None
    """Number of fixed start states; each evaluation plays one greedy episode from each, and there
    is one before training. Default: one episode from a new start each time."""

    def __post_init__(self) -> None:
        if (self.episodes is None) == (self.steps is None):
            raise BadInput(
                "episodes", self.episodes, "give a number of episodes or of steps, and not both"
            )
        require_at_least("episodes", self.episodes, 1, LONGEST_RUN)
        require_at_least("steps", self.steps, 1, LONGEST_RUN)
        if self.evaluate_every < 0:
            allowed = f"allowed: 0 (never) or a number of {self.trainer.unit}"
            raise BadInput("evaluate_every", self.evaluate_every, allowed)
        require_at_least("evaluation_starts", self.evaluation_starts, 1)
        if self.evaluation_starts is not None and not self.trainer.takes_starts:
            only = "deep agents only; leave it out"
            raise BadInput("evaluation_starts", self.evaluation_starts, only)
        if self.evaluations > MOST_EVALUATIONS:
            allowed = f"allowed: at most {MOST_EVALUATIONS:,} evaluations in a run"
            raise BadInput("evaluate_every", self.evaluate_every, allowed)
        if self.steps is None and not self.trainer.takes_episodes:
            raise BadInput("episodes", self.episodes, "this agent trains for a number of steps")

    @property
    def evaluations(self) -> int:
        """How many greedy episodes there are at most."""
        budget = self.steps or self.episodes or 0
        times = budget // self.evaluate_every if self.evaluate_every else 0
        return times if self.evaluation_starts is None else (times + 1) * self.evaluation_starts

    @property
    def trainer(self) -> Trainer[Agent]:
        """The trainer of the agent."""
        return trainer_of(self.agent)

    def task(self, seed: int, **more: Any) -> Task:
        """What the trainer is asked to do for one seed, and what else a `Task` holds."""
        given = {name: value for name, value in vars(self).items() if name != "agent"}
        return Task(seed=seed, **given, **more)

    @property
    def agent_name(self) -> str:
        """The name by which the agent is found."""
        return agent_name(self.agent)

    @property
    def agent_label(self) -> str:
        """The agent's name in tables and folders."""
        return agent_label(self.agent_name)

    def to_data(self) -> Record:
        """As pure data."""
        data = {
            "format": FORMAT,
            "agent": self.agent_name,
            "options": agent_options(self.agent),
            "environment": self.environment.to_data(),
            **{name: vars(self)[name] for name in BUDGET},
        }
        if self.evaluation_starts is not None:
            data["evaluation_starts"] = self.evaluation_starts
        return data

    @classmethod
    def from_data(cls, data: Record, *, trusted: bool = False) -> RunConfig:
        """Read back what `to_data` wrote; only if that is trusted, modules are imported for it."""
        return cls(
            agent=agent_from(agent_class(data["agent"], trusted=trusted), data["options"]),
            environment=EnvironmentSpec(**data["environment"]),
            **{name: data[name] for name in BUDGET},
            evaluation_starts=data.get("evaluation_starts"),
        )

    @property
    def digest(self) -> str:
        """A short name for this exact configuration."""
        return _sum(self.to_data())[:10]


BUDGET = ("episodes", "steps", "evaluate_every", "driver")
IDENTITY = ("format", "agent", "options", "environment", *BUDGET, "evaluation_starts", "seed")
"""What makes a run the run it is."""


def run_identity(record: Record) -> str:
    """The name of a run wherever it is copied to: the hash of its configuration and seed."""
    return _sum({name: record[name] for name in IDENTITY if name in record})


def _sum(data: Record) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
