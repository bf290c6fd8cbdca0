"""Section 4.3 of the paper: Pendulum with DDPG; and beyond it, TempoRL on top of TD3 and SAC."""

from __future__ import annotations

from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import CURVES, SKIP_LENGTHS, Experiment, Metric, Protocol

LENGTHS = (2, 4, 6, 8, 10, 14, 20)
METRICS: tuple[Metric, ...] = ("reward_auc", "decisions", "final_decisions")


PROTOCOLS = {
    "Pendulum": Protocol(  # the paper's
        EnvironmentSpec("Pendulum-v1"),
        steps=30_000,
        evaluate_every=250,
        driver="device",
        evaluation_starts=10,
        returns=(-1800.0, -145.0),
        options={"warm_up": 1_000, "buffer_size": 1_000_000},
    ),
    # A thousand random pushes bring no car to the goal, and it would learn to stand still.
    "MountainCarContinuous": Protocol(
        EnvironmentSpec("MountainCarContinuous-v0"),
        steps=100_000,
        evaluate_every=1_000,
        driver="device",
        evaluation_starts=10,
        returns=(0.0, 100.0),
        options={"warm_up": 10_000, "buffer_size": 100_000},
    ),
}
"""Agents are evaluated from ten starts before the first step and regularly after that."""

PENDULUM = Experiment(
    name="pendulum",
    title="Pendulum: DDPG, t-DDPG and FiGAR",
    seeds=15,
    cells=(
        PROTOCOLS["Pendulum"].cell("Pendulum", "ddpg"),
        *(
            PROTOCOLS["Pendulum"].cell("Pendulum", agent, max_skip=max_skip)
            for agent in ("t-ddpg", "figar")
            for max_skip in LENGTHS
        ),
    ),
    metrics=METRICS,
    note="The paper's FiGAR is that of its released script, which mixed up the repeats.",
    figures=(CURVES, SKIP_LENGTHS, "temporl.report.figures.pendulum:swing"),
    pictured=("t-ddpg",),
)

CONTINUOUS = Experiment(
    name="continuous",
    title="Pendulum and MountainCarContinuous: TempoRL on top of TD3 and SAC",
    seeds=5,
    cells=tuple(
        cell
        for name, protocol in PROTOCOLS.items()
        for cell in (
            protocol.cell(name, "td3"),
            protocol.cell(name, "t-td3", max_skip=10),
            protocol.cell(name, "sac"),
            protocol.cell(name, "t-sac", max_skip=10),
        )
    ),
    metrics=METRICS,
)
