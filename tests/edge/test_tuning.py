"""Searching for hyperparameters."""

from __future__ import annotations

import json

import pytest

import temporl
from temporl.agents import AGENTS, make_agent
from temporl.cli import main
from temporl.edge.tuning import SEARCH, search_space, tune

WORLD = "temporl/ZigZag-v0"


def test_every_agent_has_a_search_space_of_its_own_options():
    class Lowest:
        """Chooses the first of everything."""

        def suggest_float(self, name, low, high, log=False):
            return low

        suggest_int = suggest_float

        def suggest_categorical(self, name, choices):
            return choices[0]

    for agent in AGENTS:
        names = search_space(agent)
        assert 2 <= len(names) <= 8, agent
        assert make_agent(agent, **{name: SEARCH[name](Lowest(), name) for name in names})


def test_it_finds_a_better_learning_rate_than_the_worst_trial(tmp_path):
    told = []
    best = tune(
        "t-q",
        WORLD,
        trials=6,
        episodes=150,
        out=tmp_path,
        on_trial=lambda _, score: told.append(score),
    )
    finished = [score for score in told if score is not None]
    assert best.score == max(finished) > min(finished)
    record = json.loads((best.path / "best.json").read_text())
    assert record["options"] == best.options
    assert set(best.options) == set(search_space("t-q"))


def test_running_it_again_makes_only_what_is_missing(tmp_path):
    told = []

    def search(trials):
        return tune(
            "q",
            WORLD,
            trials=trials,
            episodes=20,
            out=tmp_path,
            on_trial=lambda number, _: told.append(number),
        )

    search(2)
    assert search(3).trials == 3
    assert told == [0, 1, 2]


def test_trials_that_fall_behind_are_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("temporl.tabular.training.CHUNK_EPISODES", 20)  # progress is seen often
    best = tune("t-q", WORLD, trials=15, episodes=300, out=tmp_path)
    assert best.trials == 15
    assert best.pruned >= 1


def test_the_command_prints_a_command(tmp_path, capsys):
    words = ["tune", "q", "--env", WORLD, "--trials", "2", "--episodes", "30"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "best of 2 trials" in printed
    assert f"temporl train q --env {WORLD} --alpha" in printed


@pytest.mark.parametrize("changes", [{"trials": 0}, {"seeds": 0}, {"agent": "qq"}])
def test_bad_input_is_refused(tmp_path, changes):
    with pytest.raises(temporl.BadInput):
        tune(**({"agent": "q", "env": WORLD, "out": tmp_path} | changes))
