"""What a run is, as pure data: everything that decides its outcome but the seed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from temporl.agents import agent_name, agent_options, make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, require_at_least
from temporl.tabular.agents import QLearning

Driver = Literal["device", "host"]

FORMAT = 1
"""The version of the results folder; a change of its meaning changes every run's identity."""

LONGEST_RUN = 2_000_000_000
"""Steps or episodes: what the counters of compiled programs can count."""
MOST_EVALUATIONS = 5_000_000
"""Greedy episodes of a run: as many as a reader takes without being asked twice."""


@dataclass(frozen=True)
class RunConfig:
    """An agent, an environment, and for how long one learns in the other."""

    agent: Any
    environment: EnvironmentSpec
    episodes: int | None = None
    steps: int | None = None
    evaluate_every: int = 1
    """One greedy episode after so many episodes of a tabular agent, or steps of a deep one."""
    driver: Driver | None = None
    """Who steps the environment for a deep agent: compiled code, or Gymnasium."""
    evaluation_starts: int | None = None
    """A deep agent is evaluated from the same so many starts each time, before the first step too;
    unless given, in one episode from a new start."""

    def __post_init__(self) -> None:
        if (self.episodes is None) == (self.steps is None):
            raise BadInput(
                "episodes", self.episodes, "give a number of episodes or of steps, and not both"
            )
        for field, amount in (("episodes", self.episodes), ("steps", self.steps)):
            if amount is not None:
                require_at_least(field, amount, 1, LONGEST_RUN)
        if self.evaluate_every < 0:
            unit = "episodes" if self.is_tabular else "steps"
            raise BadInput(
                "evaluate_every", self.evaluate_every, f"allowed: 0 (never) or a number of {unit}"
            )
        if self.evaluation_starts is not None:
            require_at_least("evaluation_starts", self.evaluation_starts, 1)
            if self.is_tabular:
                raise BadInput(
                    "evaluation_starts", self.evaluation_starts, "deep agents only; leave it out"
                )
        if self.evaluations > MOST_EVALUATIONS:
            raise BadInput(
                "evaluate_every",
                self.evaluate_every,
                f"allowed: at most {MOST_EVALUATIONS:,} evaluations in a run",
            )
        if self.steps is None and not self.is_tabular:
            raise BadInput("episodes", self.episodes, "this agent trains for a number of steps")

    @property
    def evaluations(self) -> int:
        """How many greedy episodes there are at most."""
        budget = self.steps or self.episodes or 0
        times = budget // self.evaluate_every if self.evaluate_every else 0
        return times if self.evaluation_starts is None else (times + 1) * self.evaluation_starts

    @property
    def is_tabular(self) -> bool:
        """Whether the agent learns tables."""
        return isinstance(self.agent, QLearning)

    @property
    def agent_name(self) -> str:
        """The agent's name in tables and folders."""
        return agent_name(self.agent)

    def to_data(self) -> dict[str, Any]:
        """As pure data."""
        data = {
            "format": FORMAT,
            "agent": self.agent_name,
            "options": agent_options(self.agent),
            "environment": asdict(self.environment),
            "episodes": self.episodes,
            "steps": self.steps,
            "evaluate_every": self.evaluate_every,
            "driver": self.driver,
        }
        if self.evaluation_starts is not None:
            data["evaluation_starts"] = self.evaluation_starts
        return data

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> RunConfig:
        """Read back what `to_data` wrote."""
        return cls(
            agent=make_agent(data["agent"], **data["options"]),
            environment=EnvironmentSpec(**data["environment"]),
            episodes=data["episodes"],
            steps=data["steps"],
            evaluate_every=data["evaluate_every"],
            driver=data["driver"],
            evaluation_starts=data.get("evaluation_starts"),
        )

    @property
    def digest(self) -> str:
        """A short name for this exact configuration."""
        return _sum(self.to_data())[:10]


IDENTITY = (
    *("format", "agent", "options", "environment", "episodes", "steps"),
    *("evaluate_every", "evaluation_starts", "driver", "seed"),
)
"""What makes a run the run it is."""


def run_identity(record: dict[str, Any]) -> str:
    """What a run is called wherever it is copied to: the sum of its configuration and seed."""
    return _sum({name: record[name] for name in IDENTITY if name in record})


def _sum(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
