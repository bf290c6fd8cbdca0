"""Bring the tables and pictures of the documentation up to date from a results folder.

    make results

runs all experiments first; with finished ones it is

    python docs/update_results.py runs

A table stands between `<!-- NAME -->` and `<!-- /NAME -->`.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from temporl.experiments import EXPERIMENTS

DOCS = Path(__file__).parent
PAGES = [DOCS.parent / "README.md", DOCS / "experiments.md"]


def markdown_of(folder: Path) -> str:
    """The table of an experiment without its heading."""
    return (folder / "table.md").read_text().partition("\n")[2].strip()


def update(runs: Path) -> None:
    """Copy rows and pictures, and set the tables into the pages."""
    for name in EXPERIMENTS:
        folder = runs / name
        if not (folder / "table.md").exists():
            print(f"{name}: no results in {folder}, left as it is")
            continue
        shutil.copy(folder / "table.csv", DOCS / "results" / f"{name}.csv")
        for picture in folder.glob("*.png"):
            shown = f"{name}-{picture.name}"
            if any(f"images/{shown}" in page.read_text() for page in [*PAGES, *DOCS.glob("*.md")]):
                shutil.copy(picture, DOCS / "images" / shown)
        for page in PAGES:
            block = f"<!-- {name} -->\n{markdown_of(folder)}\n<!-- /{name} -->"
            pattern = rf"<!-- {name} -->.*?<!-- /{name} -->"
            page.write_text(
                re.sub(pattern, lambda _, text=block: text, page.read_text(), flags=re.DOTALL)
            )
        print(f"{name}: up to date")


if __name__ == "__main__":
    update(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
