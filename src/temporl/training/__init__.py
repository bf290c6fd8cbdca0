"""From a configuration to finished runs: one seed here, or many seeds on all cores."""

from temporl.training.runs import PlannedRun, execute, missing_runs, plan_runs
from temporl.training.sweep import Failure, complete, default_workers
from temporl.training.train import Run, load, train, usual_options

__all__ = [
    "Failure",
    "PlannedRun",
    "Run",
    "complete",
    "default_workers",
    "execute",
    "load",
    "missing_runs",
    "plan_runs",
    "train",
    "usual_options",
]
