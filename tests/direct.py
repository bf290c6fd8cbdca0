"""Training in this process, without runs and folders."""

from __future__ import annotations

from typing import Any

from temporl.agents.agent import Agent
from temporl.environments.catalogue import EnvironmentSpec, FunctionSpec
from temporl.environments.types import MakeEnvironment
from temporl.tabular.training import TRAINER as TABLES
from temporl.training.outcome import Trained
from temporl.training.trainer import Task, trainer_of


def train_tabular(
    agent: Any, make: Any, *, name: str, prefer_stepping: bool = False, **task: Any
) -> Trained:
    """Train a tabular agent where a function makes the environment."""
    spec = FunctionSpec(name, function=make)
    return TABLES.train(agent, Task(spec, **task), prefer_stepping=prefer_stepping)


def train_deep(
    agent: Agent, spec: EnvironmentSpec, make: MakeEnvironment | None = None, **task: Any
) -> Trained:
    """Train a deep agent."""
    if make is not None:
        spec = FunctionSpec(spec.name, spec.options, spec.step_limit, function=make)
    return trainer_of(agent).train(agent, Task(spec, **task))
