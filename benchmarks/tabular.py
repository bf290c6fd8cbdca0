"""How fast the tabular agents learn, and how that grows.

    python benchmarks/tabular.py            all tables, a few minutes
    python benchmarks/tabular.py --quick    the same with short runs, half a minute

The yardstick is the plain-Python version of the same agents, the oracle of the test suite: both
train the same seeds, must end with identical tables and evaluations, and take turns, so that
whatever else the machine does hits both. A ratio is the median over the turns. Steps are those of
training; evaluation adds one greedy episode after every episode.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.console import Console
from rich.table import Table

import temporl
from machine import print_machine
from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec, GridWorld, enumerate_space, transition_table
from temporl.tabular.play import Budget
from temporl.tabular.policy import TabularPolicy
from temporl.tabular.run import TabularRun
from temporl.tabular.tables import empty_tables
from temporl.tabular.training import TRAINER, train_compiled
from temporl.training.outcome import Trained
from temporl.training.trainer import Task

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
oracle: Any = import_module("tests.agreement.oracle")

WORLD = EnvironmentSpec("temporl/ZigZag-v0")
STEP_LIMIT = 100
console = Console(width=130)


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """How long some work takes, and what it gives."""
    began = time.perf_counter()
    outcome = work()
    return time.perf_counter() - began, outcome


def repeated(work: Callable[[], Any], times: int = 20) -> tuple[float, Any]:
    """The same for short work, which would otherwise be at the mercy of a moment."""
    total, outcomes = seconds(lambda: [work() for _ in range(times)])
    return total / times, outcomes[-1]


def spread(values: list[float], scale: float = 1.0, digits: int = 1) -> str:
    """Median, and from the least to the most."""
    middle, least, most = (scale * f(values) for f in (statistics.median, min, max))
    return f"{middle:,.{digits}f} ({least:,.{digits}f} to {most:,.{digits}f})"


def table(title: str, *columns: str) -> Table:
    """An empty table with numbers to the right."""
    made = Table(title=title, title_justify="left", title_style="bold")
    for position, column in enumerate(columns):
        made.add_column(column, justify="left" if position == 0 else "right")
    return made


def identical(trained: Trained, expected: Any) -> bool:
    """Whether both give the same tables and evaluations, bit for bit."""
    tables = trained.policy.arrays()
    rows = list(zip(*(column.tolist() for column in trained.evaluations), strict=True))
    return (
        tables["action_values"].tolist() == expected.action_values
        and tables["skip_values"].tolist() == expected.skip_values
        and rows == [tuple(row) for row in expected.evaluations]
    )


COMPILE = """
import time
began = time.perf_counter()
from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.tabular.training import TRAINER
from temporl.training.trainer import Task
imported = time.perf_counter()
spec = EnvironmentSpec("temporl/ZigZag-v0")
TRAINER.train(make_agent("t-q"), Task(spec, seed=0, episodes=1))
print(imported - began, time.perf_counter() - imported)
"""


def compilation() -> None:
    """The price of the first run in a process: with an empty cache, and with a full one."""
    made = table("First run of a process", "", "import s", "first episode s")
    with tempfile.TemporaryDirectory() as cache:
        for name in ("nothing cached", "cached"):
            output = subprocess.run(
                [sys.executable, "-c", COMPILE],
                env=os.environ | {"NUMBA_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            made.add_row(name, *(f"{float(value):.2f}" for value in output.split()))
    console.print(made)


def against_plain_python(episodes: int, turns: int) -> None:
    """The compiled loop and plain Python in turns, on the paper's ZigZag."""
    made = table(
        f"ZigZag, {episodes:,} episodes: compiled beside plain Python",
        "agent",
        "evaluation",
        "steps",
        "compiled, million steps/s",
        "plain, thousand steps/s",
        "ratio",
        "identical",
    )
    for name, options in (("q", {}), ("t-q", {"max_skip": 7}), ("ez-q", {})):
        agent = make_agent(name, **options)
        for every in (1, 0):
            ours, theirs, same, steps = [], [], True, 0
            for seed in range(turns):
                run = {"seed": seed, "episodes": episodes, "evaluate_every": every}
                taken, trained = repeated(lambda a=agent, r=run: TRAINER.train(a, Task(WORLD, **r)))
                plain, expected = seconds(
                    lambda n=name, a=agent, r=run: oracle.train(
                        n, a, WORLD.make(), step_limit=STEP_LIMIT, **r
                    )
                )
                same = same and identical(trained, expected)
                steps = trained.steps
                ours.append(steps / taken)
                theirs.append(steps / plain)
            ratios = [fast / slow for fast, slow in zip(ours, theirs, strict=True)]
            made.add_row(
                "t-q, J 7" if name == "t-q" else name,
                "after every episode" if every else "none",
                f"{steps:,}",
                spread(ours, 1e-6, 2),
                spread(theirs, 1e-3),
                spread(ratios, digits=0),
                "yes" if same else "NO",
            )
    console.print(made)


