"""Table 1 of the paper: three worlds, three schedules, with and without a skip policy."""

from __future__ import annotations

from itertools import product
from typing import Any

from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import CURVES, Cell, Comparison, Experiment, Protocol
from temporl.types import Record

WORLD_IDS = {
    "cliff": "temporl/Cliff-v0",
    "bridge": "temporl/Bridge-v0",
    "zigzag": "temporl/ZigZag-v0",
}
SCHEDULES: dict[str, float | str] = {"linear": "linear", "log": "log", "constant": 0.1}
AGENTS: dict[str, Record] = {"q": {}, "t-q": {"max_skip": 7}}
PICTURES = (
    CURVES,
    "temporl.report.figures.policies:policies",
    "temporl.report.figures.policies:values",
)


def gridworld_cell(
    world: str, schedule: str, agent: str, slip: float = 0.0, **options: Any
) -> Cell:
    """One cell of the gridworld study, or of the same with moves that slip."""
    chance: Record = {"slip": slip} if slip else {}
    protocol = Protocol(EnvironmentSpec(WORLD_IDS[world], chance), episodes=10_000)
    name = f"{world}, slip {slip}" if slip else world
    return protocol.cell(name, agent, schedule, epsilon=SCHEDULES[schedule], **options)


_cells = {
    (schedule, world, agent): gridworld_cell(world, schedule, agent, **AGENTS[agent])
    for schedule, world, agent in product(SCHEDULES, WORLD_IDS, AGENTS)
}

GRIDWORLDS = Experiment(
    name="gridworlds",
    title="Gridworlds: reward AUC and decisions",
    seeds=100,
    cells=tuple(_cells.values()),
    metrics=("reward_auc", "decisions"),
    comparisons=(
        Comparison(
            faster=_cells["linear", "cliff", "t-q"],
            slower=_cells["linear", "cliff", "q"],
            rewards=(0.5, 1.0),
        ),
    ),
    note="The paper prints 0.98 for q on Bridge with a constant schedule; its raw data say 0.992.",
    figures=(*PICTURES, "temporl.report.figures.policies:hero"),
    pictured=("q", "t-q"),
)


def gridworlds_with(name: str, title: str, **options: Any) -> Experiment:
    """The t-q half of the study with other options than the default ones."""
    return Experiment(
        name=name,
        title=title,
        seeds=100,
        cells=tuple(
            gridworld_cell(world, schedule, "t-q", **AGENTS["t-q"], **options)
            for schedule, world in product(SCHEDULES, WORLD_IDS)
        ),
        metrics=("reward_auc", "decisions"),
        compared_with="gridworlds",
        figures=PICTURES,
        pictured=("t-q",),
    )


GRIDWORLDS_SKIP = gridworlds_with(
    "gridworlds-skip",
    "Gridworlds with connections within single skips, as in the paper",
    connections="skip",
)

GRIDWORLDS_COMMITTED = gridworlds_with(
    "gridworlds-committed",
    "Gridworlds with only the promised skips taught by a terminal state",
    connections="skip",
    padding="committed",
)
