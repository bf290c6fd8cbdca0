"""Training agents with networks: on the device if the environment is compiled, or on the host."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from temporl.agents.agent import NetworkAgent
from temporl.agents.policy import NetworkPolicy, agent_spaces
from temporl.environments.catalogue import EnvironmentSpec, step_limit_of
from temporl.environments.images import is_screen, shows_images, stack_of
from temporl.environments.types import Environment, Space
from temporl.errors import BadInput, RunFailed
from temporl.training.course import Course
from temporl.training.learner import EvaluationSchedule, Learner, ring_capacity
from temporl.training.outcome import ProgressReport, Trained, empty_evaluations
from temporl.training.trainer import Driver, Task
from temporl.training.trees import TreeCheckpointer

SCREEN_THREADS = 2
"""Networks for screens are large enough for two threads. Always two, on any number of cores: the
number of threads decides how results are rounded."""


class NetworkTrainer:
    """Trains agents with networks."""

    kind: ClassVar[str] = "network"
    unit: ClassVar[Literal["episodes", "steps"]] = "steps"
    default_budget: ClassVar[int] = 100_000
    default_evaluations: ClassVar[int | None] = 200
    takes_episodes: ClassVar[bool] = False
    takes_starts: ClassVar[bool] = True
    needs_process: ClassVar[bool] = True

    def choose_driver(self, spec: EnvironmentSpec, wanted: Driver | None) -> Driver | None:
        """The given driver; default: the device where the environment is compiled."""
        if spec.by_function:
            if wanted == "device":
                reason = "an environment that a function makes runs on the host"
                raise BadInput("driver", wanted, reason)
            return "host"
        from temporl.environments.device import device_twin

        twin = device_twin(spec.name, spec.options, spec.step_limit)
        if wanted == "device" and twin is None:
            raise BadInput(
                "driver",
                wanted,
                f"{spec.name!r} has no compiled version; see 'temporl list environments', or use"
                " host",
            )
        return wanted or ("host" if twin is None else "device")

    def threads(self, observations: Space, driver: Driver | None) -> int:
        """One, but for screens on the host."""
        screens = shows_images(observations) and is_screen(observations.shape or ())
        return SCREEN_THREADS if screens and driver == "host" else 1

    def is_compiled(self, environment: Environment) -> bool:  # noqa: ARG002
        """No: programs that learn are compiled in a process of their own."""
        return False

    def untrained(
        self,
        agent: NetworkAgent,
        observations: Space,
        actions: Space,
        name: str,
        random: np.random.Generator,
    ) -> NetworkPolicy:
        """A policy as it is before training."""
        agent.check(observations, actions, name)
        params = agent.draw(random, agent_spaces(observations, actions))
        return NetworkPolicy(agent, params, observations, actions)

    def train(self, agent: NetworkAgent, task: Task) -> Trained:
        """Train one seed for a number of steps, with greedy evaluations on the way."""
        from temporl.environments.device import device_twin
        from temporl.training.device import train_on_device
        from temporl.training.host import train_on_host

        assert task.steps is not None
        course = Course(agent.skip_lengths[-1])
        checkpointer = TreeCheckpointer(task.checkpointer, course)
        environment, spec = task.training_environment(), task.environment
        observations, actions = environment.observation_space, environment.action_space
        agent.check(observations, actions, spec.name)
        limit, stack = step_limit_of(environment, spec.name), stack_of(environment)
        spaces = agent_spaces(observations, actions)
        schedule = EvaluationSchedule(task.steps, task.evaluate_every, task.evaluation_starts)
        policy = NetworkPolicy(agent, None, observations, actions)
        if task.driver == "device":
            environment.close()
            twin = device_twin(spec.name, spec.options, spec.step_limit)
            assert twin is not None
            learner = Learner(agent, spaces, task.steps, spare=task.steps // limit + 1)
            points = train_on_device(learner, twin, task.seed, schedule, checkpointer)
        else:
            # Images are large: room for the episodes that the time limit truncates, and no more.
            spare = None if stack == 1 else ring_capacity(agent, task.steps) // limit + 1
            learner = Learner(agent, spaces, task.steps, spare, stack)
            points = train_on_host(learner, policy, environment, task, schedule, checkpointer)
        rows = checkpointer.rows
        point = None
        for point in points:
            measured = point.measured()
            for quantity, number in measured.items():
                if not math.isfinite(number):
                    place = f"seed {task.seed}, step {point.step}"
                    raise RunFailed(f"{spec.name}: {quantity} became {number} ({place})")
            rows += [(point.episode, point.step, *played) for played in point.evaluations]
            if point.evaluations:
                course.add(point.step, point.chosen)
            if task.on_progress is not None:
                task.on_progress(ProgressReport(point.step / task.steps, point.step, measured))
        assert point is not None
        columns = empty_evaluations(len(rows))
        for row, values in enumerate(rows):
            for column, value in zip(columns, values, strict=True):
                column[row] = value
        trained = replace(policy, params=point.params())
        return Trained(trained, columns, point.episode, point.step, course.moments())


TRAINER = NetworkTrainer()
