"""Whatever happens to a file: it is refused by name, and nothing of it is used."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import load_file, save_file
from tests.runs.stopping import deep, planned, stopped, tabular

from temporl.cli import main
from temporl.errors import BadInput, DamagedFile
from temporl.runs.files import read_manifest
from temporl.runs.plan import execute
from temporl.runs.policies import Outlines, load_policy
from temporl.runs.store import read_config, read_evaluations, recorded_environment
from temporl.runs.verify import verify

FILES = (
    "config.json",
    "evaluations.parquet",
    "manifest.json",
    "policy/policy.json",
    "policy/arrays.safetensors",
)
READERS = {
    "config.json": read_config,
    "evaluations.parquet": read_evaluations,
    "manifest.json": read_manifest,
    "policy/policy.json": lambda folder: load_policy(folder / "policy"),
    "policy/arrays.safetensors": lambda folder: load_policy(folder / "policy"),
}


@pytest.fixture(scope="module", params=["t-q", "t-dqn"])
def sound(request, tmp_path_factory):
    config = tabular("t-q", episodes=300) if request.param == "t-q" else deep("t-dqn", "device")
    run = planned(tmp_path_factory.mktemp(request.param), config)
    execute(run)
    return run.folder


@pytest.fixture
def damaged(sound):
    """Change a file of a run for the length of a test."""
    before = {}

    def change(name: str, content: bytes) -> Path:
        path = sound / name
        before.setdefault(path, path.read_bytes())
        path.write_bytes(content)
        return sound

    yield change
    for path, content in before.items():
        path.write_bytes(content)


def refused(folder: Path, name: str) -> None:
    with pytest.raises(DamagedFile) as caught:
        READERS[name](folder)
    message = str(caught.value)
    assert str(folder / name) in message or str(folder / "manifest.json") in message
    assert "\n" not in message


def findings(folder: Path) -> list[str]:
    return [finding.state for finding in verify(folder)]


@pytest.mark.parametrize("name", FILES)
def test_cut_at_every_4_kib_and_zeroed_pages(name, sound, damaged):
    content = (sound / name).read_bytes()
    for length in {*range(0, len(content), 4096), len(content) - 1}:
        refused(damaged(name, content[:length]), name)
    for start in range(0, len(content), 4096):
        changed = bytearray(content)
        changed[start : start + 4096] = bytes(len(changed[start : start + 4096]))
        refused(damaged(name, bytes(changed)), name)


@pytest.mark.parametrize("name", FILES)
def test_flipped_bits(name, sound, damaged):
    content = (sound / name).read_bytes()
    random = np.random.default_rng(0)
    for place in random.integers(0, 8 * len(content), 500):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << (place % 8)
        refused(damaged(name, bytes(changed)), name)
    assert findings(sound) == ["damaged"]


def test_verify_names_what_is_damaged_missing_and_foreign(sound, damaged, capsys):
    assert main(["verify", str(sound.parent)]) == 0
    assert "1 sound" in capsys.readouterr().out
    damaged("evaluations.parquet", b"PAR1")
    arrays = sound / "policy/arrays.safetensors"
    hidden = arrays.read_bytes()
    arrays.unlink()
    (sound / "extra.txt").write_text("who put this here?")
    try:
        assert main(["verify", str(sound.parent)]) == 1
    finally:
        (sound / "extra.txt").unlink()
        arrays.write_bytes(hidden)
    printed = capsys.readouterr().out
    assert f"{sound}/evaluations.parquet: damaged" in printed
    assert f"{arrays}: missing" in printed
    assert f"{sound}/extra.txt: foreign" in printed
    assert f"delete {sound}, and run the same command again" in printed
    assert "1 damaged" in printed


def test_runs_from_before_manifests_are_read_and_said_to_have_none(sound, tmp_path, capsys):
    subprocess.run(["cp", "-r", sound, tmp_path / "seed-3"], check=True)
    (tmp_path / "seed-3" / "manifest.json").unlink()
    assert read_evaluations(tmp_path / "seed-3").num_rows > 0
    assert load_policy(tmp_path / "seed-3" / "policy") is not None
    assert main(["verify", str(tmp_path)]) == 0
    assert "1 no manifest" in capsys.readouterr().out


def test_a_run_in_another_seeds_place_is_found_out(sound, tmp_path):
    subprocess.run(["cp", "-r", sound, tmp_path / "seed-9"], check=True)
    (finding,) = verify(tmp_path)
    assert finding.state == "damaged"
    assert "the record of seed 3" in finding.problems[0]


def test_verify_tells_what_is_under_way_left_off_and_left_over(tmp_path, capsys):
    run = planned(tmp_path, tabular("t-q", episodes=12_000))
    assert stopped(run, checkpoints=0)
    assert main(["verify", str(tmp_path)]) == 0
    assert f"interrupted; resume it: temporl resume {tmp_path}" in capsys.readouterr().out
    assert main(["resume", str(tmp_path)]) == 0
    assert "1 of 1 unfinished runs finished" in capsys.readouterr().out
    (tmp_path / "seed-3.partial").mkdir()
    assert main(["verify", str(tmp_path)]) == 0
    assert "1 left over, 1 sound" in capsys.readouterr().out
    assert main(["resume", str(tmp_path)]) == 0
    assert "0 of 0" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "nowhere")]) == 2


# What strangers may send: a folder without a manifest, or with one of their own, made to match.


@pytest.fixture(scope="module")
def trained_elsewhere(tmp_path_factory):
    run = planned(tmp_path_factory.mktemp("elsewhere"), deep("t-dqn", "device", max_skip=4))
    execute(run)
    (run.folder / "manifest.json").unlink()
    return run.folder


@pytest.fixture
def copied(trained_elsewhere, tmp_path):
    """Copy a policy from elsewhere, with networks."""
    return lambda name: shutil.copytree(trained_elsewhere, tmp_path / name)


@pytest.fixture
def foreign(copied):
    """A policy from elsewhere, with networks."""
    return copied("seed-3")


HOSTILE = """
import contextlib, io, json, os, resource, sys, time
import temporl
from temporl.cli import main
import temporl.agents.policy, temporl.agents.temporl, temporl.runs.policies  # nothing lazy
import temporl.tabular.agents, gymnasium.envs.registration

