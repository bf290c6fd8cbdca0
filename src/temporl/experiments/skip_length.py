"""The paper's appendix on the longest skip: ZigZag with J from 1 to 16."""

from __future__ import annotations

from temporl.experiments.experiment import SKIP_LENGTHS, Experiment
from temporl.experiments.gridworlds import SCHEDULES, gridworld_cell

SKIP_LENGTH = Experiment(
    name="skip-length",
    title="ZigZag: the longest skip",
    seeds=10,
    cells=tuple(
        cell
        for schedule in SCHEDULES
        for cell in (
            gridworld_cell("zigzag", schedule, "q"),
            *(
                gridworld_cell("zigzag", schedule, "t-q", max_skip=longest)
                for longest in range(2, 17)
            ),
        )
    ),
    metrics=("reward_auc", "decisions"),
    figures=(SKIP_LENGTHS,),
)
