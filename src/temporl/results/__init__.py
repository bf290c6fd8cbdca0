"""Run folders: pure data, written at once, never changed."""

from temporl.results.policies import load_policy
from temporl.results.runs import (
    evaluation_columns,
    group_folder,
    is_finished,
    prepare_output,
    read_config,
    read_evaluations,
    seed_folder,
    seed_folders,
    write_run,
)

__all__ = [
    "evaluation_columns",
    "group_folder",
    "is_finished",
    "load_policy",
    "prepare_output",
    "read_config",
    "read_evaluations",
    "seed_folder",
    "seed_folders",
    "write_run",
]
