"""`temporl frontier RUN`."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

from temporl.cli.evaluate import environment_of
from temporl.cli.parsing import Trust, parse
from temporl.errors import RunFailed, require_at_least, require_range
from temporl.evaluation import Evaluation
from temporl.frontier import Point, Setting, sentence, settings_of
from temporl.runs.progress import ProgressDisplay
from temporl.runs.store import read_config
from temporl.runs.train import choose_seed, load
from temporl.runs.workers import default_workers
from temporl.training.outcome import ProgressReport
from temporl.wording import number_of


@dataclass(frozen=True)
class Arguments:
    """Play a trained policy at many prices of a decision: what it earns with how many decisions."""

    run: tyro.conf.Positional[Path]
    """The folder of a run, or of one seed of it; of several seeds, the first is played."""
    episodes: int = 20
    """Number of greedy episodes at each price, all from the same starts."""
    env: str | None = None
    """The environment; default: the one that the policy was trained in."""
    trust: Trust = False
    seed: int = 0
    """The seed of the episodes."""
    keep_return: float = 0.95
    """The share of the return that is to be kept by the point that the last line speaks of."""
    workers: int | None = None
    """Number of processes; default: one for each core."""
    out: Path | None = None
    """The picture; default: 'frontier.png' beside the seeds."""
    json: bool = False
    """Print JSON instead of text."""


def run(words: list[str]) -> int:
    """Play all settings, print what each brings, and draw them."""
    arguments = parse(Arguments, words, "temporl frontier")
    require_at_least("episodes", arguments.episodes, 1)
    require_at_least("workers", arguments.workers, 1)
    require_range("keep_return", arguments.keep_return, 0.0, 1.0)
    folder = choose_seed(arguments.run)
    environment = environment_of(arguments.env, folder, arguments.trust)
    policy = load(folder, trust=arguments.trust)
    settings = settings_of(policy, environment, arguments.seed)
    title = f"{read_config(folder)['agent']} on {environment.label}"
    with (
        ProgressDisplay(title, len(settings), show=not arguments.json) as display,
        ThreadPoolExecutor(arguments.workers or default_workers()) as pool,
    ):

        def play(setting: Setting) -> Point:
            with display.run() as on_progress:
                played = _played(arguments, folder, setting)
                on_progress(ProgressReport(1.0, int(played.lengths.sum()), {}))
            return Point(setting, setting.price(policy), played)

        points = list(pool.map(play, settings))
    if arguments.json:
        print(json.dumps({"points": [point.to_data() for point in points]}))
        return 0
    _print_table(points, f"{title}: {number_of(arguments.episodes, 'episode')} each")
    print(sentence(points, arguments.keep_return))
    from temporl.report.figures.prices import frontier_picture  # drawing takes long to import

    path = arguments.out or folder.parent / "frontier.png"
    print(f"return against decisions: {frontier_picture(points, path, title)}")
    return 0


def _played(arguments: Arguments, folder: Path, setting: Setting) -> Evaluation:
    """How a setting does, in a process of its own."""
    options = asdict(setting) | {"episodes": arguments.episodes, "seed": arguments.seed}
    options["env"] = arguments.env
    words = [
        f"--{name.replace('_', '-')}={value}"
        for name, value in options.items()
        if value is not None
    ]
    command = [sys.executable, "-m", "temporl", "evaluate", str(folder), "--json", "--each", *words]
    if arguments.trust:
        command.append("--trust")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunFailed(done.stderr.strip().removeprefix("temporl: "))
    columns = json.loads(done.stdout)["each"]
    return Evaluation(*(np.array(columns[name]) for name in ("return", "steps", "decisions")))


def _print_table(points: list[Point], title: str) -> None:
    table = Table(title=title)
    for column in ("", "price", "return", "steps", "decisions"):
        table.add_column(column, justify="right" if column else "left")
    for point in points:
        steps = float(point.played.lengths.mean())
        numbers = (point.earned, steps, point.decisions)
        price = f"{point.price:.3g}" if point.price else ""
        table.add_row(point.setting.label, price, *(f"{number:.4g}" for number in numbers))
    Console().print(table)
