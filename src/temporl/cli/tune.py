"""`temporl tune AGENT --env ENV`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import tyro

from temporl.cli.parsing import EnvOptions, key_values, parse
from temporl.edge.tuning import tune
from temporl.runs.workers import compiler_settings


@dataclass(frozen=True)
class Arguments:
    """Search for hyperparameters with a high return at the end of training."""

    agent: tyro.conf.Positional[str]
    """An agent's name; 'temporl list agents' lists them."""
    env: str
    """A Gymnasium id, 'module:id', or the path of a text file with a map."""
    env_options: EnvOptions = ()
    trials: int = 20
    """Number of configurations to try, including those of earlier calls."""
    episodes: int | None = None
    """Episodes of a trial: tabular agents only; default: 10,000."""
    steps: int | None = None
    """Environment steps of a trial; default of deep agents: 100,000."""
    step_limit: int | None = None
    """Steps after which an episode is truncated; required where the environment has no limit."""
    seeds: int = 1
    """Number of seeds over which a trial's return is averaged."""
    seed: int = 0
    """The first seed; also the seed of the search."""
    out: Path = Path("runs")
    """The results folder."""


def run(words: list[str]) -> int:
    """Search, and print the best configuration as a command."""
    arguments = parse(Arguments, words, "temporl tune")
    os.environ.update(compiler_settings())
    env_options = key_values(arguments.env_options, "env_options")
    best = tune(**vars(arguments) | {"env_options": env_options}, on_trial=_print_trial)
    shown = {
        name.replace("_", "-"): f"{value:.4g}" if isinstance(value, float) else value
        for name, value in best.options.items()
    }
    flags = " ".join(f"--{name} {value}" for name, value in shown.items())
    print(f"best of {best.trials} trials ({best.pruned} stopped early): return {best.score:.4g}")
    print(f"temporl train {arguments.agent} --env {arguments.env} {flags}")
    print(f"trials: {best.path}")
    return 0


def _print_trial(number: int, score: float | None) -> None:
    print(f"trial {number}: " + ("stopped early" if score is None else f"return {score:.4g}"))
