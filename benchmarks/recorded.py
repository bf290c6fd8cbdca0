"""How many decisions a skip policy saves for agents that were trained without one.

    python benchmarks/recorded.py              three learning seeds each
    python benchmarks/recorded.py --seeds 1

MountainCar: 20,000 recorded steps of a vanilla dqn, with more or less exploration in them. CartPole
and Pendulum: models that Stable-Baselines3 trains for the purpose, from the replay of the one and
from fresh steps of the other. Every line is 50 greedy episodes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from temporl.training.sweep import compiler_settings

os.environ.update(compiler_settings())

import numpy as np

import temporl
from temporl.evaluation import Evaluation
from temporl.recorded import collect_episodes, learn_skips
from temporl.results.policies import load_policy

EPISODES = 50
VANILLA = Path(__file__).parent.parent / "tests" / "recorded" / "mountain-car-dqn"


class EveryStep:
    """A behaviour that decides at every step."""

    def __init__(self, behaviour: Any) -> None:
        self.behaviour = behaviour

    def decide(self, observation: Any) -> temporl.Decision:
        """Its action, for one step."""
        return temporl.Decision(self.behaviour.act(np.asarray(observation)[None])[0], 1)


def mountain_car(seeds: int) -> Iterator[tuple[str, Evaluation, list[Evaluation]]]:
    """Recordings of a vanilla agent, with more or less exploration."""
    vanilla = load_policy(VANILLA)
    before = temporl.evaluate(vanilla, "MountainCar-v0", EPISODES)
    for epsilon in (0.0, 0.1, 0.2):
        recorded = collect_episodes(vanilla, "MountainCar-v0", 20_000, repeat=0.0, epsilon=epsilon)
        after = [
            temporl.evaluate(
                learn_skips(vanilla, recorded, max_skip=10, seed=seed), "MountainCar-v0", EPISODES
            )
            for seed in range(seeds)
        ]
        yield f"dqn on MountainCar-v0, recorded with epsilon {epsilon}, J 10", before, after


def stable_baselines3(seeds: int) -> Iterator[tuple[str, Evaluation, list[Evaluation]]]:
    """Models of Stable-Baselines3, frozen."""
    import torch
    from stable_baselines3 import DQN, TD3

    from temporl.sb3 import FrozenModel, replayed_episodes

    torch.set_num_threads(1)
    dqn = DQN("MlpPolicy", "CartPole-v1", seed=0, device="cpu").learn(40_000)
    td3 = TD3("MlpPolicy", "Pendulum-v1", seed=0, device="cpu").learn(8_000)
    fresh = collect_episodes(FrozenModel(td3), "Pendulum-v1", 8_000, max_skip=6, repeat=0.7)
    for name, environment, model, episodes, longest in (
        ("DQN on CartPole-v1, its own replay, J 4", "CartPole-v1", dqn, replayed_episodes(dqn), 4),
        ("TD3 on Pendulum-v1, 8,000 fresh steps, J 6", "Pendulum-v1", td3, fresh, 6),
    ):
        frozen, known = FrozenModel(model), list(episodes)
        before = temporl.evaluate(EveryStep(frozen), environment, EPISODES)
        after = [
            temporl.evaluate(
                learn_skips(frozen, known, max_skip=longest, updates=6000, seed=seed),
                environment,
                EPISODES,
            )
            for seed in range(seeds)
        ]
        yield name, before, after


def main() -> None:
    """Print a line as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="skip policies learned for each line")
    seeds = parser.parse_args().seeds
    print("| agent | its return | with skips, each seed | its decisions | with skips |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for part in (mountain_car, stable_baselines3):
        for name, before, after in part(seeds):
            returns = ", ".join(f"{one.returns.mean():.1f}" for one in after)
            decisions = ", ".join(f"{one.decisions.mean():.0f}" for one in after)
            print(
                f"| {name} | {before.returns.mean():.1f} | {returns}"
                f" | {before.decisions.mean():.0f} | {decisions} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
