"""How many decisions a skip policy saves for agents that were trained without one.

    python benchmarks/recorded.py              three learning seeds each
    python benchmarks/recorded.py --seeds 1 --environments CartPole-v1

MountainCar: 20,000 recorded steps of a vanilla dqn, with more or less exploration in them, and no
other look at the environment. CartPole, Acrobot and Pendulum: three models each that
Stable-Baselines3 trains for the purpose, fresh steps of theirs, and `keep_return`, which plays too.
Every number is of 50 greedy episodes that nothing was chosen by.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from temporl.runs.workers import compiler_settings

os.environ.update(compiler_settings())

import gymnasium as gym
import numpy as np

import temporl
from temporl.evaluation import Evaluation
from temporl.recorded import collect_episodes, keep_return, learn_skips
from temporl.recorded.targets import Kind
from temporl.runs.policies import load_policy

EPISODES = 50
UPDATES = 6000
DQN_OPTIONS = {
    "learning_rate": 2.3e-3,
    "buffer_size": 50_000,
    "batch_size": 64,
    "train_freq": 256,
    "gradient_steps": 128,
    "target_update_interval": 10,
    "exploration_fraction": 0.3,
    "learning_starts": 1000,
}
TD3_OPTIONS = {"learning_rate": 1e-3, "batch_size": 128, "learning_starts": 500, "gamma": 0.98}
VANILLA = Path(__file__).parent.parent / "tests" / "recorded" / "mountain-car-dqn"


class EveryStep:
    """A behaviour that decides at every step."""

    def __init__(self, behaviour: Any) -> None:
        self.behaviour = behaviour

    def decide(self, observation: Any) -> temporl.Decision:
        """Its action, for one step."""
        return temporl.Decision(self.behaviour.act(np.asarray(observation)[None])[0], 1)


def mountain_car(
    seeds: int, environments: list[str], _models: Path
) -> Iterator[tuple[str, Evaluation, list[Evaluation]]]:
    """Recordings of a vanilla agent, with more or less exploration."""
    if "MountainCar-v0" not in environments:
        return
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


def best_model(kind: str, environment: str, seed: int, steps: int, models: Path) -> Any:
    """A model as its users have one: the best of training, judged every 2,000 steps."""
    import torch
    from stable_baselines3 import DQN, TD3
    from stable_baselines3.common.callbacks import EvalCallback
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.noise import NormalActionNoise

    torch.set_num_threads(1)
    common = {"policy_kwargs": {"net_arch": [64, 64]}, "seed": seed, "device": "cpu"}
    if kind == "DQN":
        model = DQN("MlpPolicy", environment, **DQN_OPTIONS, **common)
    else:
        noise = NormalActionNoise(np.zeros(1), 0.1 * np.ones(1))
        model = TD3("MlpPolicy", environment, action_noise=noise, **TD3_OPTIONS, **common)
    place = models / f"{kind}-{environment}-{seed}"
    if not (place / "finished").is_file():
        judging = EvalCallback(
            Monitor(gym.make(environment)),
            eval_freq=2000,
            n_eval_episodes=10,
            best_model_save_path=str(place),
            verbose=0,
        )
        model.learn(steps, judging)
        (place / "finished").touch()
    return type(model).load(place / "best_model", device="cpu")


def stable_baselines3(
    seeds: int, environments: list[str], models: Path
) -> Iterator[tuple[str, Evaluation, list[Evaluation]]]:
    """Models of Stable-Baselines3, frozen: a line for each model."""
    from temporl.sb3 import FrozenModel

    for kind, environment, steps, longest, recorded in (
        ("DQN", "CartPole-v1", 30_000, 4, {"steps": 20_000, "repeat": 0.0, "epsilon": 0.1}),
        ("DQN", "Acrobot-v1", 40_000, 4, {"steps": 20_000, "repeat": 0.0, "epsilon": 0.1}),
        ("TD3", "Pendulum-v1", 8_000, 6, {"steps": 8_000, "repeat": 0.7}),
    ):
        for number in range(3 if environment in environments else 0):
            frozen = FrozenModel(best_model(kind, environment, number, steps, models))
            before = temporl.evaluate(EveryStep(frozen), environment, EPISODES)
            episodes = collect_episodes(frozen, environment, max_skip=longest, **recorded)
            after = []
            for seed in range(seeds):
                learned = [
                    learn_skips(
                        *(frozen, episodes),
                        max_skip=longest,
                        updates=UPDATES,
                        targets=targets,
                        seed=seed,
                    )
                    for targets in get_args(Kind)
                ]
                kept = keep_return(learned, environment)
                after.append(temporl.evaluate(kept, environment, EPISODES))
            yield f"{kind} on {environment}, model {number}, J {longest}", before, after


def main() -> None:
    """Read what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="skip policies learned for each line")
    known = ["MountainCar-v0", "CartPole-v1", "Acrobot-v1", "Pendulum-v1"]
    parser.add_argument("--environments", nargs="+", default=known, choices=known)
    parser.add_argument(
        "--models", type=Path, help="where trained models are kept, for another time"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        measure(asked.seeds, asked.environments, asked.models or Path(place))


def measure(seeds: int, environments: list[str], models: Path) -> None:
    """Print a line as soon as it is known."""
    print("| agent | its return | with skips, each seed | its decisions | with skips |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for part in (mountain_car, stable_baselines3):
        for name, before, after in part(seeds, environments, models):
            returns = ", ".join(f"{one.returns.mean():.1f}" for one in after)
            decisions = ", ".join(f"{one.decisions.mean():.0f}" for one in after)
            print(
                f"| {name} | {before.returns.mean():.1f} | {returns}"
                f" | {before.decisions.mean():.0f} | {decisions} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
