from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tests.direct import train_tabular

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import DamagedFile
from temporl.runs.config import RunConfig
from temporl.runs.policies import load_policy, policy_files

WORLDS = {
    "temporl/ZigZag-v0": None,
    "FrozenLake-v1": None,
    "Blackjack-v1": 50,
}
OPTIONS = {"q": {}, "t-q": {"skips": (1, 3, 9), "epsilon": "log"}, "ez-q": {"mu": 1.5}}


def saved(folder: Path, name: str = "t-q", world: str = "temporl/ZigZag-v0"):
    config = RunConfig(
        make_agent(name, **OPTIONS[name]), EnvironmentSpec(world, {}, WORLDS[world]), episodes=50
    )
    policy = train_tabular(
        config.agent, config.environment.make, name=world, seed=0, episodes=50
    ).policy
    folder.mkdir(parents=True)
    for file, content in policy_files(policy, config).items():
        (folder / file).write_bytes(content)
    return policy


@pytest.mark.parametrize(("world", "name"), list(zip(WORLDS, OPTIONS, strict=True)))
def test_a_loaded_policy_decides_as_the_saved_one(tmp_path, name, world):
    policy = saved(tmp_path / "policy", name, world)
    loaded = load_policy(tmp_path / "policy")
    assert loaded.agent == policy.agent
    for index in range(policy.observations.size):
        observation = policy.observations.element(index)
        assert loaded.decide(observation) == policy.decide(observation)
        assert loaded.skip_values(observation, 0) == policy.skip_values(observation, 0)


@pytest.fixture
def folder(tmp_path) -> Path:
    saved(tmp_path / "policy")
    return tmp_path / "policy"


def rewrite(folder: Path, **changes: Any) -> None:
    path = folder / "policy.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def refused(folder: Path, file: str) -> str:
    with pytest.raises(DamagedFile) as caught:
        load_policy(folder)
    message = str(caught.value)
    assert str(folder / file) in message
    return message


def test_a_description_that_is_none_is_refused(folder):
    for content in (b"", b"{", b"\xff\xfe", b"[]", b"3", b"null", b"{}"):
        (folder / "policy.json").write_bytes(content)
        refused(folder, "policy.json")


def test_a_description_of_something_else_is_refused(folder):
    description = json.loads((folder / "policy.json").read_text())
    for changes in (
        {"kind": "network"},
        {"config": None},
        {"config": {}},
        {"config": []},
        {"observations": {"kind": "sphere"}},
        {"observations": None},
        {"observations": []},
        {"observations": {"kind": "discrete"}},
        {"observations": {"kind": "discrete", "n": 0, "start": 0}},
        {"observations": {"kind": "discrete", "n": -4, "start": 0}},
        {"observations": {"kind": "discrete", "n": "many", "start": 0}},
        {"observations": {"kind": "discrete", "n": 10**30, "start": 0}},
        {"actions": {"kind": "tuple", "spaces": 3}},
        {"actions": {"kind": "multi-discrete", "nvec": [0], "start": [0]}},
        {"actions": {"kind": "multi-binary", "shape": [-1]}},
    ):
        rewrite(folder, **description | changes)
        refused(folder, "policy.json")


def test_a_configuration_that_cannot_be_is_refused(folder):
    config = json.loads((folder / "policy.json").read_text())["config"]
    for changes in (
        {"agent": "dqn"},
        {"agent": None},
        {"options": []},
        {"options": None},
        {"options": {"alpha": 7}},
        {"options": {"alpha": "much"}},
        {"options": {"colour": "red"}},
        {"environment": []},
        {"environment": {"colour": "red"}},
        {"episodes": -1},
        {"episodes": "many"},
    ):
        rewrite(folder, config=config | changes)
        refused(folder, "policy.json")


def test_truncated_tables_are_refused(folder):
    path = folder / "arrays.safetensors"
    content = path.read_bytes()
    for length in (0, 4, 20, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        refused(folder, "arrays.safetensors")


def test_missing_tables_are_refused(folder):
    (folder / "arrays.safetensors").unlink()
    refused(folder, "arrays.safetensors")


def test_values_that_are_no_numbers_are_refused(folder):
    path = folder / "arrays.safetensors"
    tables = load_file(path)
    for value in (np.nan, np.inf, -np.inf):
        tables["skip_values"][3, 1] = value
        save_file(tables, path)
        assert "skip_values" in refused(folder, "arrays.safetensors")


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table[:-1],
        lambda table: table.T.copy(),
        lambda table: table.astype(np.float32),
        lambda table: table.astype(np.int64),
        lambda table: table.ravel(),
    ],
    ids=["shorter", "transposed", "single", "whole", "flat"],
)
def test_tables_of_another_shape_or_kind_are_refused(folder, change):
    path = folder / "arrays.safetensors"
    tables = load_file(path)
    for name in ("action_values", "skip_values"):
        save_file(tables | {name: change(tables[name])}, path)
        assert name in refused(folder, "arrays.safetensors")


def test_a_missing_table_is_refused(folder):
    path = folder / "arrays.safetensors"
    tables = load_file(path)
    del tables["skip_values"]
    save_file(tables, path)
    assert "skip_values" in refused(folder, "arrays.safetensors")


def test_loading_needs_no_environment(folder):
    """The name of an environment is a label: a policy for one that does not exist loads."""
    config = json.loads((folder / "policy.json").read_text())["config"]
    environment = {"name": "no_module:Nowhere-v0", "options": {}, "step_limit": None}
    rewrite(folder, config=config | {"environment": environment})
    assert load_policy(folder).decide(0).skip in (1, 3, 9)
