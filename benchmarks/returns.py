"""Whether td3 and sac learn as well as those of Stable-Baselines3.

    python benchmarks/returns.py [--seeds 5] [--steps 10000] [--out runs]

Everybody trains on Pendulum-v1 with the same networks, batch, step sizes, noise, warm-up and number
of steps; then each seed's greedy policy plays the same 20 episodes of Gymnasium's environment. The
table has a line for each seed, and says whether our mean reaches the spread of the peer's seeds.
"""

from __future__ import annotations

import argparse
import statistics
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

import temporl
from machine import print_machine
from recorded import EveryStep
from temporl.runs.workers import default_workers

ENVIRONMENT = "Pendulum-v1"
EPISODES = 20
WARM_UP = 1_000
NOISE = 0.1
"""Of td3 on top of its actions, which lie between -1 and 1."""


def mean_return(policy: Any) -> float:
    """The mean return of a greedy policy, from the same starts for everybody."""
    return float(temporl.evaluate(policy, ENVIRONMENT, EPISODES).returns.mean())


def ours(agent: str, seeds: int, steps: int, out: str) -> list[float]:
    """The return of every seed of ours."""
    run = temporl.train(
        agent, ENVIRONMENT, steps=steps, seeds=seeds, evaluate_every=0, out=out, warm_up=WARM_UP
    )
    return [mean_return(run.policy(seed)) for seed in run.seeds]


def peers(agent: str, steps: int, seed: int) -> float:
    """The return of one seed of Stable-Baselines3."""
    import stable_baselines3
    import torch
    from stable_baselines3.common.noise import NormalActionNoise

    from temporl.sb3 import FrozenModel

    torch.set_num_threads(1)
    special: dict[str, Any] = {"policy_kwargs": {"net_arch": [256, 256]}, "learning_rate": 3e-4}
    if agent == "td3":
        noise = NormalActionNoise(np.zeros(1), NOISE * np.ones(1))
        special = {"policy_kwargs": {"net_arch": [400, 300]}, "action_noise": noise}
    model = getattr(stable_baselines3, agent.upper())(
        "MlpPolicy",
        ENVIRONMENT,
        batch_size=256,
        learning_starts=WARM_UP,
        train_freq=1,
        gradient_steps=1,
        seed=seed,
        device="cpu",
        **special,
    )
    model.learn(steps)
    return mean_return(EveryStep(FrozenModel(model)))


def main() -> None:
    """Train, and print a table for each agent."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--agents", nargs="+", default=["td3", "sac"], choices=("td3", "sac"))
    parser.add_argument("--out", default="runs")
    arguments = parser.parse_args()
    print_machine("jax", "gymnasium", "torch", "stable-baselines3")
    for agent in arguments.agents:
        mine = ours(agent, arguments.seeds, arguments.steps, arguments.out)
        with ProcessPoolExecutor(default_workers(), get_context("spawn")) as pool:
            theirs = list(pool.map(partial(peers, agent, arguments.steps), range(arguments.seeds)))
        print(f"\n**{agent}, {arguments.steps:,} steps, {EPISODES} greedy episodes a seed**\n")
        print("| seed | ours | Stable-Baselines3 |\n| ---: | ---: | ---: |")
        for seed, (own, other) in enumerate(zip(mine, theirs, strict=True)):
            print(f"| {seed} | {own:.1f} | {other:.1f} |")
        print(f"| mean | {statistics.mean(mine):.1f} | {statistics.mean(theirs):.1f} |")
        within = min(theirs) <= statistics.mean(mine)
        print(f"\nour mean {'reaches' if within else 'is below'} the spread of the peer's seeds")


if __name__ == "__main__":
    main()
