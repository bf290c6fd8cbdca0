"""The agents by name. A new agent is one file and one line in this table."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from temporl.errors import BadInput, unknown_name
from temporl.tabular.agents import ExtendedQLearning, QLearning, TempoQLearning

AGENTS: dict[str, type[QLearning]] = {
    "q": QLearning,
    "t-q": TempoQLearning,
    "ez-q": ExtendedQLearning,
}


def agent_class(name: str) -> type[QLearning]:
    """Look an agent up by its name."""
    if name not in AGENTS:
        raise unknown_name("agent", name, AGENTS)
    return AGENTS[name]


def agent_summary(name: str) -> str:
    """What an agent is, in one line."""
    return (agent_class(name).__doc__ or "").splitlines()[0]


def make_agent(name: str, **options: Any) -> QLearning:
    """Make an agent from its name and its hyperparameters.

    Examples:
        >>> make_agent("t-q", max_skip=4).skip_lengths
        (1, 2, 3, 4)
    """
    chosen = agent_class(name)
    known = [field.name for field in fields(chosen)]
    for option, value in options.items():
        if option not in known:
            raise BadInput(option, value, unknown_name("option", option, known).allowed)
    return chosen(**options)


def agent_name(agent: QLearning) -> str:
    """The name under which an agent is known."""
    return next(name for name, kind in AGENTS.items() if kind is type(agent))


def agent_options(agent: QLearning) -> dict[str, Any]:
    """The hyperparameters of an agent as pure data."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(agent).items()
    }


__all__ = ["AGENTS", "agent_class", "agent_name", "agent_options", "agent_summary", "make_agent"]