FORBIDDEN = ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "pickle.find_class",
             "shutil.rmtree", "os.remove", "os.rename", "os.mkdir", "socket.connect", "import.evil")
def hook(event, arguments):
    if event in FORBIDDEN:
        print("EXECUTED", event, arguments); os._exit(9)
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        print("WROTE", arguments[0]); os._exit(9)
    if event == "import" and str(arguments[0]).startswith("evil"):
        print("IMPORTED", arguments); os._exit(9)

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sys.addaudithook(hook)
for words in json.loads(sys.argv[1]):
    complaint, began = io.StringIO(), time.monotonic()
    with contextlib.redirect_stderr(complaint):
        code = main(words)
    seconds = time.monotonic() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps([code, seconds, grown, complaint.getvalue()]))
"""


def hostile(folders: list[Path]) -> list[str]:
    """Evaluate what is in folders under an audit hook; returns the complaint about each."""
    commands = json.dumps([["evaluate", str(folder)] for folder in folders])
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE, commands], capture_output=True, text=True, check=True
    )
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) == len(folders)
    for code, seconds, megabytes, complaint in outcomes:
        assert code in (1, 2), complaint
        assert "Traceback" not in complaint
        assert seconds < 1.0, complaint
        assert megabytes < 200, complaint
    return [complaint for *_, complaint in outcomes]


def rewrite(path: Path, change) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/temporl-was-here",)


def header(entries: dict, size: int | None = None) -> bytes:
    text = json.dumps(entries).encode()
    return struct.pack("<Q", len(text) if size is None else size) + text


def many_entries() -> bytes:
    entry = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    return header({f"array-{number}": entry for number in range(1_000_000)})


ARRAYS = {
    "a pickle": lambda: pickle.dumps(Bomb()),
    "a header of 2**63 bytes": lambda: header({}, 2**63),
    "a header of a megabyte": lambda: header({}, 2**20) + bytes(2**20),
    "a million entries": many_entries,
    "an enormous shape": lambda: (
        header({"x": {"dtype": "F32", "shape": [2**62, 2**62], "data_offsets": [0, 4]}}) + bytes(4)
    ),
    "offsets outside": lambda: header(
        {"x": {"dtype": "F32", "shape": [1], "data_offsets": [2**40, 2**40 + 4]}}
    ),
    "nothing": lambda: b"",
}


def test_hostile_arrays(copied):
    folders = {kind: copied(kind) for kind in ARRAYS}
    for kind, folder in folders.items():
        (folder / "policy/arrays.safetensors").write_bytes(ARRAYS[kind]())
    for folder, complaint in zip(folders.values(), hostile([*folders.values()]), strict=True):
        assert str(folder / "policy/arrays.safetensors") in complaint


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_no_numbers(value, foreign):
    path = foreign / "policy/arrays.safetensors"
    arrays = load_file(path)
    name = sorted(arrays)[0]
    arrays[name].flat[0] = value
    save_file(arrays, path)
    with pytest.raises(DamagedFile, match=r"arrays\.safetensors: .* not finite"):
        load_policy(foreign / "policy")


def test_arrays_that_do_not_belong_there(foreign):
    path = foreign / "policy/arrays.safetensors"
    save_file({**load_file(path), "../../evil": np.zeros(1, np.float32)}, path)
    with pytest.raises(DamagedFile, match="does not belong there"):
        load_policy(foreign / "policy")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_files_that_are_none(kind, foreign):
    for name in FILES:
        path = foreign / name
        if name == "manifest.json":
            continue
        path.rename(path.with_name("elsewhere"))
        if kind == "link":
            path.symlink_to("elsewhere")
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            path.mkdir()
        with pytest.raises((DamagedFile, BadInput), match=path.name.replace(".", r"\.")):
            READERS[name](foreign)
        path.rmdir() if kind == "folder" else path.unlink()
        path.with_name("elsewhere").rename(path)


DESCRIPTIONS = {
    "networks larger than memory": lambda d: d["config"]["options"].update(hidden=[10**6, 10**6]),
    "an observation larger than memory": lambda d: d["observations"].update(shape=[10**12]),
    "a skip for every second since the Flood": lambda d: d["config"]["options"].update(
        max_skip=10**11
    ),
    "deeply nested": lambda d: d.update(observations=nested(300)),
}


def nested(depth: int) -> dict:
    space = {"kind": "discrete", "n": 2, "start": 0}
    for _ in range(depth):
        space = {"kind": "tuple", "spaces": [space]}
    return space


def test_hostile_descriptions(copied):
    folders = {kind: copied(kind) for kind in DESCRIPTIONS}
    for kind, folder in folders.items():
        rewrite(folder / "policy/policy.json", DESCRIPTIONS[kind])
    for folder, complaint in zip(folders.values(), hostile([*folders.values()]), strict=True):
        assert str(folder / "policy/policy.json") in complaint


def test_hostile_json_and_a_file_that_is_too_large(copied):
    folders = []
    for content in (b"[" * 100_000, b'{"a":' * 100_000, pickle.dumps(Bomb()), b"{"):
        folders.append(copied(f"json-{len(folders)}"))
        (folders[-1] / "config.json").write_bytes(content)
    with (folders[-1] / "config.json").open("r+b") as file:
        file.truncate(2**33)
    for folder, complaint in zip(folders, hostile(folders), strict=True):
        assert str(folder / "config.json") in complaint


def set_environment(folder: Path, environment: object) -> None:
    rewrite(folder / "config.json", lambda record: record.update(environment=environment))


def test_environments_that_would_import_a_module(copied):
    environments = {
        "evil:Env-v0": {},
        "GymV26Environment-v0": {"env_id": "evil:E"},
        "CartPole-v1": {"x": "evil:E"},
    }
    folders = [copied(name) for name in environments]
    for folder, (name, options) in zip(folders, environments.items(), strict=True):
        set_environment(folder, {"name": name, "options": options, "step_limit": None})
    for name, complaint in zip(environments, hostile(folders), strict=True):
        assert name in complaint
        assert "--trust" in complaint


def test_records_without_an_environment(foreign):
    for environment in (None, [], "CartPole-v1", {"name": 3}, {"name": "x", "options": 1}):
        set_environment(foreign, environment)
        with pytest.raises(DamagedFile, match=r"config\.json"):
            recorded_environment(foreign)


def test_evaluations_of_another_shape(foreign):
    path = foreign / "evaluations.parquet"
    pq.write_table(pa.table({"return": ["<script>"]}), path)
    with pytest.raises(DamagedFile, match=r"evaluations\.parquet: .* columns are others"):
        read_evaluations(foreign)


def test_evaluations_that_unfold_to_more_than_memory(foreign):
    path = foreign / "evaluations.parquet"
    zeros = {
        "episode": np.zeros(6_000_000, np.int32),
        "step": np.zeros(6_000_000, np.int64),
        "return": np.zeros(6_000_000),
        "length": np.zeros(6_000_000, np.int32),
        "decisions": np.zeros(6_000_000, np.int32),
    }
    pq.write_table(pa.table(zeros), path, compression="zstd")
    assert path.stat().st_size < 1_000_000
    with pytest.raises(DamagedFile, match="more than 5,000,000 rows"):
        read_evaluations(foreign)


def test_a_manifest_that_leads_elsewhere(foreign, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    from temporl.runs.files import _sealed

    listed = {"../secret.txt": {"bytes": 6, "sha256": "0" * 64}, "/etc/passwd": {"bytes": 1}}
    manifest = _sealed({"format": 1, "version": "0", "run": "x", "files": listed})
    (foreign / "manifest.json").write_bytes(manifest)
    (finding,) = verify(foreign)
    assert finding.state == "damaged"
    assert any("secret.txt: missing" in problem for problem in finding.problems)


def test_outlines_have_the_shapes_and_no_more():
    outlines = Outlines()
    assert outlines.uniform(-1, 1, (3, 4)).shape == (3, 4)
    assert outlines.uniform(-1, 1, 5).shape == (5,)
    with pytest.raises(ValueError, match="more than"):
        outlines.uniform(-1, 1, (10**6, 10**6))
