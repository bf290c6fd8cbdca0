"""Gridworlds for the page: the tables and the greedy path at several moments of training.

Training in a gridworld is compiled and depends on configuration and seed alone, so that it need not
be recorded: it is repeated within milliseconds, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from temporl.environments import GridWorld
from temporl.environments.gridworld import MOVES
from temporl.environments.transitions import transition_table
from temporl.report.figures.paths import Stretch, greedy_path
from temporl.report.page.groups import Group, Scene
from temporl.runs.config import RunConfig
from temporl.tabular.agents import QLearning
from temporl.tabular.policy import TabularPolicy
from temporl.tabular.run import TabularRun
from temporl.tabular.tables import Tables
from temporl.tabular.training import TRAINER, begin_run, train_compiled
from temporl.types import Record

NUMBERS = 1_200_000
"""How many values all maps of a page may hold together: some seven megabytes."""
MOST_SNAPSHOTS = 14
LARGEST_WORLD = 1000
"""Cells; larger worlds cannot be looked at cell by cell."""


class Snapshot(NamedTuple):
    """A policy at one moment of training."""

    episode: int
    step: int
    policy: TabularPolicy


def is_gridworld(group: Group) -> bool:
    """Whether a configuration was trained in one of this library's worlds, with tables."""
    config = group.config
    return (
        config is not None
        and config.environment.is_gridworld
        and config.trainer.kind == TRAINER.kind
    )


def replay_training(config: RunConfig, seed: int, episodes: Sequence[int]) -> list[Snapshot]:
    """The policy before training, after each of these numbers of episodes, and at the end."""
    environment = config.environment.make()
    table = transition_table(environment)
    assert table is not None
    agent = cast("QLearning", config.agent)  # what has a transition table and the tables' trainer
    run = begin_run(agent, environment, replace(config.task(seed), evaluate_every=0))
    snapshots = [_snapshot(run)]
    snapshots += [
        _snapshot(run)
        for _ in train_compiled(run, table, tuple(episodes))
        if run.episode in episodes
    ]
    if snapshots[-1].episode != run.episode:
        snapshots.append(_snapshot(run))
    return snapshots


def _snapshot(run: TabularRun) -> Snapshot:
    tables = Tables(*(np.copy(table) for table in run.policy.tables))
    return Snapshot(run.episode, run.step, replace(run.policy, tables=tables))


def world_maps(scenes: Sequence[Scene]) -> dict[str, Record]:
    """The maps of all gridworlds, by the folder of the configuration, as far as there is room."""
    groups = [group for scene in scenes for group in scene.groups if is_gridworld(group)]
    sizes = {str(group.folder): _numbers_of_a_snapshot(group) for group in groups}
    snapshots = NUMBERS // max(1, sum(sizes.values()))
    count = int(np.clip(snapshots, 4, MOST_SNAPSHOTS))
    room, maps = NUMBERS, {}
    for group in groups:
        size = sizes[str(group.folder)]
        if 0 < size * count <= room:
            room -= size * count
            maps[str(group.folder)] = world_map(group, count)
    return maps


def _numbers_of_a_snapshot(group: Group) -> int:
    """How many values the tables of a configuration hold; none where the world is too large."""
    world = group.environment().make().unwrapped
    assert isinstance(world, GridWorld)
    cells = math.prod(world.map.shape)
    assert group.config is not None
    skips = len(group.config.agent.skip_lengths)
    return 0 if cells > LARGEST_WORLD else cells * len(MOVES) * (1 + skips)


def world_map(group: Group, count: int) -> Record:
    """The map of the first seed of a configuration, with `count` moments of its training."""
    config, seed = group.config, group.seed_numbers[0]
    assert config is not None
    world = config.environment.make()
    grid = world.unwrapped
    assert isinstance(grid, GridWorld)
    last = int(group.record["played"]["episodes"])
    moments = np.unique(np.geomspace(1, last, count - 1).astype(int)).tolist()
    return {
        "rows": list(grid.map.rows),
        "actions": list(MOVES),
        "seed": seed,
        "skips": list(config.agent.skip_lengths),
        "snapshots": [
            _moment(snapshot, greedy_path(snapshot.policy, world))
            for snapshot in replay_training(config, seed, moments)
        ],
    }


def _moment(snapshot: Snapshot, path: Sequence[Stretch]) -> Record:
    tables = snapshot.policy.tables
    return {
        "episode": snapshot.episode,
        "actions": _rounded(tables.action_values),
        "skips": _rounded(tables.skip_values) if tables.skip_values.size else [],
        "path": [[int(state) for state in stretch.states] for stretch in path],
    }


def _rounded(values: np.ndarray) -> list[float]:
    """A table as one list, with whole numbers as such because they are short."""
    return [
        int(value) if value == int(value) else value for value in values.round(3).ravel().tolist()
    ]
