"""`temporl evaluate RUN`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import tyro

from temporl.cli.parsing import Trust, parse
from temporl.environments import EnvironmentSpec
from temporl.evaluation import evaluate
from temporl.frontier import Setting
from temporl.runs.store import recorded_environment
from temporl.runs.train import choose_seed, load
from temporl.wording import number_of


@dataclass(frozen=True)
class Arguments:
    """Play greedy episodes with a trained policy; print return, steps and decisions."""

    run: tyro.conf.Positional[Path]
    """The folder of a run, or of one seed of it; of several seeds, the first is evaluated."""
    episodes: int = 20
    """Number of greedy episodes to play."""
    env: str | None = None
    """The environment; default: the one that the policy was trained in."""
    trust: Trust = False
    seed: int = 0
    """The seed of the episodes."""
    max_skip: int | None = None
    """Longest skip to play; with 1 the policy decides at every step. Default: no limit."""
    decision_cost: float | str | None = None
    """Price of a decision to play at, for frugal agents, as in 0.1 or 5%. Default: the one that the
    policy was trained with."""
    tie_tolerance: float | None = None
    """Tolerance to play with, for agents that value skips. Default: the agent's own."""
    repeat: int | None = None
    """Number of steps for which every action is played, in place of the learned ones."""
    json: bool = False
    """Print JSON instead of text."""
    each: bool = False
    """With '--json': also print what each episode brought."""


def run(words: list[str]) -> int:
    """Play greedy episodes, and print how they went."""
    arguments = parse(Arguments, words, "temporl evaluate")
    folder = choose_seed(arguments.run)
    environment = environment_of(arguments.env, folder, arguments.trust)
    setting = Setting(arguments.decision_cost, arguments.tie_tolerance)
    trained = setting.apply(load(folder, trust=arguments.trust))
    policy = Setting(repeat=arguments.repeat).policy(trained)
    episodes, seed = arguments.episodes, arguments.seed
    outcome = evaluate(policy, environment, episodes, seed, max_skip=arguments.max_skip)
    summary = outcome.summary(trained.price)
    if arguments.each:
        summary["each"] = outcome.to_data()
    if arguments.json:
        print(json.dumps(summary))
        return 0
    print(f"{folder} on {environment.name}, {number_of(arguments.episodes, 'episode')}")
    for name, values in summary.items():
        if name not in ("episodes", "each"):
            print(
                f"  {name:<13} mean {values['mean']:.3f}   std {values['std']:.3f}"
                f"   min {values['min']:g}   max {values['max']:g}"
            )
    return 0


def environment_of(given: str | None, folder: Path, trust: bool) -> EnvironmentSpec:
    """The user's environment, or the recorded one, unless making that would import a module."""
    recorded = recorded_environment(folder)
    if given is not None:
        return EnvironmentSpec.given(given, step_limit=recorded.step_limit)
    if not trust:
        recorded.require_harmless()
    return recorded
