"""A run folder: `config.json`, `evaluations.parquet` and `policy/`.

It is written under a temporary name and renamed when it is complete, so that a folder with its
final name is a finished run. A finished run is never changed.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from jaxtyping import Float

from temporl.errors import BadInput, DamagedFile
from temporl.evaluation import Trained
from temporl.results.card import model_card
from temporl.results.config import RunConfig
from temporl.results.policies import save_policy

CONFIG, EVALUATIONS, POLICY = "config.json", "evaluations.parquet", "policy"
CARD = "README.md"


def group_folder(out: Path, experiment: str, config: RunConfig) -> Path:
    """Where all seeds of one configuration go."""
    return out / experiment / f"{config.agent_name}-{config.digest}"


def seed_folder(group: Path, seed: int) -> Path:
    """Where one seed goes."""
    return group / f"seed-{seed}"


def seed_folders(path: Path) -> list[Path]:
    """The finished runs at a path: the path itself, or its seeds in order."""
    if is_finished(path):
        return [path]
    found = [folder for folder in path.glob("seed-*") if is_finished(folder)]
    return sorted(found, key=lambda folder: int(folder.name.removeprefix("seed-")))


def is_finished(folder: Path) -> bool:
    """Whether a folder is a finished run."""
    return (folder / CONFIG).is_file()


def prepare_output(out: Path) -> Path:
    """Make the output folder, and find out now rather than later whether it can be written."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput("out", str(out), f"it cannot be written: {reason}") from error
    return out


def write_run(folder: Path, config: RunConfig, seed: int, trained: Trained, version: str) -> None:
    """Write a finished run, all at once. A run that is there already stays as it is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        table = pa.table(
            {
                "episode": trained.evaluations.episode.astype(np.int32),
                "step": trained.evaluations.step,
                "return": trained.evaluations.returns,
                "length": trained.evaluations.lengths.astype(np.int32),
                "decisions": trained.evaluations.decisions.astype(np.int32),
            }
        )
        pq.write_table(table, temporary / EVALUATIONS, compression="zstd")
        save_policy(trained.policy, config, temporary / POLICY)
        (temporary / POLICY / CARD).write_text(model_card(config, seed, trained, version))
        record = config.to_data() | {
            "seed": seed,
            "version": version,
            "played": {"episodes": trained.episodes, "steps": trained.steps},
        }
        (temporary / CONFIG).write_text(json.dumps(record, indent=2) + "\n")
        for path in [*temporary.rglob("*"), temporary]:
            _sync(path)
        temporary.chmod(0o755)
        try:
            temporary.rename(folder)
        except OSError:
            if not is_finished(folder):
                raise
        _sync(folder.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _sync(path: Path) -> None:
    """Wait until the disk has it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_config(folder: Path) -> dict[str, Any]:
    """What a run was made from, as it was written down."""
    try:
        record: dict[str, Any] = json.loads((folder / CONFIG).read_text())
    except FileNotFoundError:
        raise BadInput("run", str(folder), "there is no finished run in it") from None
    except (OSError, ValueError) as error:
        raise DamagedFile(f"{folder / CONFIG}: not readable as JSON: {error}") from error
    return record


def read_evaluations(folder: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """The greedy evaluations of a run, a row each."""
    path = folder / EVALUATIONS
    try:
        return pq.read_table(path, columns=None if columns is None else list(columns))
    except (OSError, pa.ArrowException) as error:
        raise DamagedFile(f"{path}: not readable as parquet: {error}") from error


def evaluation_columns(
    folders: Sequence[Path], columns: Sequence[str]
) -> dict[str, Float[np.ndarray, "seed evaluation"]]:
    """Columns of several runs, each as an array with a row for each run."""
    tables = [read_evaluations(folder, columns) for folder in folders]
    return {name: np.stack([table[name].to_numpy() for table in tables]) for name in columns}
