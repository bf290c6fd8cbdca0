"""`temporl train AGENT --env ENV ...`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, TypeVar

import numpy as np
import tyro

from temporl.agents import AGENTS, agent_class
from temporl.cli.parsing import key_values, parse
from temporl.environments import EnvironmentSpec, GridWorld
from temporl.errors import BadInput
from temporl.results.config import RunConfig
from temporl.training.train import DEFAULT_EPISODES, Run, train_config

A = TypeVar("A")


@dataclass(frozen=True)
class Arguments:
    """What every agent's training takes."""

    env: str
    """A Gymnasium id, 'module:id', or the path of a text file with a map."""
    env_options: Annotated[tuple[str, ...], tyro.conf.arg(metavar="KEY=VALUE ...")] = ()
    """What to make the environment with, as in slip=0.2."""
    episodes: int | None = None
    """Episodes to train for (10,000 unless episodes or steps are given)."""
    steps: int | None = None
    """Environment steps to train for, instead."""
    step_limit: int | None = None
    """Steps after which an episode is cut; required where the environment has no limit."""
    seeds: int = 1
    """How many seeds to train."""
    seed: int = 0
    """The first of them."""
    evaluate_every: int = 1
    """One greedy episode after every so many episodes; 0 for never."""
    workers: int | None = None
    """Processes to use; one for each core unless given."""
    out: Path = Path("runs")
    """The results folder."""


@dataclass(frozen=True)
class Command(Generic[A]):
    """The arguments of training, and the agent's own."""

    arguments: Arguments
    agent: A


def run(words: list[str]) -> int:
    """Train, and say where the result is and how good it is."""
    if not words or words[0] in ("-h", "--help"):
        print("usage: temporl train AGENT --env ENV ...\n")
        for name, kind in AGENTS.items():
            print(f"  {name:<6} {(kind.__doc__ or '').splitlines()[0]}")
        print("\n'temporl train AGENT --help' lists the options of each.")
        return 0
    name = words[0]
    if name.startswith("-"):
        raise BadInput("agent", name, "the agent comes first, as in 'temporl train t-q --env ...'")
    kind = agent_class(name)
    description = (kind.__doc__ or "").splitlines()[0]
    command = parse(Command[kind], words[1:], f"temporl train {name}", description)  # type: ignore[valid-type]
    arguments = command.arguments
    sys.path.insert(0, "")  # a module that registers an environment may lie in this folder
    options = key_values(arguments.env_options, "env_options")
    spec = EnvironmentSpec.given(arguments.env, options, arguments.step_limit)
    no_budget = arguments.episodes is None and arguments.steps is None
    config = RunConfig(
        command.agent,
        spec,
        DEFAULT_EPISODES if no_budget else arguments.episodes,
        arguments.steps,
        arguments.evaluate_every,
    )
    seeds = range(arguments.seed, arguments.seed + arguments.seeds)
    finished = train_config(config, seeds, arguments.out, arguments.workers)
    _print_summary(finished)
    return 0


def _print_summary(finished: Run) -> None:
    evaluations = [finished.evaluations(seed) for seed in finished.seeds]
    rows = [table.slice(len(table) - 1).to_pylist()[0] for table in evaluations if len(table)]
    if rows:
        columns = ("return", "length", "decisions")
        earned, steps, decisions = (np.mean([row[c] for row in rows]) for c in columns)
        print(
            f"last evaluation, mean of {len(rows)} seeds: return {earned:.3g},"
            f" {decisions:.1f} decisions in {steps:.1f} steps"
        )
    print(f"runs: {finished.path}")
    world = finished.config.environment.make().unwrapped
    if isinstance(world, GridWorld):
        from temporl.report.figures import policy_picture  # drawing takes long to import

        picture = finished.path / "policy.png"
        title = f"{finished.config.agent_name} on {finished.config.environment.label}"
        policy_picture(finished.policy(), world.map, picture, title)
        print(f"when it decides: {picture}")
