"""Guided exploration: the 23 x 23 world, and how far its lesson depends on unpublished choices.

The paper and the work it follows publish neither the goal's cell nor alpha, gamma, epsilon or the
number of episodes. The first experiment is one choice; the second varies the goal, the schedule and
the rule for ties between actions.
"""

from __future__ import annotations

from itertools import product

from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import Cell, Experiment, Protocol
from temporl.types import Record

AGENTS: dict[str, Record] = {"q": {}, "ez-q": {}, "t-q": {"max_skip": 7}}
SCHEDULES: dict[str, float | str] = {"constant": 0.1, "linear": "linear", "log": "log"}
GOALS = ((16, 4), (8, 8), (20, 2))


def exploration_cell(
    agent: str, schedule: str, goal: tuple[int, int], ties: str, name: str
) -> Cell:
    """One agent in the 23 x 23 world."""
    protocol = Protocol(
        EnvironmentSpec("temporl/Open-v0", {"goal": list(goal)}),
        episodes=300,
        returns=(0.0, 1.0),
        options={"alpha": 0.1, "gamma": 0.99, "epsilon": SCHEDULES[schedule], "action_ties": ties},
    )
    return protocol.cell(name, agent, schedule, **AGENTS[agent])


EXPLORATION = Experiment(
    name="exploration",
    title="23 x 23 world: episodes until 95 % of evaluations reach the goal",
    seeds=100,
    cells=tuple(
        exploration_cell(agent, "constant", GOALS[0], "random", "open") for agent in AGENTS
    ),
    metrics=("episodes_to_95_percent",),
    figures=(
        "temporl.report.figures.exploration:reaching_curves",
        "temporl.report.figures.policies:policies",
    ),
    pictured=("q", "t-q"),
)

EXPLORATION_SENSITIVITY = Experiment(
    name="exploration-sensitivity",
    title="23 x 23 world: the same for other goals, schedules and rules for ties",
    seeds=100,
    cells=tuple(
        exploration_cell(agent, schedule, goal, ties, f"goal {goal[0]},{goal[1]}, {ties} ties")
        for schedule, goal, ties, agent in product(SCHEDULES, GOALS, ("random", "first"), AGENTS)
    ),
    metrics=("episodes_to_95_percent",),
    figures=("temporl.report.figures.exploration:sensitivity",),
)
