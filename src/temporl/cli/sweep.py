"""`temporl sweep FILE`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import tyro

from temporl.cli.machines import Machines
from temporl.cli.parsing import parse
from temporl.experiments.sweep_file import read_sweep, shard
from temporl.report.sweeps import write_sweep_table
from temporl.runs.plan import missing_runs
from temporl.runs.store import prepare_output
from temporl.wording import number_of


@dataclass(frozen=True)
class Arguments:
    """Run what is missing of a sweep: agents x environments x options x seeds."""

    file: tyro.conf.Positional[Path]
    """A TOML file: agents x environments x options x seeds."""
    shard: str | None = None
    """Run only part K of N disjoint ones, as in 1/4, for job arrays; default: all runs."""
    machines: Machines = field(default_factory=Machines)
    out: Path = Path("runs")
    """The results folder."""


def run(words: list[str]) -> int:
    """Run what is missing of a sweep, and print a row for every configuration."""
    arguments = parse(Arguments, words, "temporl sweep")
    arguments.machines.check()
    sweep = read_sweep(arguments.file)
    planned = shard(sweep.runs(arguments.out), arguments.shard)
    missing = missing_runs(planned)
    if arguments.machines.estimate:
        arguments.machines.print_estimate(missing, sweep.name)
        return 0
    prepare_output(arguments.out)
    failures = arguments.machines.complete(missing, sweep.name)
    print(write_sweep_table(sweep, arguments.out))
    made = number_of(len(missing) - len(failures), "run")
    print(f"{made} made, {len(failures)} failed, of {len(planned)}")
    return 1 if failures else 0
