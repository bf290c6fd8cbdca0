from __future__ import annotations

from tests.direct import train_tabular

import temporl
from temporl.agents import make_agent
from temporl.runs.progress import ProgressDisplay
from temporl.runs.workers import default_workers
from temporl.training.outcome import ProgressReport


def test_a_log_gets_a_line_at_the_end(capsys):
    with ProgressDisplay("q on Cliff", 2) as display:
        for _ in range(2):
            with display.run() as on_progress:
                on_progress(ProgressReport(0.5, 100, {"return": -3.0, "decisions": 7.0}))
    captured = capsys.readouterr()
    line = captured.err.strip()
    assert line.startswith("q on Cliff: 2.0 of 2 runs")
    assert "steps/s, return -3, decisions 7" in line
    assert "\n" not in line
    assert captured.out == ""


def test_no_progress_is_shown_when_none_is_wanted(capsys):
    with ProgressDisplay("q on Cliff", 1, show=False) as display, display.run() as on_progress:
        on_progress(ProgressReport(1.0, 100, {}))
    assert capsys.readouterr() == ("", "")


def test_training_shows_progress_on_the_error_stream_only(tmp_path, capsys):
    temporl.train("q", "temporl/Cliff-v0", episodes=5, out=tmp_path, workers=1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "q on Cliff-v0: 1.0 of 1 runs" in captured.err


def test_progress_never_goes_back():
    reports: list[ProgressReport] = []
    train_tabular(
        make_agent("q"),
        temporl.EnvironmentSpec("temporl/Cliff-v0").make,
        name="cliff",
        seed=0,
        episodes=12_000,
        evaluate_every=0,
        on_progress=reports.append,
    )
    fractions = [report.fraction for report in reports]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert len(fractions) > 1


def test_there_is_at_least_one_worker():
    assert default_workers() >= 1
