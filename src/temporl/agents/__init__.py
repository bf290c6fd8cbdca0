"""The agents by name. A new agent is one file and one line in this table."""

from __future__ import annotations

from dataclasses import asdict, fields
from importlib import import_module
from typing import Any

from temporl.agents.options import check_kinds
from temporl.errors import BadInput, unknown_name

AGENTS: dict[str, str | type[Any]] = {
    "q": "temporl.tabular.agents:QLearning",
    "t-q": "temporl.tabular.agents:TempoQLearning",
    "ez-q": "temporl.tabular.agents:ExtendedQLearning",
    "dqn": "temporl.agents.dqn:DQN",
    "t-dqn": "temporl.agents.temporl:TempoDQN",
    "dar": "temporl.agents.dar:DAR",
    "ez-dqn": "temporl.agents.ez_greedy:ExtendedDQN",
    "ddpg": "temporl.agents.ddpg:DDPG",
    "t-ddpg": "temporl.agents.temporl:TempoDDPG",
    "figar": "temporl.agents.figar:FiGAR",
    "td3": "temporl.agents.td3:TD3",
    "t-td3": "temporl.agents.temporl:TempoTD3",
    "sac": "temporl.agents.sac:SAC",
    "t-sac": "temporl.agents.temporl:TempoSAC",
}
"""Where each agent is; it is imported when it is wanted, because deep ones take long to import.
A class instead of its place will do as well."""


def agent_class(name: str) -> type[Any]:
    """Look an agent up by its name."""
    if name not in AGENTS:
        raise unknown_name("agent", name, AGENTS)
    place = AGENTS[name]
    if isinstance(place, type):
        return place
    module, _, kind = place.partition(":")
    found: type[Any] = getattr(import_module(module), kind)
    return found


def agent_summary(name: str) -> str:
    """What an agent is, in one line."""
    return (agent_class(name).__doc__ or "").splitlines()[0]


def make_agent(name: str, **options: Any) -> Any:
    """Make an agent from its name and its hyperparameters.

    Examples:
        >>> make_agent("t-q", max_skip=4).skip_lengths
        (1, 2, 3, 4)
        >>> make_agent("t-dqn", gamma=0.9).behaviour.gamma
        0.9
    """
    chosen = agent_class(name)
    options = {key: tuple(x) if isinstance(x, list) else x for key, x in options.items()}
    own = {field.name for field in fields(chosen)}
    below = _behaviour_class(chosen)
    inner = {field.name for field in fields(below)} if below is not None else set()
    known = (own | inner) - {"behaviour"}
    for option, value in options.items():
        if option not in known:
            raise BadInput(option, value, unknown_name("option", option, known).allowed)
    for kind in filter(None, (chosen, below)):
        check_kinds(kind, options)
    if below is None:
        return chosen(**options)
    behaviour = below(**{name: value for name, value in options.items() if name in inner})
    return chosen(behaviour, **{name: value for name, value in options.items() if name in own})


def _behaviour_class(kind: type[Any]) -> type[Any] | None:
    """The class of the behaviour that an agent is put on top of, if it is."""
    found = [field.default_factory for field in fields(kind) if field.name == "behaviour"]
    return found[0] if found else None  # type: ignore[return-value]


def agent_name(agent: Any) -> str:
    """The name under which an agent is known."""
    kind = type(agent)
    places = (kind, f"{kind.__module__}:{kind.__qualname__}")
    return next(name for name, place in AGENTS.items() if place in places)


LATER = {
    "loss": "squared",
    "clip_gradient": None,
    "target_every": 1,
    "train_every": 1,
    "learning_starts": 0,
    "epsilon_steps": None,
}
"""Options that are written down only if they are not as they were before there was a choice: the
folders of runs are named after what is written down."""


def agent_options(agent: Any, *, every: bool = False) -> dict[str, Any]:
    """The hyperparameters of an agent as pure data, those of its behaviour among them."""
    options = asdict(agent)
    options = options.pop("behaviour", {}) | options
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in options.items()
        if every or name not in LATER or value != LATER[name]
    }


__all__ = ["AGENTS", "agent_class", "agent_name", "agent_options", "agent_summary", "make_agent"]
