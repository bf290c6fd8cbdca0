from __future__ import annotations

import csv
import shutil
import sys
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
CLAIMS = """
[[claim]]
sentence = "t-dqn lands."
rows = { table = "featurized", environment = "LunarLander", metric = "reward_auc" }
at_least = 0.5
"""
ROWS = """agent,metric,value,seeds,published
q,auc,0.5,5,0.52
t-q,auc,0.8,5,0.75
ez-q,auc,,5,
q,decisions,30,3,30
t-q,decisions,10,5,9
"""


@pytest.fixture
def script(monkeypatch):
    spec = spec_from_file_location("update_results", SCRIPT)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "update_results", module)
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
    (folder / "claims.toml").write_text(CLAIMS)
    (tmp_path / "README.md").write_text("nothing to see here")
    return folder


def test_what_is_finished_is_shown_and_the_rest_stays(script, docs, tmp_path, capsys):
    featurized = script.EXPERIMENTS["featurized"]
    cell = deep_runs.cell_of(featurized, "LunarLander", "t-dqn")
    deep_runs.write(featurized, cell, tmp_path / "runs", [(250,) * 5])
    script.update(tmp_path / "runs", docs)
    assert {path.name for path in docs.rglob("*.*")} == {
        "experiments.md",
        "claims.md",
        "claims.toml",
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
    assert "1 of 1 claims are met" in said
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
    assert (
        "| t-dqn lands. | featurized | rows are missing | **not met** |"
        in (docs / "claims.md").read_text()
    )


AUC = {"table": "made-up", "metric": "auc"}
T_Q = {**AUC, "agent": "t-q"}
BOTH = {**AUC, "agent": ["q", "t-q"]}
DECISIONS = {"table": "made-up", "metric": "decisions"}


@pytest.mark.parametrize(
    ("claim", "met", "shown"),
    [
        ({"rows": T_Q, "at_least": 0.8}, True, "0.8 ≥ 0.8"),
        ({"rows": T_Q, "above": 0.8}, False, "0.8 > 0.8"),
        ({"rows": BOTH, "at_least": 0.6}, False, "0.5 ≥ 0.6"),
        ({"rows": BOTH, "at_least": 0.4, "below": 0.81}, True, "0.8 < 0.81"),
        ({"rows": BOTH, "without": {"agent": "q"}, "at_least": 0.6}, True, "0.8 ≥ 0.6"),
        ({"rows": BOTH, "take": "lowest", "at_most": 0.6}, True, "0.5 ≤ 0.6"),
        ({"rows": BOTH, "at_least": {"column": "published"}}, False, "0.5 ≥ 0.52"),
        ({"rows": BOTH, "at_least": {"column": "published", "plus": -0.05}}, True, "0.5 ≥ 0.47"),
        ({"rows": T_Q, "above": {"rows": {"agent": "q"}, "times": 1.5}}, True, "0.8 > 0.75"),
        ({"rows": AUC, "take": "highest", "at_least": 0.8}, True, "0.8 ≥ 0.8"),
        ({"rows": DECISIONS, "at_most": {"take": "lowest", "times": 2}}, False, "30 ≤ 20"),
        ({"rows": DECISIONS, "at_most": 40, "seeds": 3}, True, "30 ≤ 40"),
        ({"rows": DECISIONS, "at_most": 40, "seeds": 4}, False, "3 ≥ 4 seeds"),
        ({"rows": DECISIONS, "seeds": 3}, True, "3 ≥ 3 seeds"),
        ({"rows": AUC | {"agent": "ez-q"}, "at_least": 0}, False, "nan ≥ 0"),
        ({"rows": AUC | {"agent": "sac"}, "at_least": 0}, False, "rows are missing"),
        ({"rows": T_Q, "at_least": {"rows": {"agent": "sac"}}}, False, "rows are missing"),
        ({"rows": {"table": "nowhere"}, "at_least": 0}, False, "rows are missing"),
    ],
)
def test_a_claim_is_met_or_not_by_the_rows(claim, met, shown, script, tmp_path):
    (tmp_path / "made-up.csv").write_text(ROWS)
    outcome = script.check(script.Claim("It is so.", **claim), tmp_path)
    assert (outcome.met, outcome.shown) == (met, shown)


def test_a_claim_that_is_not_met_is_a_finding_and_no_error(script, docs, capsys):
    (docs / "results" / "made-up.csv").write_text(ROWS)
    (docs / "claims.toml").write_text(
        """
        claim = [
            { sentence = "q is good.", rows = { table = "made-up", agent = "q" }, above = 1 },
            { sentence = "All learn.", rows = { table = "made-up", metric = "auc" }, seeds = 5 },
        ]
        """
    )
    script.update_claims(docs)
    page = (docs / "claims.md").read_text()
    assert "1 of 2 claims are met." in page
    assert "| q is good. | made-up | 0.5 > 1 | **not met** |" in page
    assert "| All learn. | made-up | 5 ≥ 5 seeds | met |" in page
    assert "made-up: not met (0.5 > 1): q is good." in capsys.readouterr().out


def test_a_misspelt_claim_is_an_error(script):
    with pytest.raises(TypeError, match="at_leat"):
        script.Claim("It is so.", AUC, at_leat=1)


def test_the_page_of_claims_is_that_of_the_rows(script, tmp_path):
    docs = SCRIPT.parent
    shutil.copy(docs / "claims.toml", tmp_path)
    shutil.copytree(docs / "results", tmp_path / "results")
    script.update_claims(tmp_path)
    assert (tmp_path / "claims.md").read_text() == (docs / "claims.md").read_text()
