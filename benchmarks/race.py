"""A race between programs that train: who takes turns, what is measured, what is printed.

The contestants take turns, round by round, so that whatever else the machine does hits them all;
the first turn of each warms up and does not count. Numbers are medians, with the least and the most
in brackets.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from machine import print_machine
from temporl.runs.workers import compiler_settings, default_workers

CORES = default_workers()
PEERS = {"torch": "torch", "stable_baselines3": "stable-baselines3", "sbx": "sbx-rl"}
"""What the peers import, and what that is called where packages are found."""


@dataclass(frozen=True)
class Contestant:
    """A line of the table."""

    name: str
    role: Literal["ours", "baseline", "peer", "floor"]
    """Ratios are those to the fastest baseline, and to the fastest floor of the same name."""
    commands: Sequence[Sequence[str]]
    """What `contestants.py` is given, for each process."""
    steps: int
    """For each seed and round, unless it has a pace of its own."""
    updates: float = 1
    """After every step."""
    floor: str = ""
    """Whose matrix products are the least that it takes, if anybody's."""
    needs: Sequence[str] = ()
    """What it imports that we do not."""
    threads: int = 1
    """Of a process of ours, as in a sweep; peers have it their own way."""

    @property
    def environment(self) -> dict[str, str]:
        """The variables that its processes are started with."""
        return compiler_settings(self.threads) if self.role in ("ours", "floor") else {}


class Running:
    """The process of a contestant, from its start on."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], cache: str) -> None:
        began = time.perf_counter()
        caching = {
            "JAX_COMPILATION_CACHE_DIR": cache,
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        }
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("contestants.py")), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment | caching,
        )
        self.compiling: float = self.answer()["compiling"]
        self.starting = time.perf_counter() - began

    def ask(self, steps: int) -> None:
        """Have it train for a number of steps."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{steps}\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Wait for what it says."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self._process.args} ended with {self._process.wait()}")
        return dict(json.loads(line))

    def stop(self) -> None:
        """End it."""
        self._process.communicate()


def starts(contestants: Sequence[Contestant], rounds: int) -> None:
    """How long it takes until training begins: with an empty cache, then with a full one."""
    rows = []
    for one in contestants:
        if one.role != "ours":
            continue
        with tempfile.TemporaryDirectory() as cache:
            turns = []
            for _ in range(1 + rounds):
                running = Running(one.commands[0], one.environment, cache)
                running.stop()
                turns.append((running.starting, running.compiling))
        cold, *cached = turns
        again = [spread(numbers) for numbers in zip(*cached, strict=True)]
        rows.append([one.name, *(f"{number:.2f}" for number in cold), *again])
    columns = ["", "nothing cached: s", "of it compiling", "cached: s", "of it compiling"]
    print_table("From the start of a process until it trains", columns, rows)


def speeds(contestants: Sequence[Contestant], rounds: int, shorter: int) -> None:
    """How long a step takes, whoever learns from it."""
    present = [one for one in contestants if all(map(find_spec, one.needs))]
    seconds: dict[str, list[float]] = {one.name: [] for one in present}
    memory: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as cache, ExitStack() as at_the_end:
        running: dict[str, list[Running]] = {}
        for one in present:
            running[one.name] = [Running(c, one.environment, cache) for c in one.commands]
            for process in running[one.name]:
                at_the_end.callback(process.stop)
        for number in range(rounds + 1):
            for one in present:
                for process in running[one.name]:
                    process.ask(one.steps // (shorter if number else 10))
                answers = [process.answer() for process in running[one.name]]
                taken = max(answer["seconds"] for answer in answers)
                if number:
                    seconds[one.name].append(taken / sum(answer["steps"] for answer in answers))
                memory[one.name] = max(answer["memory"] for answer in answers)
    baseline = _fastest(seconds[one.name] for one in present if one.role == "baseline")
    floors = {
        name: _fastest(
            seconds[one.name] for one in present if (one.role, one.floor) == ("floor", name)
        )
        for name in {one.floor for one in present}
    }
    rows = []
    for one in present:
        own = seconds[one.name]
        rows.append(
            [
                one.name,
                spread(own, 1e6, 1),
                ratio(baseline, own),
                f"{one.updates / statistics.median(own):,.0f}",
                ratio(own, floors.get(one.floor)) if one.floor else "",
                f"{memory[one.name] / 2**20:,.0f}",
            ]
        )
    columns = ["", "µs per step of a seed", "times SB3", "updates/s", "times the floor", "MiB"]
    print_table("Training", columns, rows)
    for missing in sorted({need for one in contestants for need in one.needs}):
        if not find_spec(missing):
            print(f"{missing} was not there; for it: python -m pip install {PEERS[missing]}")


def _fastest(measured: Iterable[list[float]]) -> list[float] | None:
    return min(measured, key=statistics.median, default=None)


def spread(values: Sequence[float], scale: float = 1.0, digits: int = 2) -> str:
    """Median, and from the least to the most."""
    middle, least, most = (scale * f(values) for f in (statistics.median, min, max))
    return f"{middle:,.{digits}f} ({least:,.{digits}f} to {most:,.{digits}f})"


def ratio(above: Sequence[float] | None, below: Sequence[float] | None) -> str:
    """How many times as much, round by round, if both were measured."""
    if above is None or below is None:
        return ""
    return spread([a / b for a, b in zip(above, below, strict=True)])


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table in Markdown, with numbers to the right."""
    rules = ["---", *["---:"] * (len(columns) - 1)]
    lines = ["| " + " | ".join(cells) + " |" for cells in (columns, rules, *rows)]
    print(f"**{title}**\n", *lines, "", sep="\n", flush=True)


def race(contestants: Sequence[Contestant], description: str) -> None:
    """Measure everything, and print it as it comes."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short round, rough numbers")
    quick = parser.parse_args().quick
    print_machine("jax", "gymnasium", "gymnax", "torch", "stable-baselines3", "sbx-rl")
    starts(contestants, rounds=1 if quick else 3)
    speeds(contestants, rounds=1 if quick else 3, shorter=4 if quick else 1)
