"""What FiGAR earns when its repeats are drawn as the paper's script drew them.

    temporl reproduce pendulum --agents figar --seeds 5 --out runs
    python benchmarks/repeats.py [--out runs]

Plays the last policies of finished runs in three ways that differ in nothing but the repeat: the
most probable one, one drawn from the probabilities, and one drawn as the script did, which handed
logarithms of probabilities to a function that takes probabilities: as all of them are negative,
each repeat was drawn in proportion to minus its logarithm, the least probable most often.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import temporl
from machine import print_machine
from temporl.experiments import experiment_named
from temporl.experiments.published import published_value
from temporl.report.cells import CellResult, collect
from temporl.report.statistics import normalized
from temporl.results.policies import load_policy
from temporl.results.runs import POLICY

ENVIRONMENT = "Pendulum-v1"
EPISODES = 20


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
        agent, actor = self.policy.agent, self.policy.networks.actor
        proposal = agent.proposal(actor, np.asarray(observation, np.float32))
        chances = self.way(proposal[-agent.max_skip :].astype(np.float64))
        repeat = int(self.random.choice(agent.skip_lengths, p=chances))
        return temporl.Decision(self.policy.decide(observation).action, repeat)


def scores(result: CellResult, way: Callable[[np.ndarray], np.ndarray]) -> list[float]:
    """The score of every seed's last policy: 0 and 1 are the returns that the paper's AUC has."""
    policies = [Drawn(load_policy(folder / POLICY), way) for folder in result.folders]
    returns = [temporl.evaluate(policy, ENVIRONMENT, EPISODES).returns for policy in policies]
    return normalized(np.array(returns), *result.cell.returns).mean(axis=1).tolist()


def main() -> None:
    """Print a line for each longest repeat."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs"))
    experiment = experiment_named("pendulum")
    results = collect(experiment, parser.parse_args().out, experiment.seeds)
    print_machine("gymnasium")
    print(f"\nMean score of last policies in {EPISODES} episodes for each seed\n")
    print(f"| J | seeds | {' | '.join(WAYS)} | published AUC |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for result in results:
        if result.cell.agent != "figar":
            continue
        means = (f"{np.mean(scores(result, way)):.2f}" for way in WAYS.values())
        published = published_value(experiment.name, result.cell, "reward_auc")
        line = (result.cell.max_skip, len(result.folders), *means, published)
        print(f"| {' | '.join(map(str, line))} |", flush=True)


if __name__ == "__main__":
    main()
