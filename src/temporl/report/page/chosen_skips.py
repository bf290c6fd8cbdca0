"""Which skips greedy policies choose: in the course of training, and at its end.

Runs of stepped and deep agents have recorded it (`temporl.training.course`). Training on a
transition table has not, because that would slow it down; it is repeated, as for the maps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Shaped

from temporl.environments.types import Environment
from temporl.errors import TemporlError
from temporl.report.figures.paths import greedy_path
from temporl.report.page.curves import short
from temporl.report.page.groups import Group
from temporl.report.page.worlds import replay_training
from temporl.runs.policies import load_policy
from temporl.runs.store import POLICY
from temporl.skipping import Policy
from temporl.training.course import Moments
from temporl.types import Record

BINS = 48
"""Moments that are shown at most: half evenly spaced, half closer to the start."""
REPEATED_SEEDS = 5
"""The number of seeds whose training is repeated."""
PLAYED_SEEDS, ENOUGH_DECISIONS = 10, 2000
"""Of how many trained policies an episode is played, unless there are as many decisions before."""
ALL_SKIPS = 20
"""Up to this length every skip has a row, chosen or not."""

Shares = Float[np.ndarray, "skip moment"]


def skips_over_training(group: Group) -> Record | None:
    """The mean share over seeds of every skip, at every moment; None where it is unknown."""
    courses = [course for course in group.courses if course.chosen.any()] or played_again(group)
    if not courses:
        return None
    edges = step_edges(courses)
    shares = np.mean([seed_shares(course, edges) for course in courses], axis=0)
    used = np.flatnonzero(shares.max(axis=1) > 0)
    if used[-1] < ALL_SKIPS:
        used = np.arange(used[-1] + 1)
    return {
        "steps": edges.tolist(),
        "skips": (used + 1).tolist(),
        "shares": [short(row) for row in shares[used]],
        "seeds": len(courses),
    }


def step_edges(courses: Sequence[Moments]) -> Shaped[np.ndarray, " edge"]:
    """The edges of bins, in steps: every bin holds a moment of the first seed."""
    steps = courses[0].step
    even = np.searchsorted(steps, np.linspace(0, steps[-1], BINS // 2 + 1)[1:])
    early = np.geomspace(1, len(steps), BINS // 2).astype(np.int64) - 1
    ends = steps[np.unique(np.append(even, early).clip(0, len(steps) - 1))]
    return np.unique(np.append(0, ends))


def seed_shares(course: Moments, edges: Shaped[np.ndarray, " edge"]) -> Shares:
    """The share of each skip in each bin; where nothing was recorded, as in the bin before."""
    place = np.searchsorted(edges[1:], course.step).clip(0, len(edges) - 2)
    counts = np.zeros((len(edges) - 1, course.chosen.shape[1]))
    np.add.at(counts, place, course.chosen)
    known = np.flatnonzero(counts.sum(axis=1))
    before = np.searchsorted(known, np.arange(len(counts)), side="right") - 1
    filled = counts[known[before.clip(0)]]
    shares: Shares = (filled / filled.sum(axis=1, keepdims=True)).T
    return shares


def played_again(group: Group) -> list[Moments]:
    """The course of some seeds of a tabular agent, where training is a matter of milliseconds."""
    config = group.config
    if config is None:
        return []
    try:
        group.environment().require_harmless()
        world = group.environment().make()
    except TemporlError:
        return []
    if not config.trainer.is_compiled(world):
        return []
    last = int(group.record["played"]["episodes"])
    spread = (np.linspace(1, last, BINS // 2), np.geomspace(1, last, BINS // 2))
    moments = np.unique(np.concatenate(spread).astype(np.int64)).tolist()
    longest = config.agent.skip_lengths[-1]
    courses = []
    for seed in group.seed_numbers[:REPEATED_SEEDS]:
        snapshots = replay_training(config, seed, moments)[1:]
        skips = [greedy_skips(snapshot.policy, world) for snapshot in snapshots]
        chosen = [np.bincount(each, minlength=longest + 1)[1:] for each in skips]
        steps = np.array([snapshot.step for snapshot in snapshots])
        courses.append(Moments(steps, np.zeros(len(steps)), np.array(chosen)))
    world.close()
    return courses


def chosen_skips(group: Group) -> Record | None:
    """How often each skip was chosen in one greedy episode of each of the first seeds.

    None where the environment cannot be made here, or only by importing a module that a file
    names.
    """
    counts: Counter[int] = Counter()
    played = 0
    try:
        group.environment().require_harmless()
        world = group.environment().make()
        for folder in group.seeds[:PLAYED_SEEDS]:
            if counts.total() < ENOUGH_DECISIONS:
                policy = load_policy(folder / POLICY, trusted=group.trusted)
                counts.update(greedy_skips(policy, world))
                played += 1
        world.close()
    except TemporlError:
        return None
    return {"counts": dict(sorted(counts.items())), "seeds": played}


def greedy_skips(policy: Policy, world: Environment) -> list[int]:
    """The skips that are chosen in a greedy episode."""
    return [int(stretch.decision.skip) for stretch in greedy_path(policy, world)]
