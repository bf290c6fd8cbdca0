"""The agents, one file for each method, and their names: a short one, or `module:Class`.

Start with `agent.py`, the protocol: all that the rest of the library asks of an agent. `dqn.py` is
the simplest agent with a network. `skips.py` puts a skip policy on top of any behaviour, and
`temporl.py` values skips as the paper does. Every other method has a file of its own that opens
with its pseudo-code.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import asdict, fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from temporl.agents.options import check_kinds
from temporl.errors import BadInput, unknown_name
from temporl.lazy import lazy_names

if TYPE_CHECKING:
    from temporl.agents.agent import Agent, Options
else:
    __getattr__ = lazy_names(__name__, __file__)

AGENTS: dict[str, str | type[Agent]] = {
    "q": "temporl.tabular.agents:QLearning",
    "t-q": "temporl.tabular.agents:TempoQLearning",
    "frugal-q": "temporl.tabular.agents:FrugalQLearning",
    "ez-q": "temporl.tabular.agents:ExtendedQLearning",
    "dqn": "temporl.agents.dqn:DQN",
    "t-dqn": "temporl.agents.temporl:TempoDQN",
    "frugal-dqn": "temporl.agents.frugal:FrugalDQN",
    "dar": "temporl.agents.dar:DAR",
    "ez-dqn": "temporl.agents.ez_greedy:ExtendedDQN",
    "ddpg": "temporl.agents.ddpg:DDPG",
    "t-ddpg": "temporl.agents.temporl:TempoDDPG",
    "frugal-ddpg": "temporl.agents.frugal:FrugalDDPG",
    "figar": "temporl.agents.figar:FiGAR",
    "td3": "temporl.agents.td3:TD3",
    "t-td3": "temporl.agents.temporl:TempoTD3",
    "sac": "temporl.agents.sac:SAC",
    "frugal-td3": "temporl.agents.frugal:FrugalTD3",
    "t-sac": "temporl.agents.temporl:TempoSAC",
    "frugal-sac": "temporl.agents.frugal:FrugalSAC",
}
"""Short names, and where each agent is; it is imported when it is needed, because JAX takes long to
import. Agents of other packages need no entry: their name is `module:Class`."""


def agent_class(name: str, *, trusted: bool = True) -> type[Agent]:
    """Look an agent up by its short name, or by `module:Class`.

    Unless the name is trusted, no module outside this package is imported for it.
    """
    place = AGENTS.get(name, name if ":" in name else None)
    if place is None:
        known = unknown_name("agent", name, AGENTS).allowed
        raise BadInput("agent", name, f"{known}, or module:Class of an agent of your own")
    if not isinstance(place, str):
        return place
    module, _, kind = place.partition(":")
    if not trusted and name not in AGENTS and module not in sys.modules:
        raise BadInput(
            "agent",
            name,
            "its module would be imported because a file names it; if the file is your own, or you"
            " trust it, add --trust (in Python: trust=True, or import the module first)",
        )
    try:
        found = vars(import_module(module)).get(kind)
    except ImportError as error:
        raise BadInput("agent", name, f"{module!r} cannot be imported: {error}") from error
    from temporl.agents.agent import Agent

    if not (isinstance(found, type) and Agent in found.__mro__):
        raise BadInput(
            "agent", name, f"{module!r} has no agent {kind!r}: a class that inherits from an agent"
        )
    return found


def agent_summary(name: str) -> str:
    """What an agent is, in one line: from its source, without importing it."""
    place = AGENTS.get(name, name)
    if not isinstance(place, str):
        return (place.__doc__ or "").splitlines()[0]
    module, _, kind = place.partition(":")
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    for node in ast.parse(Path(spec.origin).read_text()).body:
        if isinstance(node, ast.ClassDef) and node.name == kind:
            return (ast.get_docstring(node) or kind).splitlines()[0]
    return kind


def make_agent(name: str, **options: Any) -> Agent:
    """Make an agent from its name and its hyperparameters.

    Examples:
        >>> make_agent("t-q", max_skip=4).skip_lengths
        (1, 2, 3, 4)
        >>> make_agent("t-dqn", gamma=0.9).behaviour.gamma
        0.9
    """
    return agent_from(agent_class(name), options)


def agent_from(chosen: type[Agent], options: Options) -> Agent:
    """Make an agent of a class; options of its behaviour are among its own."""
    options = {key: tuple(x) if isinstance(x, list) else x for key, x in options.items()}
    own = {field.name for field in fields(chosen)}  # type: ignore[arg-type]
    below = _behaviour_class(chosen)
    inner = {field.name for field in fields(below)} if below is not None else set()  # type: ignore[arg-type]
    known = (own | inner) - {"behaviour"}
    for option, value in options.items():
        if option not in known:
            raise BadInput(option, value, unknown_name("option", option, known).allowed)
    for kind in filter(None, (chosen, below)):
        check_kinds(kind, options)
    if below is None:
        return chosen(**options)
    behaviour = below(**{name: value for name, value in options.items() if name in inner})
    mine = {name: value for name, value in options.items() if name in own}
    return chosen(**mine | {"behaviour": behaviour})


def _behaviour_class(kind: type[Agent]) -> type[Agent] | None:
    """The class of the behaviour below a skip policy; None for agents without one."""
    found = [field.default_factory for field in fields(kind) if field.name == "behaviour"]  # type: ignore[arg-type]
    return found[0] if found else None  # type: ignore[return-value]


def agent_name(agent: Agent) -> str:
    """The name that `make_agent` knows an agent by."""
    kind = type(agent)
    own = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, place in AGENTS.items() if place in (kind, own)), own)


def agent_label(name: str) -> str:
    """A name that is fit for a folder or a legend: that of the class where it is `module:Class`."""
    return name.rpartition(":")[2]


ADDED_OPTIONS = {
    "loss": "squared",
    "clip_gradient": None,
    "target_every": 1,
    "train_every": 1,
    "learning_starts": 0,
    "epsilon_steps": None,
    "decision_cost": 0.0,
}
"""Options that older runs do not have, with the values that stand for their absence. They are
saved only where they differ, because the name of a run's folder is a hash of what is saved."""


def _is_absent(agent: Agent, name: str, value: object) -> bool:
    """Whether an added option has the value of its absence, which is the agent's default, too."""
    defaults = {field.name: field.default for field in fields(agent)}  # type: ignore[arg-type]
    return bool(value == ADDED_OPTIONS[name] == defaults.get(name, value))


def agent_options(agent: Agent, *, every: bool = False) -> Options:
    """The hyperparameters of an agent as pure data, those of its behaviour among them."""
    options = asdict(agent)  # type: ignore[call-overload]
    options = options.pop("behaviour", {}) | options
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in options.items()
        if every or name not in ADDED_OPTIONS or not _is_absent(agent, name, value)
    }


__all__ = [
    "AGENTS",
    "Agent",
    "agent_class",
    "agent_from",
    "agent_label",
    "agent_name",
    "agent_options",
    "agent_summary",
    "make_agent",
]
