"""Bring the tables and pictures of the documentation up to date from a results folder.

    make results

runs all experiments first; with finished runs it is

    python docs/update_results.py runs

Experiments without a finished run stay as they are; of the others, all finished runs count. Of
Atari, these are runs of fewer steps than the paper's, which take hours instead of days. A table
stands between `<!-- NAME -->` and `<!-- /NAME -->`; a picture is copied if a page shows it.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from temporl.experiments import EXPERIMENTS
from temporl.report import write_report
from temporl.report.cells import collect

DOCS = Path(__file__).parent
SHORTER = {"atari": 200_000}
"""Experiments whose runs are shorter here than in the paper, and their steps."""


def markdown_of(folder: Path) -> str:
    """The table of an experiment without its heading."""
    return (folder / "table.md").read_text().partition("\n")[2].strip()


def update(runs: Path, docs: Path = DOCS) -> None:
    """Write reports, copy their rows and pictures, and set their tables into the pages."""
    pages = [docs.parent / "README.md", *sorted(docs.glob("*.md"))]
    for name, whole in EXPERIMENTS.items():
        experiment = whole.lasting(SHORTER[name]) if name in SHORTER else whole
        folder = runs / name
        if not collect(experiment, runs, experiment.seeds):
            print(f"{name}: no finished runs in {runs}, left as it is")
            continue
        write_report(experiment, runs, experiment.seeds)
        shutil.copy(folder / "table.csv", docs / "results" / f"{name}.csv")
        for picture in folder.glob("*.png"):
            shown = f"{name}-{picture.name}"
            if any(f"images/{shown}" in page.read_text() for page in pages):
                shutil.copy(picture, docs / "images" / shown)
        block = f"<!-- {name} -->\n{markdown_of(folder)}\n<!-- /{name} -->"
        pattern = rf"<!-- {name} -->.*?<!-- /{name} -->"
        for page in pages:
            text = page.read_text()
            new = re.sub(pattern, lambda _, block=block: block, text, flags=re.DOTALL)
            if new != text:
                page.write_text(new)
        print(f"{name}: up to date")


if __name__ == "__main__":
    update(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