def time_kernel(agent: Any, environment: gym.Env[Any, Any], step_limit: int, steps: int) -> float:
    """Seconds for a number of training steps, the compiled loop alone."""
    transitions = transition_table(environment)
    observations = enumerate_space(environment.observation_space, "observations", "world")
    actions = enumerate_space(environment.action_space, "actions", "world")
    tables = empty_tables(agent.settings(), observations.size, actions.size)
    policy = TabularPolicy(agent, tables, observations, actions)
    run = TabularRun(policy, Budget(steps, True, step_limit), evaluate_every=0, seed=0)
    taken, _ = seconds(lambda: list(train_compiled(run, transitions)))
    return taken


def growth_with_skips(steps: int, turns: int) -> None:
    """Cost of a training step for longer and longer skips."""
    longest = (1, 2, 4, 7, 10, 16, 32, 64)
    taken: dict[int, list[float]] = {j: [] for j in longest}
    for _ in range(turns):
        for j in longest:
            agent = make_agent("t-q", max_skip=j)
            taken[j].append(time_kernel(agent, WORLD.make(), STEP_LIMIT, steps) / steps)
    made = table(f"ZigZag, t-q, {steps:,} steps: longest skip", "J", "ns per step")
    for j in longest:
        made.add_row(str(j), spread(taken[j], 1e9, 0))
    console.print(made)


def open_grid(height: int, width: int) -> GridWorld:
    """A grid without obstacles in which every cell but the goal is a start."""
    rows = ["S" * width] * (height - 1) + ["S" * (width - 1) + "G"]
    return GridWorld("\n".join(rows))


def growth_with_states(steps: int, turns: int) -> None:
    """Cost of a training step in larger and larger worlds, and of making them."""
    made = table(
        f"Open grids, any start, t-q J 7, {steps:,} steps: states",
        "grid",
        "states",
        "ns per step",
        "make the world s",
    )
    agent = make_agent("t-q", max_skip=7)
    for height, width in ((6, 10), (23, 23), (50, 50), (100, 100), (250, 250), (500, 500)):
        making, world = seconds(lambda h=height, w=width: open_grid(h, w))
        limit = 2 * (height + width)
        taken = [time_kernel(agent, world, limit, steps) / steps for _ in range(turns)]
        made.add_row(
            f"{height} x {width}", f"{height * width:,}", spread(taken, 1e9, 0), f"{making:.2f}"
        )
    console.print(made)


def growth_with_seeds(episodes: int, most_seeds: int) -> None:
    """Whole runs, written to disk, by one process and by two workers."""
    made = table(
        f"ZigZag, t-q J 7, {episodes:,} evaluated episodes a seed, results written",
        "seeds",
        "1 process: s",
        "s per seed",
        "2 workers: s",
        "s per seed",
        "speed-up",
    )
    for workers in (1, 2):  # fills all caches
        train_seeds(2, workers, episodes=1)
    for seeds in (count for count in (1, 10, 100) if count <= most_seeds):
        taken = [train_seeds(seeds, workers, episodes) for workers in (1, 2)]
        made.add_row(
            str(seeds),
            *(text for total in taken for text in (f"{total:.2f}", f"{total / seeds:.3f}")),
            f"{taken[0] / taken[1]:.2f}",
        )
    console.print(made)


def train_seeds(seeds: int, workers: int, episodes: int) -> float:
    """Seconds from the call to finished run folders; a single seed needs no worker process."""
    with tempfile.TemporaryDirectory() as out:
        options = {"seeds": seeds, "workers": workers, "out": out, "progress": False}
        return seconds(lambda: temporl.train("t-q", WORLD.name, episodes=episodes, **options))[0]


def main() -> None:
    """Measure everything, and print it as it comes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short runs, rough numbers")
    quick = parser.parse_args().quick
    print_machine("numba", "numpy", "gymnasium")
    compilation()
    TRAINER.train(make_agent("t-q"), Task(WORLD, seed=0, episodes=1))
    against_plain_python(episodes=1000 if quick else 10_000, turns=3 if quick else 5)
    growth_with_skips(steps=100_000 if quick else 1_000_000, turns=3 if quick else 7)
    growth_with_states(steps=100_000 if quick else 1_000_000, turns=3)
    growth_with_seeds(episodes=1000 if quick else 10_000, most_seeds=10 if quick else 100)


if __name__ == "__main__":
    main()
