"""`temporl.train` and `temporl.load`: what most people need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import pyarrow as pa

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, RunFailed, require_at_least
from temporl.results.config import RunConfig
from temporl.results.policies import load_policy
from temporl.results.runs import (
    POLICY,
    group_folder,
    prepare_output,
    read_evaluations,
    seed_folder,
    seed_folders,
)
from temporl.tabular.policy import TabularPolicy
from temporl.tabular.training import check_trainable
from temporl.training.progress import ProgressDisplay
from temporl.training.runs import missing_runs, plan_runs
from temporl.training.sweep import complete, default_workers

DEFAULT_EPISODES = 10_000


@dataclass(frozen=True)
class Run:
    """The finished runs of one configuration, one folder a seed."""

    path: Path
    config: RunConfig
    seeds: tuple[int, ...]

    def policy(self, seed: int | None = None) -> TabularPolicy:
        """The trained policy of a seed, the first unless another is given."""
        return load(self.path, seed)

    def evaluations(self, seed: int | None = None) -> pa.Table:
        """The greedy evaluations made during training, a row each."""
        return read_evaluations(choose_seed(self.path, seed))


def train(
    agent: str,
    env: str | Callable[[], gym.Env[Any, Any]],
    *,
    episodes: int | None = None,
    steps: int | None = None,
    seeds: int = 1,
    seed: int = 0,
    env_options: dict[str, Any] | None = None,
    step_limit: int | None = None,
    evaluate_every: int = 1,
    out: str | Path = "runs",
    workers: int | None = None,
    progress: bool = True,
    **options: Any,
) -> Run:
    """Train an agent, and return where the result is.

    Seeds that are in the output folder already are not trained again.

    Args:
        agent: An agent's name, such as `"t-q"`.
        env: A Gymnasium id, the path of a map, or a function that makes an environment.
        episodes: How many episodes to train for (10,000 unless episodes or steps are given).
        steps: How many environment steps to train for, instead.
        seeds: How many seeds to train.
        seed: The first of them.
        env_options: What to make the environment with.
        step_limit: Steps after which an episode is cut, where the environment has no limit or
            another one is wanted.
        evaluate_every: One greedy episode after every so many episodes; 0 for never.
        out: The results folder.
        workers: Processes to use; one for each core unless given.
        progress: Whether to show progress.
        **options: The agent's own hyperparameters.
    """
    made = make_agent(agent, **options)
    spec, make = _environment(env, env_options, step_limit)
    if episodes is None and steps is None:
        episodes = DEFAULT_EPISODES
    config = RunConfig(made, spec, episodes, steps, evaluate_every)
    require_at_least("seeds", seeds, 1)
    require_at_least("seed", seed, 0)
    if workers is not None:
        require_at_least("workers", workers, 1)
    check_trainable(make or config.environment.make, config.environment.name)
    out = prepare_output(Path(out))
    label = config.environment.label
    planned = plan_runs(out, label, config, range(seed, seed + seeds))
    missing = missing_runs(planned)
    if make is not None and len(missing) < len(planned):
        raise BadInput(
            "out",
            str(out),
            f"it holds runs of a function named {label!r}, which may have been another one;"
            " give another folder, or register the environment",
        )
    title = f"{config.agent_name} on {label}"
    with ProgressDisplay(title, len(missing), show=progress) as display:
        failures = complete(missing, workers or default_workers(), display, make)
    if failures:
        raise RunFailed("; ".join(map(str, failures)))
    return Run(group_folder(out, label, config), config, tuple(run.seed for run in planned))


def _environment(
    env: str | Callable[[], gym.Env[Any, Any]],
    options: dict[str, Any] | None,
    step_limit: int | None,
) -> tuple[EnvironmentSpec, Callable[[], gym.Env[Any, Any]] | None]:
    if isinstance(env, str):
        return EnvironmentSpec.given(env, options, step_limit), None
    if options:
        raise BadInput("env_options", options, "a function makes its environment by itself")

    def make() -> gym.Env[Any, Any]:
        environment = env()
        if step_limit is None:
            return environment
        return gym.wrappers.TimeLimit(environment, step_limit)

    name = getattr(env, "__name__", type(env).__name__).strip("<>")
    return EnvironmentSpec(name, {}, step_limit), make


def load(path: str | Path, seed: int | None = None) -> TabularPolicy:
    """Load a trained policy; no code but this library's runs.

    Args:
        path: The folder of a run, or of one seed of it.
        seed: Which seed, if the folder holds several; the first unless given.
    """
    return load_policy(choose_seed(Path(path), seed) / POLICY)


def choose_seed(path: Path, seed: int | None = None) -> Path:
    """The folder of one seed at a path, the first unless another is wanted."""
    found = seed_folders(path)
    if not found:
        raise BadInput("run", str(path), "there is no finished run in it")
    wanted = found[0] if seed is None else seed_folder(path, seed)
    if wanted not in found:
        raise BadInput("seed", seed, f"there are {', '.join(f.name for f in found)}")
    return wanted
