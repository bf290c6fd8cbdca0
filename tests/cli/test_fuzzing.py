"""Any words: a valid command, or exit code 2 with one line. No traceback, no hang."""

from __future__ import annotations

import contextlib
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from temporl.agents import AGENTS
from temporl.cli import main

ODD = ["", "-1", "0", "1", "2", "1.5", "nan", "inf", "9" * 30, "x", "ü", "--", "a=1", "1/2", "../x"]
FLAGS = {
    "train": [
        *("--env", "--episodes", "--steps", "--seeds", "--seed", "--evaluate-every", "--driver"),
        *("--workers", "--step-limit", "--env-options", "--checkpoint-minutes", "--max-skip"),
        *("--alpha", "--epsilon", "--skips", "--hidden", "--colour", "--ep", "-h1", "--log"),
    ],
    "sweep": ["--shard", "--workers", "--ray", "--colour", "--out"],
    "reproduce": ["--seeds", "--workers", "--ray", "--agents", "--environments", "--nonsense"],
    "evaluate": ["--episodes", "--env", "--seed", "--json", "--trust-env"],
    "verify": ["--json"],
    "resume": ["--workers", "--trust-env", "--x"],
    "list": ["agents", "things", "--help-me"],
}


@st.composite
def command_lines(draw):
    """A command, sometimes one that there is, with flags, sometimes its own, and odd values."""
    command = draw(st.sampled_from([*FLAGS, "trian", "", "--", "-x"]))
    flags = st.sampled_from(FLAGS.get(command, ["--x"]))
    words = draw(st.lists(flags | st.sampled_from(ODD) | st.text(max_size=4), max_size=5))
    if command == "train":
        words.insert(0, draw(st.sampled_from([*AGENTS, "nobody", "--env"])))
    return [command, *words]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@settings(
    max_examples=400,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(command_lines())
def test_any_words(words):
    printed, complaints = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaints):
        try:
            code = main(words)
        except SystemExit as leaving:  # --help leaves so
            code = leaving.code or 0
    assert code in (0, 2)
    if code == 2:
        assert complaints.getvalue().startswith("temporl: ")
        assert complaints.getvalue().count("\n") == 1
