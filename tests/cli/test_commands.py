"""The commands, run as a user would."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from temporl.cli import main


@pytest.fixture
def trained(tmp_path, capsys):
    """The folder of a run with two seeds."""
    words = f"train t-q --env temporl/ZigZag-v0 --episodes 500 --seeds 2 --out {tmp_path}/runs"
    assert main([*words.split(), "--workers", "1"]) == 0
    capsys.readouterr()
    (folder,) = (tmp_path / "runs" / "ZigZag-v0").glob("t-q-*")
    return folder


def test_help_names_every_command(capsys):
    for words in ([], ["--help"]):
        assert main(words) == 0
        printed = capsys.readouterr().out
        assert all(name in printed for name in ("train", "evaluate", "reproduce", "list"))
    assert main(["train", "--help"]) == 0
    assert "t-q" in capsys.readouterr().out


def test_help_of_an_agent_lists_its_options_with_their_sources(capsys):
    with pytest.raises(SystemExit) as leaving:
        main(["train", "t-q", "--help"])
    assert leaving.value.code in (None, 0)
    printed = capsys.readouterr().out
    for option in ("--env", "--max-skip", "--connections", "--skip-epsilon", "--tie-tolerance"):
        assert option in printed


def test_train_writes_seeds_and_a_picture(trained):
    inside = {path.name for path in trained.iterdir()}
    assert inside == {"seed-0", "seed-1", "course", "policy.png"}


def test_training_again_changes_nothing(trained):
    before = {path: path.stat().st_mtime_ns for path in trained.rglob("seed-*/*")}
    words = f"train t-q --env temporl/ZigZag-v0 --episodes 500 --seeds 2 --out {trained.parents[1]}"
    assert main(words.split()) == 0
    assert {path: path.stat().st_mtime_ns for path in trained.rglob("seed-*/*")} == before


def test_evaluate_prints_json_as_documented(trained, capsys):
    assert main(["evaluate", str(trained / "seed-1"), "--episodes", "3", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert set(summary) == {"episodes", "return", "steps", "decisions"}
    assert summary["episodes"] == 3
    for name in ("return", "steps", "decisions"):
        assert set(summary[name]) == {"mean", "std", "min", "max"}
    assert summary["return"]["mean"] == 1.0
    assert summary["decisions"]["mean"] < summary["steps"]["mean"] / 2


def test_evaluate_decides_again_when_it_is_told_to(trained, capsys):
    outcomes = {}
    for longest in (1, 2, 100):
        assert main(["evaluate", str(trained), "--json", "--max-skip", str(longest)]) == 0
        outcomes[longest] = json.loads(capsys.readouterr().out)
    assert main(["evaluate", str(trained), "--json"]) == 0
    assert outcomes[100] == json.loads(capsys.readouterr().out)
    assert outcomes[1]["decisions"] == outcomes[1]["steps"]
    assert outcomes[2]["decisions"]["mean"] > outcomes[100]["decisions"]["mean"]


def test_evaluate_prints_a_table_for_people(trained, capsys):
    assert main(["evaluate", str(trained)]) == 0
    printed = capsys.readouterr().out
    assert "seed-0" in printed
    assert "decisions" in printed


def test_an_environment_in_a_file_is_not_imported_without_the_users_word(trained, capsys):
    config = trained / "seed-0" / "config.json"
    record = json.loads(config.read_text())
    record["environment"]["name"] = "this_would_run:Env-v0"
    config.write_text(json.dumps(record))
    (config.parent / "manifest.json").unlink()  # a stranger would write another
    assert main(["evaluate", str(trained / "seed-0")]) == 2
    assert "--trust" in capsys.readouterr().err
    words = ["evaluate", str(trained / "seed-0"), "--env", "temporl/ZigZag-v0"]
    assert main(words) == 0


def test_lists(capsys):
    for kind, expected in (
        ("agents", ["q ", "t-q", "ez-q"]),
        ("environments", ["temporl/Cliff-v0", "FrozenLake-v1", "PATH.txt"]),
        ("experiments", ["gridworlds", "18 cells x 100 seeds", "skip-length", "exploration"]),
    ):
        assert main(["list", kind]) == 0
        printed = capsys.readouterr().out
        assert all(text in printed for text in expected)


def test_reproduce_prints_ours_beside_published_and_runs_only_what_is_missing(tmp_path, capsys):
    words = f"reproduce exploration --seeds 2 --out {tmp_path}".split()
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "6 runs" in printed
    folder = tmp_path / "exploration"
    rows = json.loads((folder / "table.json").read_text())
    assert {row["agent"] for row in rows} == {"q", "ez-q", "t-q"}
    assert {row["seeds"] for row in rows} == {2}
    assert (folder / "table.md").read_text() in printed
    assert main(words) == 0
    assert "0 runs" in capsys.readouterr().out


def test_a_module_in_the_current_folder_can_register_the_environment(tmp_path):
    (tmp_path / "my_worlds.py").write_text(
        "import gymnasium as gym\n"
        "from temporl import GridWorld\n"
        "gym.register('My-v0', entry_point=lambda: GridWorld('S..G'), max_episode_steps=20)\n"
    )
    words = ["train", "t-q", "--env", "my_worlds:My-v0", "--episodes", "50", "--seeds", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "temporl", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "1.0 decisions in 3.0 steps" in done.stdout


def nobody_left_in(group):
    """Whether all processes of a group end within a few seconds."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interruption_leaves_finished_runs_and_no_process(tmp_path, number, code):
    words = f"reproduce gridworlds --workers 2 --out {tmp_path}".split()
    process = subprocess.Popen(
        [sys.executable, "-m", "temporl", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    folder = tmp_path / "gridworlds"
    began = time.monotonic()
    while not list(folder.glob("*/seed-*/config.json")):
        assert time.monotonic() - began < 120
        time.sleep(0.05)
    process.send_signal(number)
    _, complaints = process.communicate(timeout=20)
    assert process.returncode == code
    assert "Traceback" not in complaints
    assert nobody_left_in(process.pid)
    assert not list(folder.glob("*/.seed-*"))
