"""`temporl tune`: good hyperparameters for an agent on an environment (extra `tune`, Optuna)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from temporl.agents import agent_class, agent_options, make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, require_at_least
from temporl.runs.config import RunConfig
from temporl.runs.store import prepare_output
from temporl.runs.train import configure
from temporl.training.outcome import ProgressReport, last_evaluations
from temporl.types import Record

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

Draw = Callable[["Trial", str], float | int | str]

SEARCH: dict[str, Draw] = {
    "alpha": lambda trial, name: trial.suggest_float(name, 0.05, 1.0),
    "learning_rate": lambda trial, name: trial.suggest_float(name, 1e-4, 1e-2, log=True),
    "gamma": lambda trial, name: trial.suggest_categorical(name, [0.95, 0.98, 0.99, 0.995]),
    "epsilon": lambda trial, name: trial.suggest_float(name, 0.01, 0.3, log=True),
    "batch_size": lambda trial, name: trial.suggest_categorical(name, [32, 64, 128, 256]),
    "tau": lambda trial, name: trial.suggest_float(name, 1e-3, 5e-2, log=True),
    "max_skip": lambda trial, name: trial.suggest_int(name, 2, 16),
    "architecture": lambda trial, name: trial.suggest_categorical(
        name, ["concat", "context", "shared"]
    ),
    "mu": lambda trial, name: trial.suggest_float(name, 1.2, 3.0),
}
"""What is tried for an option; an agent's search space is the part of this that it has."""
SCORED = 0.2
"""The share of evaluations, at the end, whose mean return is the score of a trial."""


@dataclass(frozen=True)
class Tuned:
    """The best hyperparameters that were found."""

    options: Record
    score: float
    trials: int
    pruned: int
    path: Path


def search_space(agent: str) -> list[str]:
    """The options that are tuned for an agent.

    Examples:
        >>> search_space("t-q")
        ['alpha', 'gamma', 'epsilon', 'max_skip']
    """
    options = agent_options(agent_class(agent)())
    return [name for name in SEARCH if name in options]


def tune(
    agent: str,
    env: str,
    *,
    trials: int = 20,
    episodes: int | None = None,
    steps: int | None = None,
    seeds: int = 1,
    seed: int = 0,
    env_options: Record | None = None,
    step_limit: int | None = None,
    out: str | Path = "runs",
    on_trial: Callable[[int, float | None], None] | None = None,
) -> Tuned:
    """Search for hyperparameters with a high return at the end of training.

    Trials that fall behind are stopped early. All are kept in `tune/` in the output folder; running
    the same again makes only those that are missing.

    Args:
        agent: An agent's name.
        env: A Gymnasium id, or the path of a map.
        trials: How many to make.
        episodes: How many episodes a trial trains for (tabular agents).
        steps: How many steps a trial trains for.
        seeds: Over how many seeds a trial's score is averaged.
        seed: The first of them, and that of the search.
        env_options: Keyword arguments of the environment.
        step_limit: Steps after which an episode is truncated.
        out: The results folder.
        on_trial: Called after each trial with its number and score; None if it was stopped early.
    """
    if find_spec("optuna") is None:
        raise BadInput("tune", agent, "install Optuna first: pip install -e '.[tune]'")
    for field, count in (("trials", trials), ("seeds", seeds)):
        require_at_least(field, count, 1)
    spec, names = EnvironmentSpec.given(env, env_options, step_limit), search_space(agent)
    world = spec.make(training=True)
    plan = configure(agent, {}, spec, world, episodes=episodes, steps=steps)
    world.close()
    folder = prepare_output(Path(out) / "tune" / spec.label / f"{agent}-{plan.digest}")
    study = _study(folder, f"{agent} on {spec.label}", seed)

    def objective(trial: Trial) -> float:
        options = {name: SEARCH[name](trial, name) for name in names}
        config = replace(plan, agent=make_agent(agent, **options))
        return float(np.mean([_score(config, seed + n, trial, n) for n in range(seeds)]))

    def told(_study: Study, trial: FrozenTrial) -> None:
        if on_trial is not None:
            on_trial(trial.number, trial.value if trial.state.name == "COMPLETE" else None)

    study.optimize(objective, n_trials=max(0, trials - len(study.trials)), callbacks=[told])
    pruned = sum(trial.state.name == "PRUNED" for trial in study.trials)
    best = Tuned(study.best_params, study.best_value, len(study.trials), pruned, folder)
    record = {"agent": agent, "env": env, "score": best.score, "options": best.options}
    (folder / "best.json").write_text(json.dumps(record, indent=2) + "\n")
    return best


def _study(folder: Path, name: str, seed: int) -> Study:
    """The trials so far, or none yet, and how the next one is chosen."""
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(
        study_name=name,
        storage=JournalStorage(JournalFileBackend(str(folder / "study.journal"))),
        sampler=optuna.samplers.TPESampler(seed=seed),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4),
        direction="maximize",
        load_if_exists=True,
    )


def _score(config: RunConfig, seed: int, trial: Trial, number: int) -> float:
    """The mean return at the end of one run; the first seed's progress decides about pruning."""
    import optuna

    reported: set[int] = set()

    def on_progress(report: ProgressReport) -> None:
        percent = int(100 * report.fraction)  # trials are compared when they are equally far
        if number == 0 and "return" in report.measured and percent not in reported:
            reported.add(percent)
            trial.report(report.measured["return"], percent)
            if trial.should_prune():
                raise optuna.TrialPruned

    task = config.task(seed)
    task.on_progress = on_progress
    returns = config.trainer.train(config.agent, task).evaluations.returns
    return float(np.mean(returns[last_evaluations(len(returns), SCORED)]))
