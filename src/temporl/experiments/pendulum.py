"""Section 4.3 of the paper: Pendulum with DDPG; and beyond it, TempoRL on top of TD3 and SAC."""

from __future__ import annotations

from typing import NamedTuple

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import Cell, Experiment, Metric
from temporl.runs.config import RunConfig

LENGTHS = (2, 4, 6, 8, 10, 14, 20)
METRICS: tuple[Metric, ...] = ("reward_auc", "decisions", "final_decisions")


class Protocol(NamedTuple):
    """How agents are trained and evaluated on an environment."""

    version: str
    steps: int
    evaluate_every: int
    warm_up: int
    """Random steps."""
    buffer_size: int
    """Size of the replay buffer, in steps and in connections."""
    returns: tuple[float, float]
    """The returns that count as 0 and as 1."""


PROTOCOLS = {
    "Pendulum": Protocol(  # the paper's
        version="Pendulum-v1",
        steps=30_000,
        evaluate_every=250,
        warm_up=1_000,
        buffer_size=1_000_000,
        returns=(-1800.0, -145.0),
    ),
    "MountainCarContinuous": Protocol(
        version="MountainCarContinuous-v0",
        steps=100_000,
        evaluate_every=1_000,
        warm_up=10_000,  # a thousand push no car to the goal, and it would learn to stand still
        buffer_size=100_000,
        returns=(0.0, 100.0),
    ),
}


def continuous_cell(environment: str, agent: str, max_skip: int = 1) -> Cell:
    """One agent, evaluated from ten starts before the first step and regularly after that."""
    protocol = PROTOCOLS[environment]
    options = {"warm_up": protocol.warm_up, "buffer_size": protocol.buffer_size}
    if max_skip > 1:
        options["max_skip"] = max_skip
    config = RunConfig(
        agent=make_agent(agent, **options),
        environment=EnvironmentSpec(protocol.version),
        steps=protocol.steps,
        evaluate_every=protocol.evaluate_every,
        driver="device",
        evaluation_starts=10,
    )
    return Cell(environment, "", max_skip, config, returns=protocol.returns)


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
        for environment in PROTOCOLS
        for agent, max_skip in (("td3", 1), ("t-td3", 10), ("sac", 1), ("t-sac", 10))
    ),
    metrics=METRICS,
)
