"""Whatever happens to a file: it is refused by name, and nothing of it is used."""

from __future__ import annotations

import json
import os
import pickle
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
def test_cut_at_every_4_kib(name, sound, damaged):
    content = (sound / name).read_bytes()
    for length in {*range(0, len(content), 4096), len(content) - 1}:
        refused(damaged(name, content[:length]), name)


@pytest.mark.parametrize("name", FILES)
def test_flipped_bits(name, sound, damaged):
    content = (sound / name).read_bytes()
    random = np.random.default_rng(0)
    for place in random.integers(0, 8 * len(content), 1000):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << (place % 8)
        refused(damaged(name, bytes(changed)), name)
    assert findings(sound) == ["damaged"]


@pytest.mark.parametrize("name", FILES)
def test_zeroed_pages(name, sound, damaged):
    content = (sound / name).read_bytes()
    for start in range(0, len(content), 4096):
        changed = bytearray(content)
        changed[start : start + 4096] = bytes(len(changed[start : start + 4096]))
        refused(damaged(name, bytes(changed)), name)


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
    assert stopped(run, pauses=0)
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


@pytest.fixture
def foreign(tmp_path):
    """A policy that somebody else has made, with networks."""
    run = planned(tmp_path, deep("t-dqn", "device", max_skip=4))
    execute(run)
    (run.folder / "manifest.json").unlink()
    return run.folder


HOSTILE = """
import json, os, resource, sys, time
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
began = time.monotonic()
code = main(json.loads(sys.argv[1]))
seconds = time.monotonic() - began
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(json.dumps({"code": code, "seconds": seconds, "megabytes": grown}))
"""


def hostile(*words: str) -> str:
    """Run a command under an audit hook; returns what it complained about."""
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE, json.dumps(list(words))], capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr, done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["code"] in (1, 2), done
    assert outcome["seconds"] < 1.0
    assert outcome["megabytes"] < 200
    return done.stderr


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
    "a pickle": lambda _: pickle.dumps(Bomb()),
    "a header of 2**63 bytes": lambda _: header({}, 2**63),
    "a header of a megabyte": lambda _: header({}, 2**20) + bytes(2**20),
    "a million entries": lambda _: many_entries(),
    "an enormous shape": lambda _: (
        header({"x": {"dtype": "F32", "shape": [2**62, 2**62], "data_offsets": [0, 4]}}) + bytes(4)
    ),
    "offsets outside": lambda _: header(
        {"x": {"dtype": "F32", "shape": [1], "data_offsets": [2**40, 2**40 + 4]}}
    ),
    "nothing": lambda _: b"",
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_hostile_arrays(kind, foreign):
    (foreign / "policy/arrays.safetensors").write_bytes(ARRAYS[kind](None))
    assert "policy/arrays.safetensors" in hostile("evaluate", str(foreign))


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
@pytest.mark.parametrize("name", [name for name in FILES if name != "manifest.json"])
def test_files_that_are_none(kind, name, foreign):
    path = foreign / name
    content = path.read_bytes()
    path.unlink()
    if kind == "link":
        path.with_name("elsewhere").write_bytes(content)
        path.symlink_to("elsewhere")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises((DamagedFile, BadInput), match=path.name.replace(".", r"\.")):
        READERS[name](foreign)


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


@pytest.mark.parametrize("kind", DESCRIPTIONS)
def test_hostile_descriptions(kind, foreign):
    rewrite(foreign / "policy/policy.json", DESCRIPTIONS[kind])
    assert "policy/policy.json" in hostile("evaluate", str(foreign))


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"a":' * 100_000, pickle.dumps(Bomb())])
def test_hostile_json(content, foreign):
    (foreign / "config.json").write_bytes(content)
    assert "config.json" in hostile("evaluate", str(foreign))


def test_a_file_that_is_too_large(foreign):
    with (foreign / "config.json").open("r+b") as file:
        file.truncate(2**33)
    assert "config.json" in hostile("evaluate", str(foreign))


@pytest.mark.parametrize(
    "environment",
    [
        {"name": "evil:Env-v0", "options": {}, "step_limit": None},
        {"name": "GymV26Environment-v0", "options": {"env_id": "evil:E"}, "step_limit": None},
        {"name": "CartPole-v1", "options": {"x": "evil:E"}, "step_limit": None},
    ],
)
def test_environments_that_would_import_a_module(environment, foreign):
    rewrite(foreign / "config.json", lambda record: record.update(environment=environment))
    complaint = hostile("evaluate", str(foreign))
    assert environment["name"] in complaint
    assert "--trust-env" in complaint


@pytest.mark.parametrize(
    "environment", [None, [], "CartPole-v1", {"name": 3}, {"name": "x", "options": 1}]
)
def test_records_without_an_environment(environment, foreign):
    rewrite(foreign / "config.json", lambda record: record.update(environment=environment))
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
