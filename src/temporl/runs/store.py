"""A run folder: `config.json`, `evaluations.parquet`, `policy/` and a manifest of all of them.

It is written under a temporary name and renamed when it is complete, so that a folder with its
final name is a finished run. A finished run is never changed. While it is under way, a run is in a
working folder beside that, `seed-3.partial`. `course/seed-3.safetensors` holds the columns of
`temporl.training.course.Moments`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from jaxtyping import Shaped
from safetensors.numpy import save

from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, DamagedFile
from temporl.runs.card import model_card
from temporl.runs.config import MOST_EVALUATIONS, RunConfig, run_identity
from temporl.runs.files import (
    MOST_JSON,
    as_json,
    cannot_write,
    parse_arrays,
    read_bytes,
    read_json,
    read_listed,
    write_file,
    write_folder,
)
from temporl.runs.policies import policy_files
from temporl.training.course import Moments
from temporl.training.outcome import Trained
from temporl.types import Record

CONFIG, EVALUATIONS, POLICY, PARTIAL = "config.json", "evaluations.parquet", "policy", ".partial"
CARD = "README.md"
SCHEMA = pa.schema(
    {
        "episode": pa.int32(),
        "step": pa.int64(),
        "return": pa.float64(),
        "length": pa.int32(),
        "decisions": pa.int32(),
    }
)
ROW_BYTES = 28
MOST_COURSE = 256 * 2**20


def group_folder(out: Path, experiment: str, config: RunConfig) -> Path:
    """Where all seeds of one configuration go."""
    return out / experiment / f"{config.agent_label}-{config.digest}"


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


def working_folder(folder: Path) -> Path:
    """Where a run is while it is under way: its lock, its plan and its newest checkpoint."""
    return folder.with_name(f"{folder.name}{PARTIAL}")


def write_run(
    folder: Path,
    config: RunConfig,
    seed: int,
    trained: Trained,
    version: str,
    resumed: Record | None = None,
) -> None:
    """Write a finished run, all at once. A run that is there already stays as it is.

    Args:
        folder: Where it belongs.
        config: What it was made from.
        seed: Its seed.
        trained: The outcome of training.
        version: The library's version.
        resumed: At which steps training was interrupted and resumed, and whether exactly.
    """
    record = config.to_data() | {
        "seed": seed,
        "version": version,
        "played": {"episodes": trained.episodes, "steps": trained.steps},
    }
    if resumed:
        record["resumed"] = resumed
    files = {EVALUATIONS: _evaluations_file(trained), CONFIG: as_json(record)}
    files |= {f"{POLICY}/{name}": c for name, c in policy_files(trained.policy, config).items()}
    files[f"{POLICY}/{CARD}"] = model_card(config, seed, trained, version).encode()
    course = None if trained.course is None else save(trained.course._asdict())
    add_run(folder, files, run_identity(record), course)


def add_run(folder: Path, files: Mapping[str, bytes], run: str, course: bytes | None) -> None:
    """Put the files of a finished run into their place, and its course beside it.

    A run that is there already stays as it is.
    """
    workplace = working_folder(folder)
    with cannot_write(workplace):
        workplace.mkdir(parents=True, exist_ok=True)
    try:
        if write_folder(folder, files, run, workplace) and course is not None:
            path = course_file(folder)
            with cannot_write(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, course)
    finally:
        with suppress(OSError):  # it is not empty if the run has checkpoints
            workplace.rmdir()


def course_file(folder: Path) -> Path:
    """Where the course of a run is: beside it, as its own files do not depend on the machine."""
    return folder.parent / "course" / f"{folder.name}.safetensors"


def read_course(folder: Path) -> Moments | None:
    """The course of the run in a folder; None if it was not recorded, as in older runs."""
    path = course_file(folder)
    try:
        arrays = parse_arrays(path, read_bytes(path, MOST_COURSE))
    except FileNotFoundError:
        return None
    kinds = {"step": (1, "int64"), "seconds": (1, "float64"), "chosen": (2, "int32")}
    found = {name: (array.ndim, str(array.dtype)) for name, array in arrays.items()}
    whole = found == kinds and len({len(array) for array in arrays.values()}) == 1
    if not (
        whole
        and (np.diff(arrays["step"], prepend=0) >= 0).all()
        and np.isfinite(arrays["seconds"]).all()
        and (arrays["chosen"] >= 0).all()
    ):
        raise DamagedFile(f"{path}: not the course of a run; delete it, and do without")
    return Moments(**arrays)


def _evaluations_file(trained: Trained) -> bytes:
    evaluations = trained.evaluations
    columns = (
        evaluations.episode.astype(np.int32),
        evaluations.step,
        evaluations.returns,
        evaluations.lengths.astype(np.int32),
        evaluations.decisions.astype(np.int32),
    )
    buffer = pa.BufferOutputStream()
    table = pa.Table.from_arrays([pa.array(column) for column in columns], schema=SCHEMA)
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue().to_pybytes()  # type: ignore[no-any-return]


def read_config(folder: Path) -> Record:
    """What a run was made from, as it was written down."""
    try:
        content = read_listed(folder, CONFIG, MOST_JSON)
    except FileNotFoundError:
        raise BadInput("run", str(folder), "there is no finished run in it") from None
    return read_json(folder / CONFIG, content)


def recorded_environment(folder: Path) -> EnvironmentSpec:
    """The environment of a run, as it was written down; nothing of it is made yet."""
    recorded = read_config(folder).get("environment")
    fields = {"name": str, "options": dict, "step_limit": int | None}
    if not isinstance(recorded, dict) or recorded.keys() != fields.keys():
        raise DamagedFile(f"{folder / CONFIG}: names no environment")
    for field, kind in fields.items():
        if not isinstance(recorded[field], kind):
            raise DamagedFile(f"{folder / CONFIG}: not the {field} of an environment")
    return EnvironmentSpec(**recorded)


def read_evaluations(folder: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """The greedy evaluations of a run, a row each."""
    path = folder / EVALUATIONS
    try:
        content = read_listed(folder, EVALUATIONS, MOST_EVALUATIONS * ROW_BYTES)
        file = pq.ParquetFile(pa.BufferReader(content))
        if file.schema_arrow.remove_metadata() != SCHEMA:
            raise DamagedFile(f"{path}: not a record of evaluations; its columns are others")
        if file.metadata.num_rows > MOST_EVALUATIONS:
            raise DamagedFile(f"{path}: more than {MOST_EVALUATIONS:,} rows")
        return file.read(columns=None if columns is None else list(columns), use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise DamagedFile(f"{path}: not readable as parquet: {error}") from error


def evaluation_columns(
    folders: Sequence[Path], columns: Sequence[str]
) -> dict[str, Shaped[np.ndarray, "seed evaluation"]]:
    """Columns of several runs, each as an array with a row for each run."""
    tables = [read_evaluations(folder, columns) for folder in folders]
    return {name: np.stack([table[name].to_numpy() for table in tables]) for name in columns}
