"""What TensorBoard can follow while a run is under way (extra `tensorboard`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from temporl.errors import BadInput
from temporl.evaluation import OnProgress, Report

FOLDER = "tensorboard"
GREEDY = ("return", "length", "decisions")


def require_tensorboard() -> None:
    """Raise if what writes the log is not installed, before anything is started."""
    if find_spec("tensorboardX") is None:
        raise BadInput("log", "tensorboard", "install it first: pip install -e '.[tensorboard]'")


@contextmanager
def logged(folder: Path, on_progress: OnProgress | None) -> Iterator[OnProgress]:
    """Write reports about the run of a folder into `tensorboard/` beside it, and pass them on."""
    from tensorboardX import SummaryWriter

    with SummaryWriter(str(folder.parent / FOLDER / folder.name)) as writer:

        def write(report: Report) -> None:
            for name, value in report.measured.items():
                group = "greedy" if name in GREEDY else "learning"
                writer.add_scalar(f"{group}/{name}", value, report.steps)
            if on_progress is not None:
                on_progress(report)

        yield write
