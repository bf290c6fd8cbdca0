from __future__ import annotations

import errno
import getpass
import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.direct import train_tabular

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, CannotWrite, DamagedFile
from temporl.runs import files as results_files
from temporl.runs.config import RunConfig
from temporl.runs.policies import load_policy
from temporl.runs.store import (
    evaluation_columns,
    group_folder,
    is_finished,
    prepare_output,
    read_config,
    read_evaluations,
    seed_folder,
    seed_folders,
    write_run,
)
from temporl.training.outcome import Trained

CONFIG = RunConfig(make_agent("t-q", max_skip=4), EnvironmentSpec("temporl/ZigZag-v0"), episodes=20)


def trained(config: RunConfig = CONFIG, seed: int = 0) -> Trained:
    return train_tabular(
        config.agent,
        config.environment.make,
        name="zigzag",
        seed=seed,
        episodes=config.episodes,
        steps=config.steps,
        evaluate_every=config.evaluate_every,
    )


@pytest.fixture
def folder(tmp_path) -> Path:
    path = tmp_path / "group" / "seed-0"
    write_run(path, CONFIG, 0, trained(), "1.2.3")
    return path


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_run_folder_holds_what_it_should(folder):
    assert files(folder) == {
        "config.json",
        "evaluations.parquet",
        "policy/README.md",
        "manifest.json",
        "policy/policy.json",
        "policy/arrays.safetensors",
    }
    record = read_config(folder)
    assert (record["seed"], record["version"]) == (0, "1.2.3")
    assert record["played"] == {"episodes": 20, "steps": trained().steps}
    assert RunConfig.from_data(record) == CONFIG
    table = read_evaluations(folder)
    assert table.column_names == ["episode", "step", "return", "length", "decisions"]
    for column, values in zip(table.columns, trained().evaluations, strict=True):
        assert column.to_numpy().tolist() == values.tolist()


def test_nothing_temporary_is_left_beside_a_run(folder):
    assert {path.name for path in folder.parent.iterdir()} == {"seed-0", "course"}
    assert is_finished(folder)


def test_a_finished_run_can_be_read_by_others(folder):
    assert folder.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("part", ["_write", "sync"])
