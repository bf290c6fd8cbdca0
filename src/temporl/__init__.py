"""temporl: reinforcement-learning agents that learn when to act.

Examples:
    >>> import temporl
    >>> run = temporl.train("t-q", "temporl/ZigZag-v0", episodes=500, out=results, progress=False)
    >>> policy = temporl.load(run.path)
    >>> action, skip = policy.decide(0)
    >>> temporl.evaluate(policy, "temporl/ZigZag-v0", episodes=1).summary()["return"]["mean"]
    1.0
"""

from temporl.agents import AGENTS, make_agent
from temporl.environments import EnvironmentSpec, GridMap, GridWorld, register_worlds
from temporl.errors import BadInput, DamagedFile, RunFailed, TemporlError
from temporl.evaluation import Evaluation, Policy, evaluate
from temporl.skipping import Commitment, Connection, Decision, Step, connections
from temporl.training import Run, load, train
from temporl.version import __version__

register_worlds()

__all__ = [
    "AGENTS",
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
