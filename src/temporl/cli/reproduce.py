"""`temporl reproduce EXPERIMENT...`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import tyro
from rich.console import Console
from rich.table import Table

from temporl.cli.machines import Machines
from temporl.cli.parsing import parse
from temporl.errors import BadInput, require_at_least
from temporl.experiments import Experiment, experiment_named
from temporl.experiments.sweep_file import MOST_RUNS
from temporl.report import Row, markdown_table, write_report
from temporl.report.tables import shows_intervals, text_table
from temporl.runs.plan import missing_runs
from temporl.runs.store import prepare_output
from temporl.wording import number_of


@dataclass(frozen=True)
class Arguments:
    """Run experiments of the paper; print our values beside the published ones."""

    experiments: tyro.conf.Positional[tuple[str, ...]]
    """Names of experiments; 'temporl list experiments' lists them."""
    seeds: int | None = None
    """Number of seeds of every cell; default: as many as the paper has."""
    steps: int | None = None
    """Environment steps to train for: deep agents only; default: as many as the paper has."""
    environments: tuple[str, ...] = ()
    """Only these environments, as in MountainCar; default: all."""
    agents: tuple[str, ...] = ()
    """Only these agents, as in dqn t-dqn; default: all."""
    max_skips: tuple[int, ...] = ()
    """Only cells with these longest skips, as in 4 10; default: all."""
    machines: Machines = field(default_factory=Machines)
    out: Path = Path("runs")
    """The results folder."""


def run(words: list[str]) -> int:
    """Run what is missing, write tables and figures, and print ours beside published."""
    arguments = parse(Arguments, words, "temporl reproduce")
    if not arguments.experiments:
        raise BadInput("experiment", "", "name at least one; see 'temporl list experiments'")
    experiments = [
        experiment_named(name).only(arguments.environments, arguments.agents, arguments.max_skips)
        for name in arguments.experiments
    ]
    if arguments.steps is not None:
        experiments = [experiment.lasting(arguments.steps) for experiment in experiments]
    require_at_least("seeds", arguments.seeds, 1, MOST_RUNS)
    arguments.machines.check()
    if arguments.machines.estimate:
        for experiment in experiments:
            runs = experiment.runs(arguments.out, arguments.seeds or experiment.seeds)
            arguments.machines.print_estimate(missing_runs(runs), experiment.name)
        return 0
    prepare_output(arguments.out)
    failed = 0
    for experiment in experiments:
        failed += _reproduce(experiment, arguments)
    return 1 if failed else 0


def _reproduce(experiment: Experiment, arguments: Arguments) -> int:
    seeds = arguments.seeds or experiment.seeds
    missing = missing_runs(experiment.runs(arguments.out, seeds))
    began = time.monotonic()
    failures = arguments.machines.complete(missing, experiment.name)
    folder = arguments.out / experiment.name
    if len(failures) < len(missing) or not missing:
        rows = write_report(experiment, arguments.out, seeds)
        _print_table(experiment, rows)
        seconds = time.monotonic() - began
        print(f"{number_of(len(missing), 'run')} and the report took {seconds:.1f} s")
        print(f"table and figures: {folder}")
    return len(failures)


def _print_table(experiment: Experiment, rows: list[Row]) -> None:
    """A drawn table on a terminal, Markdown elsewhere."""
    console = Console()
    text = markdown_table(experiment, rows)
    if not console.is_terminal:
        print(text)
        return
    table = Table(title=experiment.title)
    header, body = text_table(rows, intervals=shows_intervals(experiment))
    for name in header:
        table.add_column(name, justify="right")
    for line in body:
        table.add_row(*line)
    console.print(table)
    after_table = text.rpartition(" |\n")[2].strip()
    console.print(text.splitlines()[2], *filter(None, [after_table]), sep="\n", highlight=False)
