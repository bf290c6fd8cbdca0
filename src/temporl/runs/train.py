"""`temporl.train` and `temporl.load`: what most people need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from temporl.agents import agent_class, make_agent
from temporl.agents.agent import Options
from temporl.environments.catalogue import EnvironmentSpec, step_limit_of
from temporl.environments.types import Environment, MakeEnvironment
from temporl.errors import BadInput, RunFailed, require_at_least, require_range
from temporl.runs.checkpoints import MINUTES
from temporl.runs.config import RunConfig
from temporl.runs.log import Log, require_log
from temporl.runs.plan import missing_runs, plan_runs
from temporl.runs.policies import load_policy
from temporl.runs.progress import ProgressDisplay
from temporl.runs.store import (
    POLICY,
    group_folder,
    prepare_output,
    read_evaluations,
    seed_folder,
    seed_folders,
)
from temporl.runs.workers import complete, default_workers
from temporl.training.outcome import TrainedPolicy
from temporl.training.trainer import Driver, trainer_of


@dataclass(frozen=True)
class Run:
    """The finished runs of one configuration, one folder a seed."""

    path: Path
    config: RunConfig
    seeds: tuple[int, ...]

    def policy(self, seed: int | None = None) -> TrainedPolicy:
        """The trained policy of a seed; default: the first."""
        return load(self.path, seed, trust=True)

    def evaluations(self, seed: int | None = None) -> pa.Table:
        """The greedy evaluations made during training, a row each."""
        return read_evaluations(choose_seed(self.path, seed))


def train(
    agent: str,
    env: str | MakeEnvironment,
    *,
    episodes: int | None = None,
    steps: int | None = None,
    seeds: int = 1,
    seed: int = 0,
    env_options: Options | None = None,
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
    interrupted resume from their last checkpoint.

    Args:
        agent: An agent's name, such as `"t-q"`, or `"module:Class"` for one of another package.
        env: A Gymnasium id, the path of a map, or a function that makes an environment.
        episodes: Episodes to train for: tabular agents only; default: 10,000.
        steps: Environment steps to train for; default of deep agents: 100,000.
        seeds: Number of seeds to train.
        seed: The first seed.
        env_options: Keyword arguments of the environment.
        step_limit: Steps after which an episode is truncated; default: the environment's own limit,
            required where it has none.
        evaluate_every: Episodes (tabular agents; default: 1) or steps (deep agents; default: a
            200th of the budget) between two greedy evaluations; 0 for no evaluation.
        evaluation_starts: Number of fixed start states for a deep agent; each evaluation plays one
            greedy episode from each, and there is one before training. Default: one episode from a
            new start each time.
        driver: What steps the environment for a deep agent: `"device"` where it is compiled,
            `"host"` for any Gymnasium environment; default: the device where that is possible.
        log: `"tensorboard"` or `"wandb"` (offline), to write such a log beside the runs.
        out: The results folder.
        workers: Number of processes; default: one for each core.
        checkpoint_minutes: Minutes between two checkpoints of a run.
        progress: Whether to show progress.
        **options: The agent's own hyperparameters; some have other defaults where observations are
            images (`temporl.agents.images`).
    """
    make_agent(agent, **options)  # a wrong name or value is an error before anything is made
    spec = EnvironmentSpec.given(env, env_options, step_limit)
    world = spec.make(training=True)
    config = configure(
        agent,
        options,
        spec,
        world,
        episodes=episodes,
        steps=steps,
        evaluate_every=evaluate_every,
        evaluation_starts=evaluation_starts,
        driver=driver,
    )
    require_at_least("seeds", seeds, 1, 1_000_000)
    require_at_least("seed", seed, 0)
    require_at_least("workers", workers, 1)
    require_range("checkpoint_minutes", checkpoint_minutes, 0.0, 1e9)
    if log is not None:
        require_log(log)
    out = prepare_output(Path(out))
    label = config.environment.label
    chosen = range(seed, seed + seeds)
    planned = plan_runs(out, label, config, chosen, log, checkpoint_minutes)
    missing = missing_runs(planned)
    if spec.by_function and len(missing) < len(planned):
        raise BadInput(
            "out",
            str(out),
            f"it holds runs of a function named {label!r}, which may have been another one;"
            " give another folder, or register the environment",
        )
    title = f"{config.agent_label} on {label}"
    with ProgressDisplay(title, len(missing), show=progress) as display:
        failures = complete(missing, workers or default_workers(), display, world)
    if failures:
        raise RunFailed("; ".join(map(str, failures)))
    return Run(group_folder(out, label, config), config, tuple(run.seed for run in planned))


def configure(
    agent: str,
    options: Options,
    spec: EnvironmentSpec,
    world: Environment,
    *,
    episodes: int | None = None,
    steps: int | None = None,
    evaluate_every: int | None = None,
    evaluation_starts: int | None = None,
    driver: Driver | None = None,
) -> RunConfig:
    """Fill in the defaults for an environment, and raise now if the agent cannot learn there."""
    made = make_agent(agent, **defaults_for(agent, world) | options)
    made.check(world.observation_space, world.action_space, spec.name)
    step_limit_of(world, spec.name)
    trainer = trainer_of(made)
    chosen = trainer.choose_driver(spec, driver)
    if episodes is None and steps is None:
        episodes = trainer.default_budget if trainer.unit == "episodes" else None
        steps = trainer.default_budget if trainer.unit == "steps" else None
    if evaluate_every is None:
        times = trainer.default_evaluations
        evaluate_every = 1 if times is None else max(1, (steps or 1) // times)
    return RunConfig(made, spec, episodes, steps, evaluate_every, chosen, evaluation_starts)


def defaults_for(agent: str, world: Environment) -> Options:
    """The hyperparameters that differ from an agent's defaults for what an environment shows."""
    return agent_class(agent).defaults_for(world.observation_space)


def load(path: str | Path, seed: int | None = None, *, trust: bool = False) -> TrainedPolicy:
    """Load a trained policy; no code but this library's runs.

    Args:
        path: The folder of a run, or of one seed of it.
        seed: Which seed, if the folder holds several; default: the first.
        trust: Import the module of an agent that comes from another package: only for folders that
            are your own, or that you trust.
    """
    return load_policy(choose_seed(Path(path), seed) / POLICY, trusted=trust)


def choose_seed(path: Path, seed: int | None = None) -> Path:
    """The folder of one seed at a path; default: the first."""
    found = seed_folders(path)
    if not found:
        raise BadInput("run", str(path), "there is no finished run in it")
    wanted = found[0] if seed is None else seed_folder(path, seed)
    if wanted not in found:
        raise BadInput("seed", seed, f"there are {', '.join(f.name for f in found)}")
    return wanted
