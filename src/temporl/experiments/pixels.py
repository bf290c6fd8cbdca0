"""Section 4.4 of the paper: Atari; and beyond it, the five games of MinAtar."""

from __future__ import annotations

from temporl.agents.images import BOARDS, SCREENS
from temporl.environments import EnvironmentSpec
from temporl.experiments.experiment import Experiment, Protocol
from temporl.types import Record

LONGEST = 10
"""The longest skip, and DAR's coarse repeat. The paper's appendix: 10."""
AGENTS: dict[str, Record] = {
    "dqn": {},
    "t-dqn": {"max_skip": LONGEST, "architecture": "shared"},
    "dar": {"max_skip": LONGEST},
    "ez-dqn": {},
}
MINATAR = ("Asterix", "Breakout", "Freeway", "Seaquest", "SpaceInvaders")
ATARI = {"BeamRider": 2_500_000, "Freeway": 2_500_000, "MsPacman": 2_500_000, "Pong": 2_500_000}
ATARI |= {"Qbert": 5_000_000}
"""The games, and for how many steps the paper trains on each."""


def minatar(game: str) -> Protocol:
    """Ten greedy episodes every 10,000 steps."""
    return Protocol(
        EnvironmentSpec(f"gymnax/{game}-MinAtar"),
        steps=500_000,
        evaluate_every=10_000,
        driver="device",
        evaluation_starts=10,
        returns=(0.0, 30.0),
        options=BOARDS,
    )


def atari(game: str) -> Protocol:
    """Three whole games every 10,000 steps: the paper's way."""
    return Protocol(
        EnvironmentSpec(f"ALE/{game}-v5", {"clip_rewards": True}),
        steps=ATARI[game],
        evaluate_every=10_000,
        driver="host",
        evaluation_starts=3,
        returns=(-21.0, 21.0) if game == "Pong" else (0.0, 30.0),
        options=SCREENS,
    )


MINATAR_GAMES = Experiment(
    name="minatar",
    title="MinAtar: DQN, t-DQN, DAR and temporally extended epsilon-greedy DQN",
    seeds=3,
    cells=tuple(
        minatar(game).cell(game, agent, **own) for game in MINATAR for agent, own in AGENTS.items()
    ),
    metrics=("final_return", "steps_per_decision"),
)

ATARI_GAMES = Experiment(
    name="atari",
    title="Atari: DQN, t-DQN and DAR",
    seeds=15,
    cells=tuple(
        atari(game).cell(game, agent, **AGENTS[agent])
        for game in ATARI
        for agent in ("dqn", "t-dqn", "dar")
    ),
    metrics=("final_return", "steps_per_decision"),
    note="The paper shows curves only. Rewards are clipped in training, and scores are not.",
)
