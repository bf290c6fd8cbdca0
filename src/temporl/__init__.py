"""temporl: reinforcement-learning agents that learn when to act.

Most users need `train`, `load` and `evaluate`. `skipping/` is the idea without networks or
environments, `agents/` has a file for each method; docs/architecture.md lists all parts.

Examples:
    >>> import temporl
    >>> run = temporl.train("t-q", "temporl/ZigZag-v0", episodes=500, out=results, progress=False)
    >>> policy = temporl.load(run.path)
    >>> action, skip = policy.decide(0)
    >>> temporl.evaluate(policy, "temporl/ZigZag-v0", episodes=1).summary()["return"]["mean"]
    1.0
"""

from typing import TYPE_CHECKING

from temporl.environments.registry import register_worlds
from temporl.lazy import lazy_names as _lazy_names
from temporl.version import __version__

if TYPE_CHECKING:
    from temporl.agents import AGENTS, Agent, make_agent
    from temporl.environments import EnvironmentSpec, GridMap, GridWorld
    from temporl.errors import BadInput, DamagedFile, RunFailed, TemporlError
    from temporl.evaluation import Evaluation, evaluate
    from temporl.runs.train import Run, load, train
    from temporl.skipping import Commitment, Connection, Decision, Policy, Step, connections
else:
    __getattr__ = _lazy_names(__name__, __file__)

register_worlds()

__all__ = [
    "AGENTS",
    "Agent",
    "BadInput",
    "Commitment",
    "Connection",
    "DamagedFile",
    "Decision",
    "EnvironmentSpec",
    "Evaluation",
    "GridMap",
    "GridWorld",
    "Policy",
    "Run",
    "RunFailed",
    "Step",
    "TemporlError",
    "__version__",
    "connections",
    "evaluate",
    "load",
    "make_agent",
    "register_worlds",
    "train",
]
