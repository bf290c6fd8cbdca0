"""Policies on disk: tables as safetensors, everything else as JSON. Loading runs no code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from temporl.environments.spaces import enumerate_space, space_from_data, space_to_data
from temporl.errors import BadInput, DamagedFile
from temporl.results.config import RunConfig
from temporl.tabular.learner import Tables, empty_tables
from temporl.tabular.policy import TabularPolicy

DESCRIPTION, TABLES = "policy.json", "tables.safetensors"


def save_policy(policy: TabularPolicy, config: RunConfig, folder: Path) -> None:
    """Write a policy that anybody can load without its environment."""
    folder.mkdir(parents=True)
    description = {
        "format": 1,
        "kind": "tabular",
        "config": config.to_data(),
        "observations": space_to_data(policy.observations.space),
        "actions": space_to_data(policy.actions.space),
    }
    (folder / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n")
    save_file(policy.tables._asdict(), folder / TABLES)


def load_policy(folder: Path) -> TabularPolicy:
    """Read a policy; a file that is not what it should be is refused by name."""
    description = _read_description(folder / DESCRIPTION)
    try:
        config = RunConfig.from_data(description["config"])
        observations, actions = (
            enumerate_space(space_from_data(description[field]), field, config.environment.name)
            for field in ("observations", "actions")
        )
        expected = empty_tables(config.agent.learner(), observations.size, actions.size)
    except Exception as error:  # a description may be wrong in any way
        raise DamagedFile(f"{folder / DESCRIPTION}: not a policy: {error}") from error
    tables = _read_tables(folder / TABLES, expected)
    return TabularPolicy(config.agent, tables, observations, actions)


def _read_description(path: Path) -> dict[str, Any]:
    try:
        description = json.loads(path.read_text())
    except FileNotFoundError:
        raise BadInput("run", str(path.parent), "there is no policy in it") from None
    except (OSError, ValueError) as error:
        raise DamagedFile(f"{path}: not readable as JSON: {error}") from error
    if not isinstance(description, dict) or description.get("kind") != "tabular":
        raise DamagedFile(f"{path}: not a tabular policy")
    return description


def _read_tables(path: Path, expected: Tables) -> Tables:
    try:
        arrays = load_file(path)
    except (OSError, SafetensorError) as error:
        raise DamagedFile(f"{path}: not readable as safetensors: {error}") from error
    for name, like in expected._asdict().items():
        array = arrays.get(name)
        if array is None or array.shape != like.shape or array.dtype != np.float64:
            found = None if array is None else (array.shape, str(array.dtype))
            raise DamagedFile(f"{path}: {name} is {found} and should be {like.shape} float64")
        if not np.isfinite(array).all():
            raise DamagedFile(f"{path}: {name} holds values that are not finite")
    return Tables(**{name: arrays[name] for name in expected._fields})
