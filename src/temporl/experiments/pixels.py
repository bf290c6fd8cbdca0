"""Section 4.4 of the paper: Atari; and beyond it, the five games of MinAtar."""

from __future__ import annotations

from typing import Any

from temporl.agents import make_agent
from temporl.agents.images import BOARDS, SCREENS
from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import Cell, Experiment
from temporl.runs.config import RunConfig
from temporl.types import Record

LONGEST = 10
"""The longest skip, and DAR's coarse repeat. The paper's appendix: 10."""
MINATAR = ("Asterix", "Breakout", "Freeway", "Seaquest", "SpaceInvaders")
ATARI = {"BeamRider": 2_500_000, "Freeway": 2_500_000, "MsPacman": 2_500_000, "Pong": 2_500_000}
ATARI |= {"Qbert": 5_000_000}
"""The games, and for how many steps the paper trains on each."""


def _agent(name: str, options: Record) -> Any:
    if name == "t-dqn":
        options = options | {"architecture": "shared"}
    if name in ("t-dqn", "dar"):
        options = options | {"max_skip": LONGEST}
    return make_agent(name, **options)


def _cell(game: str, name: str, config: RunConfig) -> Cell:
    skips = name in ("t-dqn", "dar")
    architecture = "shared" if name == "t-dqn" else ""
    returns = (-21.0, 21.0) if game == "Pong" else (0.0, 30.0)
    return Cell(game, "", LONGEST if skips else 1, config, architecture, returns)


def minatar_cell(game: str, name: str) -> Cell:
    """One agent on one of MinAtar's games, in ten greedy episodes every 10,000 steps."""
    config = RunConfig(
        agent=_agent(name, BOARDS),
        environment=EnvironmentSpec(f"gymnax/{game}-MinAtar"),
        steps=500_000,
        evaluate_every=10_000,
        driver="device",
        evaluation_starts=10,
    )
    return _cell(game, name, config)


def atari_cell(game: str, name: str) -> Cell:
    """One agent on one Atari game, in three whole games every 10,000 steps: the paper's way."""
    config = RunConfig(
        agent=_agent(name, SCREENS),
        environment=EnvironmentSpec(f"ALE/{game}-v5", {"clip_rewards": True}),
        steps=ATARI[game],
        evaluate_every=10_000,
        driver="host",
        evaluation_starts=3,
    )
    return _cell(game, name, config)


MINATAR_GAMES = Experiment(
    name="minatar",
    title="MinAtar: DQN, t-DQN, DAR and temporally extended epsilon-greedy DQN",
    seeds=3,
    cells=tuple(
        minatar_cell(game, name) for game in MINATAR for name in ("dqn", "t-dqn", "dar", "ez-dqn")
    ),
    metrics=("final_return", "steps_per_decision"),
)

ATARI_GAMES = Experiment(
    name="atari",
    title="Atari: DQN, t-DQN and DAR",
    seeds=15,
    cells=tuple(atari_cell(game, name) for game in ATARI for name in ("dqn", "t-dqn", "dar")),
    metrics=("final_return", "steps_per_decision"),
    note="The paper shows curves only. Rewards are clipped in training, and scores are not.",
)
