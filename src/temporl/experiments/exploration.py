"""Guided exploration: the 23 x 23 world, and how far its lesson depends on unpublished choices.

The paper and the work it follows publish neither the goal's cell nor alpha, gamma, epsilon or the
number of episodes. The first experiment is one choice; the second varies the goal, the schedule and
the rule for ties between actions.
"""

from __future__ import annotations

from itertools import product

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import Cell, Experiment
from temporl.runs.config import RunConfig

ALPHA = 0.1
GAMMA = 0.99
MAX_SKIP = 7
EPISODES = 300
AGENTS = ("q", "ez-q", "t-q")
SCHEDULES: dict[str, float | str] = {"constant": 0.1, "linear": "linear", "log": "log"}
GOALS = ((16, 4), (8, 8), (20, 2))


def exploration_cell(
    agent: str, schedule: str, goal: tuple[int, int], ties: str, name: str
) -> Cell:
    """One agent in the 23 x 23 world."""
    longest = {"max_skip": MAX_SKIP} if agent == "t-q" else {}
    config = RunConfig(
        agent=make_agent(
            agent,
            alpha=ALPHA,
            gamma=GAMMA,
            epsilon=SCHEDULES[schedule],
            action_ties=ties,
            **longest,
        ),
        environment=EnvironmentSpec("temporl/Open-v0", {"goal": list(goal)}),
        episodes=EPISODES,
    )
    longest_skip = MAX_SKIP if agent == "t-q" else 1
    return Cell(name, schedule, longest_skip, config, returns=(0.0, 1.0))


EXPLORATION = Experiment(
    name="exploration",
    title="23 x 23 world: episodes until 95 % of evaluations reach the goal",
    seeds=100,
    cells=tuple(
        exploration_cell(agent, "constant", GOALS[0], "random", "open") for agent in AGENTS
    ),
    metrics=("episodes_to_95_percent",),
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
)
