"""Bring the tables and pictures of the documentation up to date from a results folder.

    make results

runs all experiments first; with finished runs it is

    python docs/update_results.py runs

Experiments without a finished run stay as they are; of the others, all finished runs count. Of
Atari, these are runs of fewer steps than the paper's, which take hours instead of days. A table
stands between `<!-- NAME -->` and `<!-- /NAME -->`; a picture is copied if a page shows it.

Last, every claim of `claims.toml` is checked against the rows in `results`, and `claims.md` and the
terminal say which are met. A claim that is not met is a finding, no error.
"""

from __future__ import annotations

import csv
import math
import operator
import re
import shutil
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from temporl.experiments import EXPERIMENTS
from temporl.report import write_report
from temporl.report.cells import collect

DOCS = Path(__file__).parent
SHORTER = {"atari": 200_000}
"""Experiments whose runs are shorter here than in the paper, and their steps."""

Row = dict[str, str]
COMPARISONS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "at_least": ("≥", operator.ge),
    "at_most": ("≤", operator.le),
    "above": (">", operator.gt),
    "below": ("<", operator.lt),
}
CLAIMS_PAGE = """# Claims

What the documentation says of the rows in `docs/results`, checked against them by
`docs/update_results.py`. The claims are data, `docs/claims.toml`. *Closest* shows the numbers that
come nearest to breaking a claim, or break it most.

{met} of {count} claims are met.

| claim | experiment | closest | |
| --- | --- | --- | --- |
{lines}
"""


@dataclass(frozen=True)
class Claim:
    """A sentence of the documentation, and what it asks of rows: an entry of `claims.toml`."""

    sentence: str
    rows: dict[str, Any]
    without: dict[str, Any] = field(default_factory=dict)
    take: str = "every"
    at_least: Any = None
    at_most: Any = None
    above: Any = None
    below: Any = None
    seeds: int = 0


@dataclass(frozen=True)
class Bound:
    """What rows are compared with: values of the same rows or of others, scaled and shifted."""

    rows: dict[str, Any] = field(default_factory=dict)
    column: str = "value"
    take: str = "every"
    times: float = 1.0
    plus: float = 0.0


class Outcome(NamedTuple):
    """Whether a comparison holds, and how clearly: in order, what breaks a claim most is first."""

    met: bool
    margin: float
    shown: str


MISSING = Outcome(False, -math.inf, "rows are missing")


def check(claim: Claim, results: Path) -> Outcome:
    """Compare the rows of a claim with what it asks of them: the comparison that decides."""
    rows = select(results, claim.rows, claim.without, claim.take)
    compared, outcomes = list(rows), []
    for name, (sign, holds) in COMPARISONS.items():
        given = getattr(claim, name)
        if given is None:
            continue
        bounds = [given]
        if isinstance(given, dict):
            bound = Bound(**given)
            others = select(
                results, claim.rows | bound.rows, claim.without, bound.take, bound.column
            )
            bounds = [bound.times * number(row, bound.column) + bound.plus for row in others]
            compared += others
        if len(bounds) == 1:
            bounds *= len(rows)
        if len(bounds) != len(rows):
            return MISSING
        for value, limit in zip((number(row) for row in rows), bounds, strict=True):
            met, distance = holds(value, limit), abs(value - limit)
            shown = f"{value:.4g} {sign} {limit:.4g}"
            outcomes.append(Outcome(met, distance if met else -distance, shown))
    if not rows:
        return MISSING
    if claim.seeds:
        fewest = min(int(row["seeds"]) for row in compared)
        shown = f"{fewest} ≥ {claim.seeds} seeds"
        outcomes.append(Outcome(fewest >= claim.seeds, math.inf, shown))
    return min(outcomes)


def select(
    results: Path,
    wanted: dict[str, Any],
    unwanted: dict[str, Any],
    take: str,
    column: str = "value",
) -> list[Row]:
    """The rows of a table with the wanted values in their columns, or the one to take of them."""
    file = results / f"{wanted['table']}.csv"
    table = csv.DictReader(file.read_text().splitlines() if file.exists() else [])
    columns = {name: values for name, values in wanted.items() if name != "table"}
    found = [row for row in table if fits(row, columns) and not (unwanted and fits(row, unwanted))]
    if take == "every":
        return found
    reached = [row for row in found if row[column]]
    ordered = sorted(reached, key=lambda row: number(row, column))
    return {"lowest": ordered[:1], "highest": ordered[-1:]}[take]


def fits(row: Row, wanted: dict[str, Any]) -> bool:
    """Whether a row has these values in these columns, or one of a list of them."""
    return all(
        row[column] in (values if isinstance(values, list) else [values])
        for column, values in wanted.items()
    )


def number(row: Row, column: str = "value") -> float:
    """The number in a column; where it is empty, one that meets no claim."""
    return float(row[column] or "nan")


def update_claims(docs: Path = DOCS) -> None:
    """Check all claims, write the page about them, and print those that are not met."""
    claims = [
        Claim(**given) for given in tomllib.loads((docs / "claims.toml").read_text())["claim"]
    ]
    outcomes = [check(claim, docs / "results") for claim in claims]
    lines = []
    for claim, outcome in zip(claims, outcomes, strict=True):
        word, table = "met" if outcome.met else "**not met**", claim.rows["table"]
        lines.append(f"| {claim.sentence} | {table} | {outcome.shown} | {word} |")
        if not outcome.met:
            print(f"{table}: not met ({outcome.shown}): {claim.sentence}")
    met = sum(outcome.met for outcome in outcomes)
    page = CLAIMS_PAGE.format(met=met, count=len(claims), lines="\n".join(lines))
    (docs / "claims.md").write_text(page)
    print(f"{met} of {len(claims)} claims are met")


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
    update_claims(docs)


if __name__ == "__main__":
    update(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
