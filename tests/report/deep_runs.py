"""Runs of deep agents as they lie on disk, with curves made up for the purpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from temporl.agents.policy import NetworkPolicy, agent_spaces
from temporl.experiments import Cell, Experiment
from temporl.randomness import Purpose, generator
from temporl.runs.store import write_run
from temporl.training.outcome import Evaluations, Trained

STEPS, EVALUATE_EVERY = 1000, 200
SPACES = {
    "MountainCar": (2, Discrete(3)),
    "LunarLander": (8, Discrete(4)),
    "Pendulum": (3, Box(-2.0, 2.0, (1,), np.float32)),
    "MountainCarContinuous": (2, Box(-1.0, 1.0, (1,), np.float32)),
}
"""How many numbers an observation has, and the actions."""

Curve = Sequence[float]


def short(
    experiment: Experiment, chosen: Callable[[Cell], bool] = lambda _: True, steps: int = STEPS
) -> Experiment:
    """Some cells of an experiment, with five evaluations each."""
    return replace(
        experiment,
        cells=tuple(
            replace(cell, config=replace(cell.config, steps=steps))
            for cell in experiment.cells
            if chosen(cell)
        ),
    )


def write(
    experiment: Experiment,
    cell: Cell,
    out: Path,
    returns: Sequence[Curve],
    *,
    networks: Sequence[Any] = (),
    decisions: Curve = (50, 40, 30, 20, 10),
) -> list[Path]:
    """Finish a run for each of the given curves of returns, from seed 0 on."""
    runs = experiment.cell_runs(cell, out, len(returns))
    for run, curve in zip(runs, returns, strict=True):
        inputs, action_space = SPACES[cell.environment]
        observation_space = Box(-np.inf, np.inf, (inputs,), np.float32)
        agent = cell.config.agent
        own = networks[run.seed] if networks else None
        if own is None:
            spaces = agent_spaces(observation_space, action_space)
            own = agent.draw(generator(run.seed, Purpose.NETWORKS), spaces)
        starts = cell.config.evaluation_starts or 1
        steps = np.arange(1, len(curve) + 1) * EVALUATE_EVERY
        evaluations = Evaluations(
            episode=np.arange(len(curve)).repeat(starts),
            step=steps.repeat(starts),
            returns=np.array(curve, dtype=float).repeat(starts),
            lengths=np.full(len(curve) * starts, 100),
            decisions=np.array(decisions)[: len(curve)].repeat(starts),
        )
        policy = NetworkPolicy(agent, own, observation_space, action_space)
        trained = Trained(policy, evaluations, len(curve), int(cell.config.steps))
        write_run(run.folder, cell.config, run.seed, trained, "0")
    return [run.folder for run in runs]


def cell_of(experiment: Experiment, environment: str, agent: str, **wanted: Any) -> Cell:
    """The first cell of an agent in an environment, with what else is wanted."""
    return next(
        cell
        for cell in experiment.cells
        if (cell.environment, cell.agent) == (environment, agent)
        and all(getattr(cell, name) == value for name, value in wanted.items())
    )
