"""Runs that are interrupted and resumed, for the tests of both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.runs import checkpoints as checkpointing
from temporl.runs.config import RunConfig
from temporl.runs.interruption import Interrupted, Interruption
from temporl.runs.plan import PlannedRun, execute
from temporl.runs.store import working_folder

QUICK = {"hidden": (8,), "batch_size": 8}


def tabular(agent: str, world: str = "temporl/ZigZag-v0", episodes: int = 60) -> RunConfig:
    spec = EnvironmentSpec(world, {"slip": 0.1} if world.startswith("temporl/") else {})
    return RunConfig(make_agent(agent, epsilon="log"), spec, episodes)


def deep(
    agent: str, driver: str, world: str = "CartPole-v1", steps: int = 400, **options: Any
) -> RunConfig:
    return RunConfig(
        make_agent(agent, **QUICK, **options),
        EnvironmentSpec(world),
        steps=steps,
        evaluate_every=90,
        driver=driver,  # type: ignore[arg-type]
    )


def planned(folder: Path, config: RunConfig, minutes: float = 1e9) -> PlannedRun:
    return PlannedRun(config, 3, folder / "seed-3", checkpoint_minutes=minutes)


class StopAt(Interruption):
    """Asks for an interruption at the n-th checkpoint."""

    def __init__(self, checkpoints: int) -> None:
        super().__init__()
        self.left = checkpoints

    @property
    def requested(self) -> bool:
        self.left -= 1
        return self.left < 0


def stopped(run: PlannedRun, checkpoints: int) -> bool:
    """Execute a run that is interrupted at its n-th checkpoint; whether it got that far."""
    try:
        execute(run, interruption=StopAt(checkpoints))
    except Interrupted:
        assert list(working_folder(run.folder).glob("checkpoint-*"))
        return True
    return False


def outcome(run: PlannedRun) -> dict[str, bytes]:
    """What must not depend on interruptions: weights and evaluation rows."""
    names = ("evaluations.parquet", "policy/arrays.safetensors", "policy/policy.json")
    return {name: (run.folder / name).read_bytes() for name in names}


def at(folder: Path, run: PlannedRun) -> PlannedRun:
    """The same run in another folder."""
    return replace(run, folder=folder / run.folder.name)


__all__ = ["StopAt", "at", "checkpointing", "deep", "outcome", "planned", "stopped", "tabular"]
