"""From a configuration to finished runs: one seed here, or many seeds on all cores."""

from temporl.training.runs import PlannedRun, execute, missing_runs, plan_runs, unfinished_runs
from temporl.training.sweep import Failure, complete, default_workers
from temporl.training.train import Run, configure, load, train, usual_options

__all__ = [
    "Failure",
    "PlannedRun",
    "Run",
    "complete",
    "configure",
    "default_workers",
    "execute",
    "load",
    "missing_runs",
    "plan_runs",
    "train",
    "unfinished_runs",
    "usual_options",
]
