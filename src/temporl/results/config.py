"""What a run is, as pure data: everything that decides its outcome but the seed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from temporl.agents import agent_name, agent_options, make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, require_at_least
from temporl.tabular.agents import QLearning

FORMAT = 1
"""The version of the results folder; a change of its meaning changes every run's identity."""


@dataclass(frozen=True)
class RunConfig:
    """An agent, an environment, and for how long one learns in the other."""

    agent: QLearning
    environment: EnvironmentSpec
    episodes: int | None = None
    steps: int | None = None
    evaluate_every: int = 1

    def __post_init__(self) -> None:
        if (self.episodes is None) == (self.steps is None):
            raise BadInput(
                "episodes", self.episodes, "give a number of episodes or of steps, and not both"
            )
        for field, amount in (("episodes", self.episodes), ("steps", self.steps)):
            if amount is not None:
                require_at_least(field, amount, 1)
        if self.evaluate_every < 0:
            raise BadInput(
                "evaluate_every", self.evaluate_every, "allowed: 0 (never) or a number of episodes"
            )

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
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> RunConfig:
        """Read back what `to_data` wrote."""
        options = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in data["options"].items()
        }
        return cls(
            agent=make_agent(data["agent"], **options),
            environment=EnvironmentSpec(**data["environment"]),
            episodes=data["episodes"],
            steps=data["steps"],
            evaluate_every=data["evaluate_every"],
        )

    @property
    def digest(self) -> str:
        """A short name for this exact configuration."""
        canonical = json.dumps(self.to_data(), sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:10]
