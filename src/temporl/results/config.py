"""What a run is, as pure data: everything that decides its outcome but the seed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from temporl.agents import agent_name, agent_options, make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, require_range
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

    def __post_init__(self) -> None:
        if (self.episodes is None) == (self.steps is None):
            raise BadInput(
                "episodes", self.episodes, "give a number of episodes or of steps, and not both"
            )
        for field, amount in (("episodes", self.episodes), ("steps", self.steps)):
            if amount is not None:
                require_range(field, amount, 1, LONGEST_RUN)
        if self.evaluate_every < 0:
            unit = "episodes" if self.is_tabular else "steps"
            raise BadInput(
                "evaluate_every", self.evaluate_every, f"allowed: 0 (never) or a number of {unit}"
            )
        most = self.steps or self.episodes or 0
        if self.evaluate_every and most // self.evaluate_every > MOST_EVALUATIONS:
            raise BadInput(
                "evaluate_every",
                self.evaluate_every,
                f"allowed: at most {MOST_EVALUATIONS:,} evaluations in a run",
            )
        if self.steps is None and not self.is_tabular:
            raise BadInput("episodes", self.episodes, "this agent trains for a number of steps")

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
        return {
            "format": FORMAT,
            "agent": self.agent_name,
            "options": agent_options(self.agent),
            "environment": asdict(self.environment),
            "episodes": self.episodes,
            "steps": self.steps,
            "evaluate_every": self.evaluate_every,
            "driver": self.driver,
        }

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
        )

    @property
    def digest(self) -> str:
        """A short name for this exact configuration."""
        return _sum(self.to_data())[:10]


IDENTITY = (
    *("format", "agent", "options", "environment", "episodes", "steps"),
    *("evaluate_every", "driver", "seed"),
)
"""What makes a run the run it is."""


def run_identity(record: dict[str, Any]) -> str:
    """What a run is called wherever it is copied to: the sum of its configuration and seed."""
    return _sum({name: record.get(name) for name in IDENTITY})


def _sum(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
