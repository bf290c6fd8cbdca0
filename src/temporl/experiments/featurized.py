"""Section 4.2 of the paper: deep agents on features, MountainCar and LunarLander."""

from __future__ import annotations

from itertools import product
from typing import Any

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import Cell, Experiment
from temporl.runs.config import RunConfig
from temporl.training.trainer import Driver

STEPS = 1_000_000
EVALUATE_EVERY = 200
LENGTHS = (2, 4, 6, 8, 10)
ENVIRONMENTS: dict[str, tuple[str, Driver, tuple[float, float]]] = {
    "MountainCar": ("MountainCar-v0", "device", (-200.0, -90.0)),
    "LunarLander": ("LunarLander-v3", "host", (-250.0, 250.0)),
}
BEST = {"MountainCar": ("shared", 10), "LunarLander": ("concat", 4)}
"""The architecture and the longest skip that the paper's main table shows."""


def featurized_cell(
    environment: str, agent: str, max_skip: int, architecture: str = "", **options: Any
) -> Cell:
    """One agent on one of the two environments."""
    name, driver, returns = ENVIRONMENTS[environment]
    if agent != "dqn":
        options["max_skip"] = max_skip
    if architecture:
        options["architecture"] = architecture
    config = RunConfig(
        agent=make_agent(agent, **options),
        environment=EnvironmentSpec(name),
        steps=STEPS,
        evaluate_every=EVALUATE_EVERY,
        driver=driver,
    )
    return Cell(environment, "", max_skip, config, architecture, returns)


def _best(environment: str, **options: Any) -> Cell:
    architecture, max_skip = BEST[environment]
    return featurized_cell(environment, "t-dqn", max_skip, architecture, **options)


FEATURIZED = Experiment(
    name="featurized",
    title="MountainCar and LunarLander: DQN, t-DQN and DAR",
    seeds=50,
    cells=tuple(
        cell
        for environment in ENVIRONMENTS
        for cell in (
            featurized_cell(environment, "dqn", 1),
            _best(environment),
            *(featurized_cell(environment, "dar", coarse) for coarse in LENGTHS),
        )
    ),
    metrics=("reward_auc", "decisions"),
    note="The paper's DAR is that of its released script, whose heads and targets were wrong.",
)

FEATURIZED_SKIP = Experiment(
    name="featurized-skip",
    title="MountainCar and LunarLander with connections within single skips, as in the paper",
    seeds=50,
    cells=tuple(_best(environment, connections="skip") for environment in ENVIRONMENTS),
    metrics=("reward_auc", "decisions"),
    compared_with="featurized",
)

ARCHITECTURES = Experiment(
    name="architectures",
    title="MountainCar and LunarLander: three architectures and the longest skip",
    seeds=50,
    cells=tuple(
        featurized_cell(environment, "t-dqn", max_skip, architecture)
        for environment, architecture, max_skip in product(
            ENVIRONMENTS, ("concat", "context", "shared"), LENGTHS
        )
    ),
    metrics=("reward_auc", "decisions"),
    shares_runs_with="featurized",
)
