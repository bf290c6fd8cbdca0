"""What is imported, and what is not until it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"jax", "numba", "pyarrow", "matplotlib", "scipy", "plotly"}


def imported(code: str, folder: object) -> set[str]:
    """Which of the heavy packages a fresh process has imported after some code."""
    report = f"{code}\nimport sys\nprint(*sorted({HEAVY!r} & sys.modules.keys()), file=sys.stderr)"
    command = [sys.executable, "-c", report]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def commanded(*arguments: str) -> str:
    """The command line, as code."""
    return (
        f"import contextlib, sys; sys.argv = ['temporl', *{arguments!r}]\n"
        "from temporl.cli import main\n"
        "with contextlib.suppress(SystemExit): main()"
    )


@pytest.mark.parametrize(
    "code", ["import temporl", commanded("--help"), commanded("list", "agents")]
)
def test_what_people_do_first_imports_nothing_heavy(code, tmp_path):
    assert imported(code, tmp_path) == set()


def test_every_public_name_can_be_used_in_a_fresh_process(tmp_path):
    code = "import temporl\nfor name in temporl.__all__:\n    getattr(temporl, name)"
    assert imported(code, tmp_path)


def test_tables_are_trained_without_jax(tmp_path):
    train = (
        "import temporl\n"
        "temporl.train('t-q', 'temporl/ZigZag-v0', episodes=20, progress=False, workers=1)"
    )
    found = imported(train, tmp_path)
    assert "numba" in found
    assert found.isdisjoint({"jax", "matplotlib", "plotly"})
