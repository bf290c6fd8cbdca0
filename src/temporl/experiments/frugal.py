"""Frugal agents beside per-step agents and TempoRL: equal networks, budgets and starts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from temporl.environments import EnvironmentSpec
from temporl.experiments import featurized, pendulum
from temporl.experiments.experiment import Experiment, Protocol
from temporl.experiments.gridworlds import SCHEDULES, WORLD_IDS, gridworld_cell

LONGEST = 10
SMALL = {"hidden": (64, 64)}
"""Networks for continuous actions, the same for all agents."""

DISCRETE = {
    "MountainCar": replace(featurized.PROTOCOLS["MountainCar"], steps=200_000),
    "LunarLander": replace(
        featurized.PROTOCOLS["LunarLander"], steps=500_000, evaluate_every=2_000
    ),
}
_CAR, _PENDULUM = (pendulum.PROTOCOLS[name] for name in ("MountainCarContinuous", "Pendulum"))
CONTINUOUS = {
    "MountainCarContinuous": replace(_CAR, options=_CAR.options | SMALL),
    "Pendulum": replace(_PENDULUM, evaluate_every=500, options=_PENDULUM.options | SMALL),
    "InvertedPendulum": Protocol(
        EnvironmentSpec("InvertedPendulum-v5"),
        steps=20_000,
        evaluate_every=500,
        driver="host",
        evaluation_starts=5,
        returns=(0.0, 1000.0),
        options=SMALL,
    ),
    "Hopper": Protocol(
        EnvironmentSpec("Hopper-v5"),
        steps=60_000,
        evaluate_every=2_000,
        driver="host",
        evaluation_starts=5,
        returns=(0.0, 3000.0),
        options=SMALL,
    ),
}

FRUGAL = Experiment(
    name="frugal",
    title="Frugal agents beside per-step agents and TempoRL",
    seeds=10,
    cells=tuple(
        protocol.cell(name, agent, **options)
        for protocols, behaviour, tempo in (
            (DISCRETE, "dqn", {"architecture": "shared"}),
            (CONTINUOUS, "td3", {}),
        )
        for name, protocol in protocols.items()
        for agent, options in (
            (behaviour, {}),
            (f"t-{behaviour}", {"max_skip": LONGEST} | tempo),
            (f"frugal-{behaviour}", {"max_skip": LONGEST}),
        )
    ),
    metrics=("reward_auc", "final_return", "final_decisions"),
)

SLIPS = (0.0, 0.1)
FRUGAL_GRIDWORLDS = Experiment(
    name="frugal-gridworlds",
    title="Gridworlds: frugal Q-learning beside Q-learning and TempoRL, with and without chance",
    seeds=100,
    cells=tuple(
        gridworld_cell(world, schedule, agent, slip, **options)
        for slip, schedule, world, (agent, options) in product(
            SLIPS,
            SCHEDULES,
            WORLD_IDS,
            (("q", {}), ("t-q", {"max_skip": 7}), ("frugal-q", {"max_skip": 7})),
        )
    ),
    metrics=("reward_auc", "decisions"),
)
