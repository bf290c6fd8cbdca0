"""Training a deep agent: on the device where the environment is compiled too, else on the host."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

from temporl.agents.agent import longest_skip
from temporl.agents.policy import NetworkPolicy, agent_spaces, check_spaces
from temporl.course import Course
from temporl.environments.catalogue import EnvironmentSpec, step_limit_of
from temporl.environments.device import device_twin
from temporl.environments.images import stack_of
from temporl.errors import BadInput, RunFailed
from temporl.evaluation import OnProgress, Report, Trained, empty_evaluations
from temporl.pausing import Breaks, NoBreaks
from temporl.results.config import Driver
from temporl.tabular.stepping import MakeEnvironment
from temporl.training.device import train_on_device
from temporl.training.host import train_on_host
from temporl.training.tick import Pauses, Tick
from temporl.training.trees import TreeBreaks


def choose_driver(spec: EnvironmentSpec, wanted: Driver | None) -> Driver:
    """The driver that is wanted, or else the device where the environment is compiled."""
    twin = device_twin(spec.name, spec.options, spec.step_limit)
    if wanted == "device" and twin is None:
        raise BadInput(
            "driver",
            wanted,
            f"{spec.name!r} has no compiled version; see 'temporl list environments', or use host",
        )
    return wanted or ("host" if twin is None else "device")


def check_trainable_deep(agent: Any, make: MakeEnvironment, name: str) -> None:
    """Raise if an agent cannot learn in an environment, before anything is started."""
    environment = make()
    check_spaces(agent, environment.observation_space, environment.action_space, name)
    step_limit_of(environment, name)
    environment.close()


def train_deep(
    agent: Any,
    spec: EnvironmentSpec,
    *,
    driver: Driver,
    seed: int,
    steps: int,
    evaluate_every: int,
    evaluation_starts: int | None = None,
    on_progress: OnProgress | None = None,
    make: MakeEnvironment | None = None,
    breaks: Breaks | None = None,
) -> Trained:
    """Train one seed for a number of steps, with greedy evaluations on the way."""
    course = Course(longest_skip(agent))
    tree_breaks = TreeBreaks(breaks or NoBreaks(), course)
    environment = (make or partial(spec.make, training=True))()
    observations, actions = environment.observation_space, environment.action_space
    check_spaces(agent, observations, actions, spec.name)
    limit = step_limit_of(environment, spec.name)
    spaces = agent_spaces(observations, actions)
    pauses = Pauses(steps, evaluate_every, evaluation_starts)
    policy = NetworkPolicy(agent, None, observations, actions)
    if driver == "device":
        environment.close()
        twin = device_twin(spec.name, spec.options, spec.step_limit)
        assert twin is not None
        tick = Tick(agent, spaces, steps, spare=steps // limit + 1)
        points = train_on_device(tick, twin, seed, pauses, tree_breaks)
    else:
        stack = stack_of(environment)
        # Images are large: room for the episodes that the time limit cuts, and no more.
        spare = None if stack == 1 else agent.replay(steps, None).capacity // limit + 1
        tick = Tick(agent, spaces, steps, spare, stack)
        points = train_on_host(
            tick, policy, environment, make or spec.make, pauses, spec.name, seed, tree_breaks
        )
    rows = tree_breaks.rows
    point = None
    for point in points:
        measured = point.measured()
        for quantity, number in measured.items():
            if not math.isfinite(number):
                place = f"seed {seed}, step {point.step}"
                raise RunFailed(f"{spec.name}: {quantity} became {number} ({place})")
        rows += [(point.episode, point.step, *played) for played in point.evaluations]
        if point.evaluations:
            course.add(point.step, point.chosen)
        if on_progress is not None:
            on_progress(Report(point.step / steps, point.step, measured))
    assert point is not None
    columns = empty_evaluations(len(rows))
    for row, values in enumerate(rows):
        for column, value in zip(columns, values, strict=True):
            column[row] = value
    trained = replace(policy, networks=point.networks())
    return Trained(trained, columns, point.episode, point.step, course.moments())
