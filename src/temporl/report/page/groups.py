"""The finished runs below a folder, put together by configuration and by environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from temporl.agents import agent_label
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, DamagedFile
from temporl.report.sweeps import varied
from temporl.runs.config import RunConfig
from temporl.runs.store import (
    is_finished,
    read_config,
    read_course,
    read_evaluations,
    seed_folders,
)
from temporl.training.course import Moments
from temporl.types import Record


@dataclass(frozen=True)
class Group:
    """All finished seeds of one configuration."""

    folder: Path
    seeds: tuple[Path, ...]
    record: Record
    label: str = ""
    """What tells it apart from its neighbours."""
    trusted: bool = False
    """Whether modules may be imported because its files name them."""

    @property
    def agent(self) -> str:
        """The agent's name."""
        return agent_label(str(self.record["agent"]))

    @cached_property
    def config(self) -> RunConfig | None:
        """What it was made from; None if that needs a module that may not be imported."""
        try:
            return RunConfig.from_data(self.record, trusted=self.trusted)
        except BadInput as error:
            if error.field == "agent":
                return None
            raise

    @property
    def options(self) -> Record:
        """The agent's hyperparameters."""
        return dict(self.record["options"])

    @property
    def seed_numbers(self) -> list[int]:
        """The seeds, in the order of their folders."""
        return [int(folder.name.removeprefix("seed-")) for folder in self.seeds]

    @cached_property
    def evaluations(self) -> list[pa.Table]:
        """What every seed's greedy evaluations brought."""
        return [read_evaluations(folder) for folder in self.seeds]

    @cached_property
    def courses(self) -> list[Moments]:
        """How training went on, of those seeds that have a record of it."""
        return [course for folder in self.seeds if (course := read_course(folder)) is not None]

    def environment(self) -> EnvironmentSpec:
        """How the environment was made."""
        return EnvironmentSpec(**self.record["environment"])


@dataclass(frozen=True)
class Scene:
    """One environment of one experiment, and the configurations that were trained in it."""

    experiment: str
    title: str
    groups: tuple[Group, ...]


def find_scenes(folder: Path, *, trusted: bool = False) -> list[Scene]:
    """Everything below a folder, in the order of its names."""
    if not folder.is_dir():
        raise BadInput("folder", str(folder), "there is no such folder")
    parents = sorted({path.parent for path in folder.rglob("seed-*") if is_finished(path)})
    if is_finished(folder):
        parents = [folder.parent]
    if not parents:
        raise BadInput("folder", str(folder), "there is no finished run in it")
    by_place: dict[tuple[str, str], list[Group]] = {}
    for parent in parents:
        group = replace(_read_group(parent), trusted=trusted)
        by_place.setdefault((parent.parent.name, _title(group)), []).append(group)
    return [
        Scene(experiment, title, tuple(_labelled(groups)))
        for (experiment, title), groups in by_place.items()
    ]


def _read_group(folder: Path) -> Group:
    seeds = tuple(seed_folders(folder))
    record = read_config(seeds[0])
    try:
        group = Group(folder, seeds, record)
        _ = (group.agent, group.options, group.environment().label, record["steps"])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFile(f"{seeds[0] / 'config.json'}: not a run: {error!r}") from error
    return group


def _title(group: Group) -> str:
    environment = group.environment()
    options = {name: value for name, value in environment.options.items() if name != "map"}
    if environment.step_limit is not None:
        options["step limit"] = environment.step_limit
    details = ", ".join(f"{name} {_plain(value)}" for name, value in options.items())
    return f"{environment.label} ({details})" if details else environment.label


def _labelled(groups: Sequence[Group]) -> list[Group]:
    """Groups with names that differ: the agent, and the options in which its namesakes differ."""
    labelled = []
    for group in groups:
        own = _settings(group)
        namesakes = [_settings(other) for other in groups if other.agent == group.agent]
        parts = [f"{name} {_plain(own[name])}" for name in varied(namesakes) if name in own]
        label = f"{group.agent} · {', '.join(parts)}" if parts else group.agent
        labelled.append(replace(group, label=label))
    return sorted(labelled, key=lambda group: _natural(group.label))


def _natural(text: str) -> list[tuple[bool, int, str]]:
    """A key that sorts numbers in names by their size."""
    return [(word.isdigit(), int(word) if word.isdigit() else 0, word) for word in text.split()]


def _settings(group: Group) -> Record:
    """Everything that can tell two configurations apart."""
    budget = {name: group.record[name] for name in ("episodes", "steps", "evaluate_every")}
    return group.options | budget | {"driver": group.record.get("driver")}


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def differences(groups: Sequence[Group]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """The settings in which configurations differ: their labels, and a line for each setting."""
    settings = [{"agent": group.agent} | _settings(group) for group in groups]
    lines = [
        (name, ["" if one.get(name) is None else _plain(one[name]) for one in settings])
        for name in varied(settings)
    ]
    return [group.label for group in groups], lines
