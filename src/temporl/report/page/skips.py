"""How long the decisions of trained policies last, in greedy episodes played for the page."""

from __future__ import annotations

from collections import Counter

from temporl.errors import TemporlError
from temporl.report.figures.paths import greedy_path
from temporl.report.page.groups import Group
from temporl.runs.policies import load_policy
from temporl.runs.store import POLICY
from temporl.types import Record

SEEDS = 10
ENOUGH_DECISIONS = 2000


def chosen_skips(group: Group) -> Record | None:
    """How often each skip was chosen in one greedy episode of each of the first seeds.

    None where the environment cannot be made here, or only by importing a module that a file
    names.
    """
    environment = group.environment()
    counts: Counter[int] = Counter()
    played = 0
    try:
        environment.require_harmless()
        made = environment.make()
        for folder in group.seeds[:SEEDS]:
            path = greedy_path(load_policy(folder / POLICY, trusted=group.trusted), made)
            counts.update(int(stretch.decision.skip) for stretch in path)
            played += 1
            if counts.total() >= ENOUGH_DECISIONS:
                break
        made.close()
    except TemporlError:
        return None
    return {"counts": dict(sorted(counts.items())), "seeds": played}
