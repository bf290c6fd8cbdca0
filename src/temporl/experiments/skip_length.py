"""The paper's appendix on the longest skip: ZigZag with J from 1 to 16."""

from __future__ import annotations

from itertools import product

from temporl.experiments.experiment import Experiment
from temporl.experiments.gridworlds import SCHEDULES, gridworld_cell

SKIP_LENGTH = Experiment(
    name="skip-length",
    title="ZigZag: the longest skip",
    seeds=10,
    cells=tuple(
        gridworld_cell("zigzag", schedule, "q" if longest == 1 else "t-q", longest)
        for schedule, longest in product(SCHEDULES, range(1, 17))
    ),
    metrics=("reward_auc", "decisions"),
)
