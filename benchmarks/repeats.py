"""What FiGAR earns when its repeats are drawn as the paper's script drew them.

    temporl reproduce pendulum --agents figar --seeds 5 --out runs
    python benchmarks/repeats.py [--out runs]
    python benchmarks/repeats.py --train 10 [--seeds 2]

The first plays the last policies of finished runs in three ways that differ in nothing but the
repeat: the most probable one, one drawn from the probabilities, and one drawn as the script did,
which handed logarithms of probabilities to a function that takes probabilities: as all of them are
negative, each repeat was drawn in proportion to minus its logarithm, the least probable most often.
The second trains with a longest repeat of 10, as the library does and with the script's draws, and
scores all ways to play every 2,500 steps: the means are AUCs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import temporl
from machine import print_machine
from temporl.agents.agent import Choice, Memory
from temporl.agents.ddpg import ActorCriticState
from temporl.agents.dqn import epsilon_greedy
from temporl.agents.figar import FiGAR
from temporl.agents.policy import NetworkPolicy, agent_spaces
from temporl.environments.device import DeviceEnvironment
from temporl.experiments import experiment_named
from temporl.experiments.pendulum import PROTOCOLS
from temporl.experiments.published import published_value
from temporl.report.cells import collect
from temporl.report.statistics import normalized
from temporl.runs.policies import load_policy
from temporl.runs.store import POLICY
from temporl.runs.workers import default_workers
from temporl.training.device import train_on_device
from temporl.training.learner import EvaluationSchedule, Learner
from temporl.training.trees import TreeCheckpointer

ENVIRONMENT = "Pendulum-v1"
EPISODES = 20
STEPS, EVERY = 30_000, 2_500


def most_probable(chances: np.ndarray) -> np.ndarray:
    """Certainty of the most probable repeat."""
    return np.eye(len(chances))[chances.argmax()]


def inverted(chances: np.ndarray) -> np.ndarray:
    """What becomes of logarithms of probabilities that are taken for probabilities."""
    logarithms = np.log(np.maximum(chances, np.finfo(np.float32).tiny))
    return logarithms / logarithms.sum()


WAYS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "most probable": most_probable,
    "drawn": lambda chances: chances / chances.sum(),
    "drawn by the script": inverted,
}


class Drawn:
    """A policy of FiGAR whose repeats are drawn from what a way makes of its probabilities."""

    def __init__(self, policy: Any, way: Callable[[np.ndarray], np.ndarray]) -> None:
        self.policy = policy
        self.way = way
        self.random = np.random.default_rng(0)

    def decide(self, observation: Any) -> temporl.Decision:
        """The action, and a repeat."""
        agent, actor = self.policy.agent, self.policy.params.actor
        proposal = agent.proposal(actor, np.asarray(observation, np.float32))
        chances = self.way(proposal[-agent.max_skip :].astype(np.float64))
        repeat = int(self.random.choice(agent.skip_lengths, p=chances))
        return temporl.Decision(self.policy.decide(observation).action, repeat)


@dataclass(frozen=True)
class DrawingFiGAR(FiGAR):
    """FiGAR that draws its repeats as the script did while it learns."""

    def decide(
        self,
        state: ActorCriticState,
        observation: Array,
        memory: Memory,  # noqa: ARG002 (there is none)
        key: Array,
        progress: Array,
    ) -> Choice:
        """The actor's action with noise, and a repeat that is drawn, or any."""
        action_key, repeat_key, key = jax.random.split(key, 3)
        action = self.act(state, observation, action_key, progress)
        chances = self.proposal(state.networks.actor, observation)[-self.max_skip :]
        weights = -jnp.log(jnp.clip(chances, jnp.finfo(jnp.float32).tiny, 1 - 1e-7))
        # The largest of logarithms with Gumbel noise is a draw in proportion to the weights.
        drawn = jnp.log(weights) + jax.random.gumbel(key, weights.shape)
        warming_up = self.is_warming_up(state)
        repeat = epsilon_greedy(drawn, self.epsilon, repeat_key, progress, warming_up)
        return Choice(temporl.Decision(action, 1 + repeat))


def score(policy: Any, way: Callable[[np.ndarray], np.ndarray]) -> float:
    """How well a policy plays in a way: 0 and 1 are the returns that the paper's AUC has."""
    returns = temporl.evaluate(Drawn(policy, way), ENVIRONMENT, EPISODES).returns
    return float(normalized(returns[None], *PROTOCOLS["Pendulum"].returns).mean())


def areas(agent: FiGAR, seed: int) -> list[float]:
    """The AUC of a new run, for every way to play."""
    environment = DeviceEnvironment(ENVIRONMENT)
    spaces = environment.observation_space, environment.action_space
    learner = Learner(
        agent, agent_spaces(*spaces), STEPS, spare=STEPS // environment.step_limit + 1
    )
    pauses = EvaluationSchedule(STEPS, EVERY, starts=1)
    lines = [
        [score(NetworkPolicy(agent, point.params(), *spaces), way) for way in WAYS.values()]
        for point in train_on_device(learner, environment, seed, pauses, TreeCheckpointer())
    ]
    means: list[float] = np.mean(lines, axis=0).tolist()
    return means


def print_table(names: list[str], lines: list[tuple[Any, ...]]) -> None:
    """Lines under a head, as Markdown."""
    for line in (names, ["---:" for _ in names], *lines):
        print(f"| {' | '.join(map(str, line))} |")


def play_last_policies(out: Path) -> None:
    """A line for each longest repeat."""
    experiment, lines = experiment_named("pendulum"), []
    for result in collect(experiment, out, experiment.seeds):
        if result.cell.agent != "figar":
            continue
        policies = [load_policy(folder / POLICY) for folder in result.folders]
        means = (
            f"{np.mean([score(policy, way) for policy in policies]):.2f}" for way in WAYS.values()
        )
        published = published_value(experiment.name, result.cell, "reward_auc")
        lines.append((result.cell.max_skip, len(policies), *means, published))
    print(f"\nMean score of last policies in {EPISODES} episodes for each seed\n")
    print_table(["J", "seeds", *WAYS, "published AUC"], lines)


def train_both_ways(max_skip: int, seeds: int) -> None:
    """A line for each way to draw repeats in training, and each seed."""
    kinds = {"as here": FiGAR(max_skip=max_skip), "by the script": DrawingFiGAR(max_skip=max_skip)}
    runs = list(product(kinds, range(seeds)))
    with ProcessPoolExecutor(default_workers(), get_context("spawn")) as pool:
        found = pool.map(areas, [kinds[kind] for kind, _ in runs], [seed for _, seed in runs])
        lines = [
            (*run, *(f"{area:.2f}" for area in line)) for run, line in zip(runs, found, strict=True)
        ]
    print(
        f"\nAUC with a longest repeat of {max_skip}, from {STEPS // EVERY + 1} moments of a run\n"
    )
    print_table(["repeats in training", "seed", *WAYS], lines)


def main() -> None:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs"))
    parser.add_argument("--train", type=int, metavar="J")
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    print_machine("jax", "gymnasium")
    if arguments.train is None:
        play_last_policies(arguments.out)
    else:
        train_both_ways(arguments.train, arguments.seeds)


if __name__ == "__main__":
    main()
