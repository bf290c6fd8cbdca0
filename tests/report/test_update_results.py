from __future__ import annotations

import csv
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from tests.report import deep_runs

from temporl.experiments import experiment_named

SCRIPT = Path(__file__).parents[2] / "docs" / "update_results.py"
NAMES = ("featurized", "featurized-skip", "architectures")
PAGE = """# Results
<!-- featurized -->
<!-- /featurized -->
![Curves](images/featurized-curves.png)
<!-- featurized-skip -->
as before
<!-- /featurized-skip -->
<!-- architectures -->
old
<!-- /architectures -->
![Lengths](images/architectures-skip-length.png)
"""


@pytest.fixture
def script(monkeypatch):
    spec = spec_from_file_location("update_results", SCRIPT)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert set(NAMES) <= set(module.EXPERIMENTS)
    small = {name: deep_runs.short(experiment_named(name)) for name in NAMES}
    monkeypatch.setattr(module, "EXPERIMENTS", small)
    return module


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    for part in ("results", "images"):
        (folder / part).mkdir(parents=True)
    (folder / "experiments.md").write_text(PAGE)
    (tmp_path / "README.md").write_text("nothing to see here")
    return folder


def test_what_is_finished_is_shown_and_the_rest_stays(script, docs, tmp_path, capsys):
    featurized = script.EXPERIMENTS["featurized"]
    cell = deep_runs.cell_of(featurized, "LunarLander", "t-dqn")
    deep_runs.write(featurized, cell, tmp_path / "runs", [(250,) * 5])
    script.update(tmp_path / "runs", docs)
    assert {path.name for path in docs.rglob("*.*")} == {
        "experiments.md",
        "featurized.csv",
        "featurized-curves.png",
        "architectures.csv",
        "architectures-skip-length.png",
    }
    with (docs / "results" / "architectures.csv").open(newline="") as file:
        assert [row["value"] for row in csv.DictReader(file)] == ["0.8", "30.0"]
    page = (docs / "experiments.md").read_text()
    assert page.count("| t-dqn | concat | 4 | 0.800 (0.88) | 30.0 |") == 1
    assert page.count("| t-dqn | concat | 4 | 0.800 (0.878) | 30.0 |") == 1
    assert "as before" in page
    assert "old" not in page
    assert (tmp_path / "README.md").read_text() == "nothing to see here"
    said = capsys.readouterr().out
    assert "featurized: up to date" in said
    assert "featurized-skip: no finished runs" in said
    script.update(tmp_path / "runs", docs)
    assert (docs / "experiments.md").read_text() == page


def test_runs_that_are_shorter_than_in_the_paper_are_shown(script, docs, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "SHORTER", {"featurized": 600})
    whole = script.EXPERIMENTS["featurized"]
    for experiment, value in ((whole, -250), (whole.lasting(600), 250)):
        cell = deep_runs.cell_of(experiment, "LunarLander", "t-dqn")
        deep_runs.write(experiment, cell, tmp_path / "runs", [(value,) * 3])
    script.update(tmp_path / "runs", docs)
    page = (docs / "experiments.md").read_text()
    assert "600 steps" in page
    assert "| t-dqn | concat | 4 | 0.667 (0.88) |" in page


def test_an_empty_folder_changes_nothing(script, docs, tmp_path):
    script.update(tmp_path / "runs", docs)
    assert (docs / "experiments.md").read_text() == PAGE
    assert not any((docs / "results").iterdir())
    assert not (tmp_path / "runs").exists()
