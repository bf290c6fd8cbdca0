"""Logs for TensorBoard and Weights & Biases (extras `tensorboard` and `wandb`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, get_args

from temporl.errors import BadInput, unknown_name
from temporl.training.outcome import OnProgress, ProgressReport
from temporl.types import Record

Log = Literal["tensorboard", "wandb"]
MODULES = {"tensorboard": "tensorboardX", "wandb": "wandb"}
GREEDY = ("return", "length", "decisions")

Write = Callable[[dict[str, float], int], None]


def require_log(log: str) -> None:
    """Raise if what writes the log is not known or not installed, before anything is started."""
    if log not in get_args(Log):
        raise unknown_name("log", log, get_args(Log))
    if find_spec(MODULES[log]) is None:
        raise BadInput("log", log, f"install it first: pip install -e '.[{log}]'")


@contextmanager
def logged(
    log: Log, folder: Path, config: Record, on_progress: OnProgress | None
) -> Iterator[OnProgress]:
    """Write reports about the run of a folder into a folder beside it, and pass them on."""
    writers = {"tensorboard": _tensorboard, "wandb": _wandb}
    with writers[log](folder, config) as write:

        def report(report: ProgressReport) -> None:
            groups = {name: "greedy" if name in GREEDY else "learning" for name in report.measured}
            named = {f"{groups[name]}/{name}": value for name, value in report.measured.items()}
            write(named, report.steps)
            if on_progress is not None:
                on_progress(report)

        yield report


@contextmanager
def _tensorboard(folder: Path, _config: Record) -> Iterator[Write]:
    from tensorboardX import SummaryWriter

    with SummaryWriter(str(folder.parent / "tensorboard" / folder.name)) as writer:

        def write(values: dict[str, float], step: int) -> None:
            for name, value in values.items():
                writer.add_scalar(name, value, step)

        yield write


@contextmanager
def _wandb(folder: Path, config: Record) -> Iterator[Write]:
    """Weights & Biases, without a network; `wandb sync` uploads the folder."""
    import wandb

    settings = wandb.Settings(
        console="off",
        silent=True,
        x_disable_meta=True,
        x_disable_stats=True,
        x_save_requirements=False,
    )
    run = wandb.init(
        mode="offline",
        dir=str(folder.parent),
        project="temporl",
        group=folder.parent.name,
        name=folder.name,
        config=config,
        reinit="create_new",
        settings=settings,
    )
    try:
        yield lambda values, step: run.log(values, step=step)
    finally:
        run.finish()
