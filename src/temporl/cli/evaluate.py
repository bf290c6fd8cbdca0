"""`temporl evaluate RUN`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import tyro

from temporl.cli.parsing import parse
from temporl.environments import EnvironmentSpec
from temporl.evaluation import evaluate
from temporl.results.runs import recorded_environment
from temporl.training.train import choose_seed, load
from temporl.wording import number_of


@dataclass(frozen=True)
class Arguments:
    """What to evaluate, and how."""

    run: tyro.conf.Positional[Path]
    """The folder of a run, or of one seed of it; of several seeds, the first is evaluated."""
    episodes: int = 20
    """How many greedy episodes to play."""
    env: str | None = None
    """Another environment than the one the policy was trained on."""
    trust_env: bool = False
    """Import the module that the recorded environment names: only for runs that are your own."""
    seed: int = 0
    """The seed of the episodes."""
    max_skip: int | None = None
    """Decide again after so many steps, whatever the policy chose: with 1 at every step."""
    json: bool = False
    """Print JSON."""


def run(words: list[str]) -> int:
    """Play greedy episodes, and print how they went."""
    description = "Play greedy episodes with a trained policy."
    arguments = parse(Arguments, words, "temporl evaluate", description)
    folder = choose_seed(arguments.run)
    environment = environment_of(arguments.env, folder, arguments.trust_env)
    outcome = evaluate(
        load(folder),
        environment,
        arguments.episodes,
        arguments.seed,
        max_skip=arguments.max_skip,
    )
    summary = outcome.summary()
    if arguments.json:
        print(json.dumps(summary))
        return 0
    print(f"{folder} on {environment.name}, {number_of(arguments.episodes, 'episode')}")
    for name in ("return", "steps", "decisions"):
        values = summary[name]
        print(
            f"  {name:<10} mean {values['mean']:.3f}   std {values['std']:.3f}"
            f"   min {values['min']:g}   max {values['max']:g}"
        )
    return 0


def environment_of(given: str | None, folder: Path, trust_env: bool) -> EnvironmentSpec:
    """The user's environment, or the recorded one, unless making that would import a module."""
    recorded = recorded_environment(folder)
    if given is not None:
        return EnvironmentSpec.given(given, step_limit=recorded.step_limit)
    if not trust_env:
        recorded.require_harmless()
    return recorded
