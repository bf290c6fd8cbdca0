"""Policies on disk: tables as safetensors, everything else as JSON. Loading runs no code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from temporl.environments.spaces import enumerate_space, space_from_data, space_to_data
from temporl.errors import BadInput, DamagedFile
from temporl.randomness import Purpose, generator
from temporl.results.config import RunConfig
from temporl.tabular.learner import Tables, empty_tables
from temporl.tabular.policy import TabularPolicy

DESCRIPTION, ARRAYS = "policy.json", "arrays.safetensors"


def save_policy(policy: Any, config: RunConfig, folder: Path) -> None:
    """Write a policy that anybody can load without its environment."""
    folder.mkdir(parents=True)
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
    (folder / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n")
    save_file(arrays, folder / ARRAYS)


def load_policy(folder: Path) -> Any:
    """Read a policy; a file that is not what it should be is refused by name."""
    description = _read_description(folder / DESCRIPTION)
    try:
        config = RunConfig.from_data(description["config"])
        spaces = [space_from_data(description[field]) for field in ("observations", "actions")]
        empty = (_empty_tables if config.is_tabular else _empty_networks)(config, *spaces)
        if config.is_tabular != (description["kind"] == "tabular"):
            raise ValueError(f"{config.agent_name} is not of kind {description['kind']}")
    except Exception as error:  # a description may be wrong in any way
        raise DamagedFile(f"{folder / DESCRIPTION}: not a policy: {error}") from error
    if config.is_tabular:
        tables = _read_arrays(folder / ARRAYS, empty.tables._asdict())
        return replace(empty, tables=Tables(**tables))
    arrays = _read_arrays(folder / ARRAYS, named_arrays(empty.networks))
    return replace(empty, networks=with_arrays(empty.networks, arrays))


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
    networks = config.agent.networks(generator(0, Purpose.NETWORKS), spaces)
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


def _read_description(path: Path) -> dict[str, Any]:
    try:
        description = json.loads(path.read_text())
    except FileNotFoundError:
        raise BadInput("run", str(path.parent), "there is no policy in it") from None
    except (OSError, ValueError) as error:
        raise DamagedFile(f"{path}: not readable as JSON: {error}") from error
    if not isinstance(description, dict) or description.get("kind") not in ("tabular", "network"):
        raise DamagedFile(f"{path}: not a policy")
    return description


def _read_arrays(path: Path, expected: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    try:
        arrays = load_file(path)
    except (OSError, SafetensorError) as error:
        raise DamagedFile(f"{path}: not readable as safetensors: {error}") from error
    for name, like in expected.items():
        array = arrays.get(name)
        if array is None or array.shape != like.shape or array.dtype != like.dtype:
            found = None if array is None else (array.shape, str(array.dtype))
            raise DamagedFile(f"{path}: {name} is {found} and should be {like.shape} {like.dtype}")
        if not np.isfinite(array).all():
            raise DamagedFile(f"{path}: {name} holds values that are not finite")
    return {name: arrays[name] for name in expected}
