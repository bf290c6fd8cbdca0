"""`temporl tune AGENT --env ENV`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from temporl.cli.parsing import key_values, parse
from temporl.edge.tuning import tune
from temporl.runs.workers import compiler_settings


@dataclass(frozen=True)
class Arguments:
    """What to tune, and for how long."""

    agent: tyro.conf.Positional[str]
    """An agent's name; 'temporl list agents' lists them."""
    env: str
    """A Gymnasium id, 'module:id', or the path of a text file with a map."""
    env_options: Annotated[tuple[str, ...], tyro.conf.arg(metavar="KEY=VALUE ...")] = ()
    """Keyword arguments of the environment, as in slip=0.2."""
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
    description = "Search for hyperparameters with a high return at the end of training."
    arguments = parse(Arguments, words, "temporl tune", description)
    os.environ.update(compiler_settings())
    best = tune(
        arguments.agent,
        arguments.env,
        trials=arguments.trials,
        episodes=arguments.episodes,
        steps=arguments.steps,
        seeds=arguments.seeds,
        seed=arguments.seed,
        env_options=key_values(arguments.env_options, "env_options"),
        step_limit=arguments.step_limit,
        out=arguments.out,
        on_trial=_print_trial,
    )
    flags = " ".join(
        f"--{name.replace('_', '-')} {value:.4g}"
        if isinstance(value, float)
        else f"--{name.replace('_', '-')} {value}"
        for name, value in best.options.items()
    )
    print(f"best of {best.trials} trials ({best.pruned} stopped early): return {best.score:.4g}")
    print(f"temporl train {arguments.agent} --env {arguments.env} {flags}")
    print(f"trials: {best.path}")
    return 0


def _print_trial(number: int, score: float | None) -> None:
    print(f"trial {number}: " + ("stopped early" if score is None else f"return {score:.4g}"))
