"""Section 4.3 of the paper: Pendulum with DDPG; and beyond it, TempoRL on top of TD3 and SAC."""

from __future__ import annotations

from typing import Any

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import Cell, Experiment, Metric
from temporl.results.config import RunConfig

LENGTHS = (2, 4, 6, 8, 10, 14, 20)
RETURNS = {"Pendulum": (-1800.0, -145.0), "MountainCarContinuous": (0.0, 100.0)}
"""The returns that count as 0 and as 1: the paper's for Pendulum, ours for the other."""
STEPS = {"Pendulum": 30_000, "MountainCarContinuous": 100_000}
WARM_UP = {"Pendulum": 1_000, "MountainCarContinuous": 10_000}
"""Random steps: the paper's for Pendulum. A car that was never at the goal by then learns
to stand still, and a thousand steps push none there."""
BUFFER_SIZE = {"Pendulum": 1_000_000, "MountainCarContinuous": 100_000}
"""The last so many steps and connections are learned from: the paper's for Pendulum."""
METRICS: tuple[Metric, ...] = ("reward_auc", "decisions", "final_decisions")
VERSIONS = {"Pendulum": "Pendulum-v1", "MountainCarContinuous": "MountainCarContinuous-v0"}


def continuous_cell(environment: str, agent: str, max_skip: int = 1, **options: Any) -> Cell:
    """One agent, evaluated from ten starts before the first and after every 250th step."""
    options["warm_up"] = WARM_UP[environment]
    options["buffer_size"] = BUFFER_SIZE[environment]
    if max_skip > 1:
        options["max_skip"] = max_skip
    config = RunConfig(
        agent=make_agent(agent, **options),
        environment=EnvironmentSpec(VERSIONS[environment]),
        steps=STEPS[environment],
        evaluate_every=250 if environment == "Pendulum" else 1000,
        driver="device",
        evaluation_starts=10,
    )
    return Cell(environment, "", max_skip, config, returns=RETURNS[environment])


PENDULUM = Experiment(
    name="pendulum",
    title="Pendulum: DDPG, t-DDPG and FiGAR",
    seeds=15,
    cells=(
        continuous_cell("Pendulum", "ddpg"),
        *(
            continuous_cell("Pendulum", agent, max_skip)
            for agent in ("t-ddpg", "figar")
            for max_skip in LENGTHS
        ),
    ),
    metrics=METRICS,
    note="The paper's FiGAR is that of its released script, which mixed up the repeats.",
)

CONTINUOUS = Experiment(
    name="continuous",
    title="Pendulum and MountainCarContinuous: TempoRL on top of TD3 and SAC",
    seeds=5,
    cells=tuple(
        continuous_cell(environment, agent, max_skip)
        for environment in VERSIONS
        for agent, max_skip in (("td3", 1), ("t-td3", 10), ("sac", 1), ("t-sac", 10))
    ),
    metrics=METRICS,
)
