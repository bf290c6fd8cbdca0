"""Why DQN often fails on MountainCar when time limits are treated as what they are.

    python benchmarks/time_limits.py [--seeds 10] [--steps 200000]
    python benchmarks/time_limits.py --agent t-dqn [--max-skip 2] [--connections skip]

Trains an agent on MountainCar-v0 twice: as the library does, where an episode that is cut
bootstraps from its last observation, and as scripts often do, where the cut looks like a terminal
state. One thing differs, and the table says how many seeds ever reach the goal.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
from jax import Array

from temporl.agents import make_agent
from temporl.agents.policy import agent_spaces
from temporl.environments.device import DeviceEnvironment, EnvironmentState, Outcome
from temporl.training.device import train_on_device
from temporl.training.learner import EvaluationSchedule, Learner
from temporl.training.trees import TreeCheckpointer


@dataclass(frozen=True)
class LimitsLookTerminal(DeviceEnvironment):
    """An environment that reports its time limit as a terminal state."""

    def step(self, state: EnvironmentState, action: Array) -> Outcome:
        """Play an action."""
        outcome = super().step(state, action)
        return outcome._replace(
            terminated=outcome.terminated | outcome.truncated, truncated=outcome.truncated & False
        )


def first_success(
    agent: Any, environment: DeviceEnvironment, seed: int, steps: int
) -> tuple[int | None, float]:
    """When a greedy episode first reaches the goal, and the mean return of the last tenth."""
    spaces = agent_spaces(environment.observation_space, environment.action_space)
    learner = Learner(agent, spaces, steps, spare=steps // environment.step_limit + 1)
    points = [
        (point.step, point.evaluations[0][0])
        for point in train_on_device(
            learner, environment, seed, EvaluationSchedule(steps, 200), TreeCheckpointer()
        )
        if point.evaluations
    ]
    returns = np.array([earned for _, earned in points])
    reached = [step for step, earned in points if earned > -environment.step_limit]
    return (reached[0] if reached else None), float(returns[-len(returns) // 10 :].mean())


def main() -> None:
    """Print a line for each seed and a summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agent", default="dqn", choices=("dqn", "t-dqn"))
    parser.add_argument("--max-skip", type=int, default=10)
    parser.add_argument("--connections", default="run", choices=("run", "skip"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=200_000)
    arguments = parser.parse_args()
    options = {"max_skip": arguments.max_skip, "connections": arguments.connections}
    agent = (
        make_agent("dqn")
        if arguments.agent == "dqn"
        else make_agent("t-dqn", architecture="shared", **options)
    )
    print(
        "| seed | bootstrap: first success | last return | terminal: first success | last return |"
    )
    print("| --- | --- | --- | --- | --- |")
    kinds = (DeviceEnvironment("MountainCar-v0"), LimitsLookTerminal("MountainCar-v0"))
    solved = [0, 0]
    for seed in range(arguments.seeds):
        cells = []
        for kind, environment in enumerate(kinds):
            first, last = first_success(agent, environment, seed, arguments.steps)
            solved[kind] += last > -190
            cells += [f"{first:,}" if first else "never", f"{last:.0f}"]
        print(f"| {seed} | {' | '.join(cells)} |", flush=True)
    both = " and ".join(map(str, solved))
    print(f"\nsolved after {arguments.steps:,} steps: {both} of {arguments.seeds}")


if __name__ == "__main__":
    main()
