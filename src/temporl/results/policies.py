"""Policies on disk: tables as safetensors, everything else as JSON. Loading runs no code."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from temporl.environments.spaces import enumerate_space, space_from_data, space_to_data
from temporl.errors import BadInput, DamagedFile
from temporl.results.arrays import MOST_HEADER, parse_arrays
from temporl.results.config import RunConfig
from temporl.results.files import MOST_JSON, as_json, read_bytes, read_json, read_listed
from temporl.tabular.learner import Tables, empty_tables
from temporl.tabular.policy import TabularPolicy

DESCRIPTION, ARRAYS = "policy.json", "arrays.safetensors"
MOST_NUMBERS = 10_000_000
"""How many numbers the networks of a policy may have together."""


def policy_files(policy: Any, config: RunConfig) -> dict[str, bytes]:
    """The files of a policy that anybody can load without its environment."""
    if config.is_tabular:
        observations, actions = policy.observations.space, policy.actions.space
        arrays = policy.tables._asdict()
    else:
        observations, actions = policy.observations, policy.actions
        arrays = named_arrays(policy.networks)
    description = {
        "format": 1,
        "kind": "tabular" if config.is_tabular else "network",
        "config": config.to_data(),
        "observations": space_to_data(observations),
        "actions": space_to_data(actions),
    }
    return {DESCRIPTION: as_json(description), ARRAYS: save(arrays)}


def load_policy(folder: Path) -> Any:
    """Read a policy; a file that is not what it should be is refused by name."""
    description = _read_description(folder)
    try:
        config = RunConfig.from_data(description["config"])
        spaces = [space_from_data(description[field]) for field in ("observations", "actions")]
        empty = (_empty_tables if config.is_tabular else _empty_networks)(config, *spaces)
        if config.is_tabular != (description["kind"] == "tabular"):
            raise ValueError(f"{config.agent_name} is not of kind {description['kind']}")
    except Exception as error:  # a description may be wrong in any way
        raise DamagedFile(f"{folder / DESCRIPTION}: not a policy: {error}") from error
    if config.is_tabular:
        tables = _read_arrays(folder, empty.tables._asdict())
        return replace(empty, tables=Tables(**tables))
    arrays = _read_arrays(folder, named_arrays(empty.networks))
    return replace(empty, networks=with_arrays(empty.networks, arrays))


class Outlines(np.random.Generator):
    """Draws nothing: gives zeros of the shapes that are asked for, and no more than a policy has.

    A description from somebody else may ask for networks larger than any memory.
    """

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(np.random.SeedSequence(0)))
        self._left = MOST_NUMBERS

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:  # noqa: ARG002
        """Zeros of a shape, unless it is too large."""
        self._left -= math.prod(size if isinstance(size, tuple) else (size or 1,))
        if self._left < 0:
            raise ValueError(f"more than {MOST_NUMBERS:,} numbers")
        return np.zeros(size)


def _empty_tables(config: RunConfig, observations: Any, actions: Any) -> Any:
    name = config.environment.name
    rows = enumerate_space(observations, "observations", name)
    columns = enumerate_space(actions, "actions", name)
    tables = empty_tables(config.agent.learner(), rows.size, columns.size)
    return TabularPolicy(config.agent, tables, rows, columns)


def _empty_networks(config: RunConfig, observations: Any, actions: Any) -> Any:
    from temporl.agents.policy import NetworkPolicy, agent_spaces, check_spaces

    check_spaces(config.agent, observations, actions, config.environment.name)
    spaces = agent_spaces(observations, actions)
    networks = config.agent.networks(Outlines(), spaces)
    return NetworkPolicy(config.agent, networks, observations, actions)


def named_arrays(networks: Any, name: str = "") -> dict[str, np.ndarray]:
    """The arrays of nested tuples, each by its path."""
    if isinstance(networks, np.ndarray):
        return {name: networks}
    names = getattr(networks, "_fields", range(len(networks)))
    return {
        path: array
        for part, nested in zip(names, networks, strict=True)
        for path, array in named_arrays(nested, f"{name}.{part}" if name else str(part)).items()
    }


def with_arrays(networks: Any, arrays: dict[str, np.ndarray], name: str = "") -> Any:
    """Nested tuples like the given ones, with other arrays."""
    if isinstance(networks, np.ndarray):
        return arrays[name]
    names = getattr(networks, "_fields", range(len(networks)))
    parts = [
        with_arrays(nested, arrays, f"{name}.{part}" if name else str(part))
        for part, nested in zip(names, networks, strict=True)
    ]
    return type(networks)(*parts) if hasattr(networks, "_fields") else tuple(parts)


def _read(folder: Path, name: str, most: int) -> bytes:
    """A file of a policy, checked against the manifest of the run that the policy belongs to."""
    if (folder.parent / "config.json").is_file():
        return read_listed(folder.parent, f"{folder.name}/{name}", most)
    return read_bytes(folder / name, most)


def _read_description(folder: Path) -> dict[str, Any]:
    path = folder / DESCRIPTION
    try:
        content = _read(folder, DESCRIPTION, MOST_JSON)
    except FileNotFoundError:
        raise BadInput("run", str(folder), "there is no policy in it") from None
    description = read_json(path, content)
    if description.get("kind") not in ("tabular", "network"):
        raise DamagedFile(f"{path}: not a policy")
    return description


def _read_arrays(folder: Path, expected: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    path = folder / ARRAYS
    try:
        content = _read(
            folder, ARRAYS, MOST_HEADER + sum(like.nbytes for like in expected.values())
        )
    except FileNotFoundError:
        raise DamagedFile(f"{path}: missing") from None
    arrays = parse_arrays(path, content, expected)
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise DamagedFile(f"{path}: {name} holds values that are not finite")
    return arrays
