"""Section 4.2 of the paper: deep agents on features, MountainCar and LunarLander."""

from __future__ import annotations

from itertools import product

from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import CURVES, SKIP_LENGTHS, Experiment, Protocol
from temporl.types import Record

LENGTHS = (2, 4, 6, 8, 10)
PROTOCOLS = {
    "MountainCar": Protocol(
        EnvironmentSpec("MountainCar-v0"),
        steps=1_000_000,
        evaluate_every=200,
        driver="device",
        returns=(-200.0, -90.0),
    ),
    "LunarLander": Protocol(
        EnvironmentSpec("LunarLander-v3"),
        steps=1_000_000,
        evaluate_every=200,
        driver="host",
        returns=(-250.0, 250.0),
    ),
}
BEST: dict[str, Record] = {
    "MountainCar": {"architecture": "shared", "max_skip": 10},
    "LunarLander": {"architecture": "concat", "max_skip": 4},
}
"""The architecture and the longest skip that the paper's main table shows."""


FEATURIZED = Experiment(
    name="featurized",
    title="MountainCar and LunarLander: DQN, t-DQN and DAR",
    seeds=50,
    cells=tuple(
        cell
        for name, protocol in PROTOCOLS.items()
        for cell in (
            protocol.cell(name, "dqn"),
            protocol.cell(name, "t-dqn", **BEST[name]),
            *(protocol.cell(name, "dar", max_skip=coarse) for coarse in LENGTHS),
        )
    ),
    metrics=("reward_auc", "decisions"),
    note="The paper's DAR is that of its released script, whose outputs and targets were wrong.",
    figures=(CURVES, "temporl.report.figures.mountain_car:key_states"),
    pictured=("t-dqn",),
)

FEATURIZED_SKIP = Experiment(
    name="featurized-skip",
    title="MountainCar and LunarLander with connections within single skips, as in the paper",
    seeds=50,
    cells=tuple(
        protocol.cell(name, "t-dqn", **BEST[name], connections="skip")
        for name, protocol in PROTOCOLS.items()
    ),
    metrics=("reward_auc", "decisions"),
    compared_with="featurized",
)

ARCHITECTURES = Experiment(
    name="architectures",
    title="MountainCar and LunarLander: three architectures and the longest skip",
    seeds=50,
    cells=tuple(
        PROTOCOLS[name].cell(name, "t-dqn", architecture=architecture, max_skip=max_skip)
        for name, architecture, max_skip in product(
            PROTOCOLS, ("concat", "context", "shared"), LENGTHS
        )
    ),
    metrics=("reward_auc", "decisions"),
    shares_runs_with="featurized",
    figures=(SKIP_LENGTHS,),
)