def test_a_failure_while_writing_leaves_nothing(tmp_path, monkeypatch, part):
    def fail(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(results_files, part, fail)
    with pytest.raises(CannotWrite, match=r"seed-0 cannot be written: No space left on device"):
        write_run(tmp_path / "group" / "seed-0", CONFIG, 0, trained(), "1")
    assert list((tmp_path / "group").iterdir()) == []


def test_a_finished_run_is_never_changed(folder):
    group = folder.parent
    before = {name: (group / name).read_bytes() for name in files(group)}
    write_run(folder, CONFIG, 0, trained(seed=1), "9.9.9")
    assert {name: (group / name).read_bytes() for name in files(group)} == before
    assert {path.name for path in group.iterdir()} == {"seed-0", "course"}


def test_nothing_of_the_machine_or_its_user_is_written_down(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPORL_TEST_SECRET", "a-secret-of-the-user")
    path = tmp_path / "group" / "seed-0"
    write_run(path, CONFIG, 0, trained(), "1")
    everything = b"".join((path / name).read_bytes() for name in files(path))
    secrets = [str(tmp_path), str(Path.cwd()), os.uname().nodename, "a-secret-of-the-user"]
    user = getpass.getuser()
    for secret in [*secrets, f'"{user}"', f"/{user}/"]:
        assert secret.encode() not in everything


def test_seeds_are_found_in_the_order_of_their_numbers(tmp_path):
    for seed in (10, 2, 0):
        write_run(seed_folder(tmp_path, seed), CONFIG, seed, trained(), "1")
    (tmp_path / "seed-5").mkdir()
    assert [path.name for path in seed_folders(tmp_path)] == ["seed-0", "seed-2", "seed-10"]
    assert seed_folders(tmp_path / "seed-2") == [tmp_path / "seed-2"]
    assert seed_folders(tmp_path / "seed-5") == []
    assert seed_folders(tmp_path / "nowhere") == []


def test_columns_of_several_runs_are_stacked(tmp_path):
    paths = [seed_folder(tmp_path, seed) for seed in range(3)]
    for seed, path in enumerate(paths):
        write_run(path, CONFIG, seed, trained(seed=seed), "1")
    decisions = evaluation_columns(paths, ["decisions"])["decisions"]
    assert decisions.shape == (3, 20)
    assert decisions[2].tolist() == trained(seed=2).evaluations.decisions.tolist()


def test_configurations_have_folders_of_their_own(tmp_path):
    others = [
        CONFIG,
        RunConfig(make_agent("t-q", max_skip=5), CONFIG.environment, episodes=20),
        RunConfig(CONFIG.agent, CONFIG.environment, episodes=21),
        RunConfig(CONFIG.agent, CONFIG.environment, steps=20),
        RunConfig(CONFIG.agent, CONFIG.environment, episodes=20, evaluate_every=2),
        RunConfig(CONFIG.agent, EnvironmentSpec("temporl/ZigZag-v0", {"slip": 0.1}), 20),
        RunConfig(CONFIG.agent, EnvironmentSpec("temporl/ZigZag-v0", {}, 50), 20),
    ]
    assert len({group_folder(tmp_path, "x", config) for config in others}) == len(others)
    assert group_folder(tmp_path, "x", CONFIG).name.startswith("t-q-")


def test_the_name_of_a_configuration_does_not_change():
    """Finished runs are found by it: a new digest would train everything again."""
    assert CONFIG.digest == RunConfig.from_data(json.loads(json.dumps(CONFIG.to_data()))).digest


@pytest.mark.parametrize(
    ("budget", "field"),
    [
        ({}, "episodes"),
        ({"episodes": 1, "steps": 1}, "episodes"),
        ({"episodes": 0}, "episodes"),
        ({"steps": 0}, "steps"),
        ({"episodes": 1, "evaluate_every": -1}, "evaluate_every"),
    ],
)
def test_budgets_that_make_no_sense_are_refused(budget, field):
    with pytest.raises(BadInput) as caught:
        RunConfig(CONFIG.agent, CONFIG.environment, **budget)
    assert caught.value.field == field


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(BadInput, match="cannot be written") as caught:
            prepare_output(out)
        assert caught.value.field == "out"


def test_an_output_folder_is_made_and_left_empty(tmp_path):
    out = prepare_output(tmp_path / "a" / "b")
    assert out.is_dir()
    assert list(out.iterdir()) == []


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(BadInput, match="no finished run"):
        read_config(tmp_path)
    with pytest.raises(BadInput, match="no policy"):
        load_policy(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"PAR1"])
def test_damaged_records_are_refused_by_name(folder, content):
    (folder / "config.json").write_bytes(content)
    with pytest.raises(DamagedFile, match=r"config\.json"):
        read_config(folder)
    (folder / "evaluations.parquet").write_bytes(content)
    with pytest.raises(DamagedFile, match=r"evaluations\.parquet"):
        read_evaluations(folder)


def test_a_truncated_record_of_evaluations_is_refused(folder):
    path = folder / "evaluations.parquet"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DamagedFile, match=r"evaluations\.parquet"):
        read_evaluations(folder)


def test_runs_without_evaluations_are_complete(tmp_path):
    config = RunConfig(CONFIG.agent, CONFIG.environment, episodes=5, evaluate_every=0)
    write_run(tmp_path / "seed-0", config, 0, trained(config), "1")
    assert read_evaluations(tmp_path / "seed-0").num_rows == 0
    assert np.isfinite(load_policy(tmp_path / "seed-0" / "policy").tables.action_values).all()
