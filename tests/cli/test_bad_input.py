"""Bad input: one line that names the field, the value and the way out, and exit code 2."""

import pytest

from temporl.cli import main

CLIFF = "--env temporl/Cliff-v0"


def complaint(capsys, words):
    """Run a command that must be refused, and return its one line."""
    assert main(words.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("temporl: ")
    return printed.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("trian", ["command", "'trian'", "'train'"]),
        (f"train t-qq {CLIFF}", ["agent", "'t-qq'", "did you mean 't-q'"]),
        (f"train {CLIFF} t-q", ["agent", "comes first"]),
        ("train t-q", ["missing", "--env"]),
        ("train t-q --env temporl/Clif-v0", ["env", "did you mean 'temporl/Cliff-v0'"]),
        ("train t-q --env Taxi-v3", ["env", "'Taxi-v3'", "Taxi-v4"]),
        ("train t-q --env no_such_module:Env-v0", ["env", "no_such_module"]),
        (f"train t-q {CLIFF} --alpa 1", ["--alpa", "did you mean --alpha"]),
        (f"train t-q {CLIFF} --alpha much", ["--alpha", "'much'"]),
        (f"train t-q {CLIFF} --alpha 0", ["alpha", "0.0", "(0, 1]"]),
        (f"train q {CLIFF} --alpha nan", ["alpha", "nan", "(0, 1]"]),
        (f"train q {CLIFF} --epsilon sometimes", ["epsilon", "'sometimes'", "linear"]),
        (f"train t-q {CLIFF} --skip-epsilon -0.1", ["skip_epsilon", "-0.1"]),
        (f"train t-q {CLIFF} --max-skip 0", ["max_skip", "0", "at least 1"]),
        (f"train t-q {CLIFF} --skips 1,3,2", ["skips", "(1, 3, 2)", "increasing"]),
        (f"train t-q {CLIFF} --skips 1,3 --max-skip 5", ["max_skip", "5", "leave one out"]),
        (f"train q {CLIFF} --max-skip 3", ["--max-skip"]),
        ("train t-q --env CartPole-v1", ["observation space", "Box", "discrete"]),
        ("train t-q --env CliffWalking-v1", ["step_limit", "--step-limit"]),
        (f"train q {CLIFF} --episodes 0", ["episodes", "0", "at least 1"]),
        (f"train q {CLIFF} --episodes 5 --steps 5", ["episodes", "not both"]),
        (f"train q {CLIFF} --evaluate-every -1", ["evaluate_every", "-1"]),
        (f"train q {CLIFF} --env-options slip", ["env_options", "'slip'", "key=value"]),
        (f"train q {CLIFF} --env-options slip=2", ["slip", "2", "[0, 1]"]),
        (f"train q {CLIFF} --env-options ice=2", ["env", "'ice'"]),
        ("reproduce gridworld", ["experiment", "'gridworld'", "did you mean 'gridworlds'"]),
        ("reproduce", ["experiment", "at least one"]),
        ("reproduce gridworlds --seeds 0", ["seeds", "0", "at least 1"]),
        ("list", ["agents, environments, experiments"]),
        ("evaluate no/such/run", ["run", "no/such/run", "no finished run"]),
    ],
)
def test_is_refused_in_one_line(capsys, words, said):
    line = complaint(capsys, words)
    for part in said:
        assert part in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("..\n.G\n", "no start"),
        ("S.\n..\n", "no goal"),
        ("S.\n.G.\n", "line 2"),
        ("S?\n.G\n", "line 1, column 2"),
        ("", "empty"),
    ],
)
def test_bad_maps_are_refused_with_the_place(capsys, tmp_path, text, said):
    path = tmp_path / "world.txt"
    path.write_text(text)
    line = complaint(capsys, f"train q --env {path}")
    assert str(path) in line
    assert said in line


def test_a_map_that_does_not_exist_is_refused(capsys, tmp_path):
    assert "No such file" in complaint(capsys, f"train q --env {tmp_path}/none.txt")


@pytest.mark.parametrize("command", [f"train q {CLIFF}", "reproduce gridworlds"])
def test_an_output_folder_that_cannot_be_written_is_refused(capsys, tmp_path, command):
    (tmp_path / "file").write_text("not a folder")
    line = complaint(capsys, f"{command} --out {tmp_path}/file/runs")
    assert "out" in line
    assert "cannot be written" in line
