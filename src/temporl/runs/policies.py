"""Policies on disk: arrays as safetensors, everything else as JSON. Loading runs no code."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from temporl.environments.spaces import space_from_data, space_to_data
from temporl.errors import BadInput, DamagedFile
from temporl.runs.config import RunConfig
from temporl.runs.files import (
    MOST_HEADER,
    MOST_JSON,
    as_json,
    not_data,
    parse_arrays,
    read_bytes,
    read_json,
    read_listed,
)
from temporl.training.outcome import TrainedPolicy
from temporl.trees import Arrays

DESCRIPTION, ARRAYS = "policy.json", "arrays.safetensors"
MOST_NUMBERS = 10_000_000
"""The largest total size of a policy's arrays."""


def policy_files(policy: TrainedPolicy, config: RunConfig) -> dict[str, bytes]:
    """The files of a policy, which can be loaded without its environment."""
    observations, actions = policy.gym_spaces
    description = {
        "format": 1,
        "kind": config.trainer.kind,
        "config": config.to_data(),
        "observations": space_to_data(observations),
        "actions": space_to_data(actions),
    }
    return {DESCRIPTION: as_json(description), ARRAYS: save(policy.arrays())}


def load_policy(folder: Path, *, trusted: bool = False) -> TrainedPolicy:
    """Read a policy; a file that is not what it should be is refused by name."""
    path = folder / DESCRIPTION
    try:
        description = read_json(path, _read(folder, DESCRIPTION, MOST_JSON))
    except FileNotFoundError:
        raise BadInput("run", str(folder), "there is no policy in it") from None
    if description.get("kind") not in ("tabular", "network"):
        raise DamagedFile(f"{path}: not a policy")
    with not_data(path, "a policy"):
        config = RunConfig.from_data(description["config"], trusted=trusted)
        observations, actions = (
            space_from_data(description[field]) for field in ("observations", "actions")
        )
        untrained = config.trainer.untrained(
            config.agent, observations, actions, config.environment.name, Outlines()
        )
        if config.trainer.kind != description["kind"]:
            raise ValueError(f"{config.agent_name} is not of kind {description['kind']}")
    return untrained.with_arrays(_read_arrays(folder, untrained.arrays()))


class Outlines(np.random.Generator):
    """Draws nothing: gives zeros of the shapes that are asked for, and no more than a policy has.

    The description in a file from elsewhere may ask for networks larger than any memory.
    """

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(np.random.SeedSequence(0)))
        self._left = MOST_NUMBERS

    def uniform(  # type: ignore[override]
        self,
        low: float = 0.0,  # noqa: ARG002
        high: float = 1.0,  # noqa: ARG002
        size: int | tuple[int, ...] | None = None,
    ) -> np.ndarray:
        """Zeros of a shape, unless it is too large."""
        self._left -= math.prod(size if isinstance(size, tuple) else (size or 1,))
        if self._left < 0:
            raise ValueError(f"more than {MOST_NUMBERS:,} array elements")
        return np.zeros(() if size is None else size)


def _read(folder: Path, name: str, most: int) -> bytes:
    """A file of a policy, checked against the manifest of the run that the policy belongs to."""
    if (folder.parent / "config.json").is_file():
        return read_listed(folder.parent, f"{folder.name}/{name}", most)
    return read_bytes(folder / name, most)


def _read_arrays(folder: Path, expected: Arrays) -> Arrays:
    """The expected arrays, and no others; every value is finite."""
    path, most = folder / ARRAYS, MOST_HEADER + sum(like.nbytes for like in expected.values())
    try:
        arrays = parse_arrays(path, _read(folder, ARRAYS, most))
    except FileNotFoundError:
        raise DamagedFile(f"{path}: missing") from None
    for name, like in expected.items():
        array = arrays.get(name)
        if array is None or array.shape != like.shape or array.dtype != like.dtype:
            found = None if array is None else (array.shape, str(array.dtype))
            raise DamagedFile(f"{path}: {name} is {found} and should be {like.shape} {like.dtype}")
    if foreign := arrays.keys() - expected.keys():
        raise DamagedFile(f"{path}: holds {min(foreign)!r}, which does not belong there")
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise DamagedFile(f"{path}: {name} holds values that are not finite")
    return arrays
