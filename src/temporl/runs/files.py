"""Folders that are whole or not there, and readers that take no file on trust.

A folder is written under a temporary name, flushed to disk and renamed; its manifest names every
file with its size and SHA-256. A reader looks at a file's kind and size before it looks inside, and
where there is a manifest, nothing is parsed that does not match it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load

from temporl.errors import BadInput, CannotWrite, DamagedFile
from temporl.trees import Arrays
from temporl.types import Record
from temporl.version import __version__

MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1
MOST_JSON = 4 * 2**20
"""Bytes of a file of ours that holds JSON; the text of a map is the longest that is in one."""
MOST_HEADER = 256 * 2**10
"""Bytes of the header of arrays: a name, a shape and a place for each."""


def write_folder(folder: Path, files: Mapping[str, bytes], run: str, workplace: Path) -> bool:
    """Write a folder with a manifest, all at once; False if there is one of that name already.

    Args:
        folder: Its final name.
        files: The content of every file by its path within the folder.
        run: The identity of the run that it belongs to.
        workplace: Where the temporary folder is made, on the same disk.
    """
    with cannot_write(folder):
        temporary = Path(tempfile.mkdtemp(prefix="writing-", dir=workplace))
        try:
            for name, content in {**files, MANIFEST: _manifest(files, run)}.items():
                (temporary / name).parent.mkdir(exist_ok=True)
                _write(temporary / name, content)
            for inner in [*temporary.glob("*/"), temporary]:
                sync(inner)
            temporary.chmod(0o755)
            try:
                temporary.rename(folder)
            except OSError:
                if not folder.is_dir():
                    raise
                return False
            sync(folder.parent)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return True


def write_file(path: Path, content: bytes) -> None:
    """Write one file, all at once."""
    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    with cannot_write(path):
        try:
            _write(temporary, content)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def cannot_write(path: Path) -> Iterator[None]:
    """Turn an `OSError` of a full or vanished disk into an error of one line."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Wait until the disk has what a folder lists."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def as_json(data: Record) -> bytes:
    """Data as JSON, in the one form in which it is written."""
    return (json.dumps(data, indent=2) + "\n").encode()


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a plain file of at most `most` bytes: no link, no pipe, no device."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedFile(f"{path}: not a file that can be read: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise DamagedFile(f"{path}: not a plain file")
        if status.st_size > most:
            raise DamagedFile(f"{path}: {status.st_size:,} bytes; allowed here: {most:,}")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(status.st_size)
    finally:
        os.close(descriptor)


def read_listed(folder: Path, name: str, most: int) -> bytes:
    """A file's content, refused unless it matches the folder's manifest, if there is one."""
    content = read_bytes(folder / name, most)
    manifest = read_manifest(folder)
    if manifest is not None:
        listed = manifest["files"].get(name)
        if listed is None:
            raise DamagedFile(f"{folder / name}: foreign; the manifest does not name it")
        if listed != _listed(content):
            raise DamagedFile(f"{folder / name}: damaged; it does not match the manifest")
    return content


@contextmanager
def not_data(path: Path, of: str) -> Iterator[None]:
    """Refuse by name a file whose data may be wrong in any way; only agents keep their errors."""
    try:
        yield
    except Exception as error:
        if isinstance(error, BadInput) and error.field == "agent":
            raise
        raise DamagedFile(f"{path}: not {of}: {error}") from error


def read_json(path: Path, content: bytes) -> Record:
    """The object that a file holds as JSON."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{path}: not readable as JSON: {error}") from error
    if not isinstance(data, dict):
        raise DamagedFile(f"{path}: not what should be in it")
    return data


def parse_arrays(path: Path, content: bytes) -> Arrays:
    """The arrays that a file holds as safetensors."""
    header = int.from_bytes(content[:8], "little")
    if header > MOST_HEADER:
        raise DamagedFile(f"{path}: a header of {header:,} bytes; allowed: {MOST_HEADER:,}")
    try:
        return load(content)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise DamagedFile(f"{path}: not readable as safetensors: {error}") from error


def read_manifest(folder: Path) -> Record | None:
    """What a folder should hold; None if it was written before there were manifests."""
    path = folder / MANIFEST
    try:
        content = read_bytes(path, MOST_JSON)
    except FileNotFoundError:
        return None
    manifest = read_json(path, content)
    listed, run = manifest.get("files"), manifest.get("run")
    if not isinstance(listed, dict) or content != _sealed(manifest | {"run": run}):
        raise DamagedFile(f"{path}: damaged; it does not match its own checksum")
    return manifest


def _manifest(files: Mapping[str, bytes], run: str) -> bytes:
    listed = {name: _listed(content) for name, content in sorted(files.items())}
    head = {"format": MANIFEST_FORMAT, "version": __version__, "run": run}
    return _sealed(head | {"files": listed})


def _sealed(manifest: Record) -> bytes:
    """A manifest with its own checksum, in the only form that is accepted."""
    content = {name: value for name, value in manifest.items() if name != "sha256"}
    return as_json(content | {"sha256": hashlib.sha256(as_json(content)).hexdigest()})


def _listed(content: bytes) -> Record:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
