"""Whether the costs of holding are what holding loses: predicted beside played.

    python benchmarks/calibration.py --out docs/images/calibration.png

Agents are trained, and then, from states that they visit, an action is held for some steps and the
behaviour decides at every step from then on. What that loses beside the action for a single step is
compared with what the agent predicts; both plays have the same random numbers. A prediction is of
the agent's own values, so it is as wrong as these are: the table has both.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import temporl
from machine import print_machine
from temporl.report.figures.style import QUIET, Margins, headline, panels, picture

GAMMA, LONGEST, HORIZON = 0.99, (2, 4, 7), 200


def discounted(
    policy: Any, world: gym.Env, observation: Any, action: Any, held: int, seed: int
) -> float:
    """The discounted return of holding an action, and of deciding at every step from then on."""
    world.unwrapped.np_random = np.random.default_rng(seed)
    total, factor = 0.0, 1.0
    for step in range(HORIZON):
        played = action if step < held else int(np.argmax(policy.action_values(observation)))
        observation, reward, terminated, _, _ = world.step(played)
        total, factor = total + factor * float(reward), factor * GAMMA
        if terminated:
            break
    else:
        total += factor * float(np.max(policy.action_values(observation)))
    return total


def compare(
    policy: Any, make: Callable[[], gym.Env], states: int, repeats: int
) -> tuple[np.ndarray, np.ndarray]:
    """Predicted and played losses: a row for each state, a column for each length."""
    random, predicted, lost = np.random.default_rng(0), [], []
    world = make()
    observation, _ = world.reset(seed=0)
    while len(predicted) < states:
        action = int(np.argmax(policy.action_values(observation)))
        if random.random() < 0.2:  # some states that only exploration leads to
            action = int(random.integers(world.action_space.n))
        values = policy.skip_values(observation, action)
        predicted.append([values[1] - values[j] for j in LONGEST])
        played = [
            np.mean(
                [
                    discounted(policy, deepcopy(world), observation, action, held, seed)
                    for seed in range(repeats)
                ]
            )
            for held in (1, *LONGEST)
        ]
        lost.append([played[0] - value for value in played[1:]])
        for _ in range(3):
            observation, _, terminated, truncated, _ = world.step(action)
            if terminated or truncated:
                observation, _ = world.reset()
                break
            action = int(np.argmax(policy.action_values(observation)))
    return np.array(predicted), np.array(lost)


def main() -> None:
    """Train, compare, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("calibration.png"))
    parser.add_argument("--steps", type=int, default=200_000, help="training steps of frugal-dqn")
    parser.add_argument("--states", type=int, default=200)
    given = parser.parse_args()
    print_machine("jax", "gymnasium")
    slippery = {"env_options": {"slip": 0.1}, "alpha": 0.02, "epsilon": 0.3, "episodes": 200_000}
    cases: dict[str, tuple[Any, Callable[[], gym.Env], int]] = {}
    for name, agent, world, options, repeats in (
        ("frugal-q, Cliff, moves slip", "frugal-q", "temporl/Cliff-v0", slippery, 200),
        ("frugal-dqn, MountainCar", "frugal-dqn", "MountainCar-v0", {"steps": given.steps}, 1),
    ):
        run = temporl.train(agent, world, evaluate_every=0, out="runs/calibration", **options)
        chance = options.get("env_options", {})
        cases[name] = (run.policy(), lambda w=world, c=chance: gym.make(w, **c), repeats)
    with picture(given.out, 8.4, 4.6) as figure:
        grid = panels(figure, 1, len(cases), Margins(left=0.75, top=0.95, across=0.7))[0]
        for axes, (name, (policy, make, repeats)) in zip(grid, cases.items(), strict=True):
            predicted, lost = compare(policy, make, given.states, repeats)
            for column, (length, colour) in enumerate(
                zip(LONGEST, ("#0173b2", "#de8f05", "#029e73"), strict=True)
            ):
                ours, theirs = predicted[:, column], lost[:, column]
                axes.plot(theirs, ours, "o", ms=3.5, alpha=0.5, color=colour, label=f"{length}")
                print(
                    f"{name}, {length} steps: mean predicted {ours.mean():.4f}, lost"
                    f" {theirs.mean():.4f}, correlation {np.corrcoef(ours, theirs)[0, 1]:.2f}"
                )
            ends = [min(lost.min(), 0.0), max(lost.max(), predicted.max())]
            axes.plot(ends, ends, color=QUIET, lw=0.9, ls=(0, (4, 3)), zorder=1)
            axes.set(xlabel="lost when played", ylabel="predicted")
            axes.set_title(name, loc="left")
            axes.legend(title="steps held")
        headline(
            figure,
            "What holding an action loses: predicted and played",
            "each dot a state; discounted return, the same random numbers for both plays",
        )


if __name__ == "__main__":
    main()
