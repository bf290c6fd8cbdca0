"""`temporl.train` and `temporl.load`: what most people need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import pyarrow as pa

from temporl.agents import make_agent
from temporl.agents.images import IMAGE_AGENTS, image_options
from temporl.environments import EnvironmentSpec
from temporl.environments.images import ImageOptions, with_images
from temporl.errors import BadInput, RunFailed, require_at_least, require_range
from temporl.results.config import Driver, RunConfig
from temporl.results.policies import load_policy
from temporl.results.runs import (
    POLICY,
    group_folder,
    prepare_output,
    read_evaluations,
    seed_folder,
    seed_folders,
)
from temporl.tabular.agents import QLearning
from temporl.tabular.training import check_trainable
from temporl.training.checkpoints import MINUTES
from temporl.training.log import Log, require_log
from temporl.training.progress import ProgressDisplay
from temporl.training.runs import missing_runs, plan_runs
from temporl.training.sweep import complete, default_workers

DEFAULT_EPISODES = 10_000
DEFAULT_STEPS = 100_000


@dataclass(frozen=True)
class Run:
    """The finished runs of one configuration, one folder a seed."""

    path: Path
    config: RunConfig
    seeds: tuple[int, ...]

    def policy(self, seed: int | None = None) -> Any:
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
    evaluate_every: int | None = None,
    evaluation_starts: int | None = None,
    driver: Driver | None = None,
    log: Log | None = None,
    out: str | Path = "runs",
    workers: int | None = None,
    checkpoint_minutes: float = MINUTES,
    progress: bool = True,
    **options: Any,
) -> Run:
    """Train an agent, and return where the result is.

    Seeds that are in the output folder already are not trained again, and those that were
    interrupted go on from their last checkpoint.

    Args:
        agent: An agent's name, such as `"t-q"`.
        env: A Gymnasium id, the path of a map, or a function that makes an environment.
        episodes: How many episodes to train for: tabular agents only, 10,000 unless given.
        steps: How many environment steps to train for; deep agents take 100,000 unless given.
        seeds: How many seeds to train.
        seed: The first of them.
        env_options: What to make the environment with.
        step_limit: Steps after which an episode is cut, where the environment has no limit or
            another one is wanted.
        evaluate_every: One greedy episode after every so many episodes (tabular agents; each
            unless given) or steps (deep agents; 200 times in all unless given); 0 for never.
        evaluation_starts: A deep agent is evaluated from the same so many starts each time, before
            the first step too; unless given, in one episode from a new start.
        driver: Who steps the environment for a deep agent: `"device"` where it is compiled,
            `"host"` for any Gymnasium environment; the fastest possible unless given.
        log: `"tensorboard"` or `"wandb"` (offline), to write such a log beside the runs.
        out: The results folder.
        workers: Processes to use; one for each core unless given.
        checkpoint_minutes: Minutes between two checkpoints of a run.
        progress: Whether to show progress.
        **options: The agent's own hyperparameters; where observations are images, others than
            usual unless given (`temporl.agents.images`).
    """
    made = make_agent(agent, **options)
    spec, make = _environment(env, env_options, step_limit)
    usual = usual_options(agent, make or spec.make)
    if usual:
        made = make_agent(agent, **usual | options)
    config = configure(
        made,
        spec,
        episodes=episodes,
        steps=steps,
        evaluate_every=evaluate_every,
        evaluation_starts=evaluation_starts,
        driver=driver,
        make=make,
    )
    require_at_least("seeds", seeds, 1, 1_000_000)
    require_at_least("seed", seed, 0)
    if workers is not None:
        require_at_least("workers", workers, 1)
    require_range("checkpoint_minutes", checkpoint_minutes, 0.0, 1e9)
    if log is not None:
        require_log(log)
    out = prepare_output(Path(out))
    label = config.environment.label
    chosen = range(seed, seed + seeds)
    planned = plan_runs(out, label, config, chosen, log, checkpoint_minutes)
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


def usual_options(agent: str, make: Callable[[], gym.Env[Any, Any]]) -> dict[str, Any]:
    """Hyperparameters that an agent takes for what an environment shows, unless told otherwise."""
    if agent not in IMAGE_AGENTS:
        return {}
    environment = make()
    environment.close()
    return image_options(agent, environment.observation_space)


def configure(
    agent: Any,
    spec: EnvironmentSpec,
    *,
    episodes: int | None = None,
    steps: int | None = None,
    evaluate_every: int | None = None,
    evaluation_starts: int | None = None,
    driver: Driver | None = None,
    make: Callable[[], gym.Env[Any, Any]] | None = None,
) -> RunConfig:
    """Fill in what was left open, and find out now whether the agent can learn there at all."""
    if isinstance(agent, QLearning):
        if driver is not None:
            raise BadInput("driver", driver, "tabular agents need none; leave it out")
        check_trainable(make or spec.make, spec.name)
        if episodes is None and steps is None:
            episodes = DEFAULT_EPISODES
        every = 1 if evaluate_every is None else evaluate_every
        return RunConfig(agent, spec, episodes, steps, every, None, evaluation_starts)
    from temporl.training.deep import check_trainable_deep, choose_driver

    check_trainable_deep(agent, make or spec.make, spec.name)
    chosen: Driver = choose_driver(spec, driver) if make is None else "host"
    if chosen != (driver or chosen):
        raise BadInput("driver", driver, "an environment that a function makes runs on the host")
    if episodes is None and steps is None:
        steps = DEFAULT_STEPS
    every = max(1, (steps or 1) // 200) if evaluate_every is None else evaluate_every
    return RunConfig(agent, spec, episodes, steps, every, chosen, evaluation_starts)


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
        environment = with_images(env(), ImageOptions())
        if step_limit is None:
            return environment
        return gym.wrappers.TimeLimit(environment, step_limit)

    name = getattr(env, "__name__", type(env).__name__).strip("<>")
    return EnvironmentSpec(name, {}, step_limit), make


def load(path: str | Path, seed: int | None = None) -> Any:
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
