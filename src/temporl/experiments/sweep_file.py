"""A sweep is a small TOML file: agents x environments x options x seeds.

name = "skips"
agents = ["dqn", "t-dqn"]
environments = ["CartPole-v1", "Acrobot-v1"]
seeds = 5
steps = 20000

[options]                        # of every agent; a list means: each of them
learning_rate = [0.001, 0.0003]

[options.t-dqn]                  # of one agent; [options."package.module:Class"] of your own
max_skip = [4, 10]
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from temporl.agents import AGENTS, agent_class
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, TemporlError, require_at_least, unknown_name
from temporl.runs.config import RunConfig
from temporl.runs.files import read_bytes
from temporl.runs.plan import PlannedRun, plan_runs
from temporl.runs.train import configure
from temporl.types import Record

MOST_BYTES = 2**20
MOST_RUNS = 1_000_000
LISTS = ("agents", "environments")
SETTINGS = ("steps", "episodes", "evaluate_every", "evaluation_starts", "driver")
NUMBERS = ("seeds", "step_limit", *SETTINGS[:-1])
KNOWN = ("name", *LISTS, "seeds", "step_limit", *SETTINGS, "env_options", "options")


@dataclass(frozen=True)
class Sweep:
    """Configurations, each with a number of seeds."""

    name: str
    configs: tuple[RunConfig, ...]
    seeds: int

    def runs(self, out: Path) -> list[PlannedRun]:
        """All runs, finished or not, in an order that depends on nothing but the file."""
        return [
            run
            for config in self.configs
            for run in plan_runs(out, self.name, config, range(self.seeds))
        ]


def read_sweep(path: Path) -> Sweep:
    """Read a sweep; raise `BadInput` with the field that cannot be used."""
    try:
        data = tomllib.loads(read_bytes(path, MOST_BYTES).decode())
    except FileNotFoundError:
        raise BadInput("file", str(path), "there is no such file") from None
    except (TemporlError, ValueError, RecursionError) as error:
        raise BadInput("file", str(path), f"not readable as TOML: {error}") from error
    return sweep_from_data(data)


def sweep_from_data(data: Record) -> Sweep:
    """Check everything, so that nothing is begun that cannot be finished."""
    for key in data:
        if key not in KNOWN:
            raise unknown_name("field", key, KNOWN)
    name = data.get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise BadInput("name", name, "allowed: letters, digits, '-', '_' and '.', for a folder")
    for field in LISTS:
        listed = data.get(field)
        if not (isinstance(listed, list) and listed and all(isinstance(x, str) for x in listed)):
            raise BadInput(field, listed, 'allowed: a list of names, as in ["dqn", "t-dqn"]')
    for field in NUMBERS:
        number = data.get(field)
        if number is not None and type(number) is not int:
            raise BadInput(field, number, "allowed: a whole number")
    if data.get("driver") not in (None, "device", "host"):
        raise BadInput("driver", data["driver"], "allowed: device, host")
    for field in ("options", "env_options"):
        if not isinstance(data.get(field, {}), dict):
            raise BadInput(field, data[field], "allowed: a table")
    seeds = data.get("seeds", 1)
    require_at_least("seeds", seeds, 1)
    configs = tuple(_configs(data, MOST_RUNS // seeds))
    unique = {config.digest: config for config in configs}
    return Sweep(name, tuple(unique.values()), seeds)


def _configs(data: Record, most: int) -> Iterator[RunConfig]:
    specs = [
        EnvironmentSpec.given(name, data.get("env_options"), data.get("step_limit"))
        for name in data["environments"]
    ]
    worlds = [spec.make(training=True) for spec in specs]
    settings = {name: data[name] for name in SETTINGS if name in data}
    for agent in data["agents"]:
        for options in _choices(agent, data.get("options", {}), most // len(specs)):
            for spec, world in zip(specs, worlds, strict=True):
                yield configure(agent, options, spec, world, **settings)
    for world in worlds:
        world.close()


def _choices(agent: str, options: Record, most: int) -> Iterator[Record]:
    """Every combination of an agent's options: a list stands for each of its values."""
    agent_class(agent)
    own = options.get(agent, {})
    if not isinstance(own, dict):
        raise BadInput(f"options.{agent}", own, "allowed: a table")
    shared = {k: value for k, value in options.items() if k not in AGENTS and ":" not in k}
    values = [value if isinstance(value, list) else [value] for value in (shared | own).values()]
    count = math.prod(map(len, values))
    if not 0 < count <= most:
        raise BadInput("options", f"{count:,} combinations", f"allowed: 1 to {most:,} for {agent}")
    for chosen in product(*values):
        yield dict(zip(shared | own, chosen, strict=True))


def shard(runs: list[PlannedRun], part: str | None) -> list[PlannedRun]:
    """The K-th of N disjoint parts of equal size, from `K/N`; all of them without."""
    if part is None:
        return runs
    found = re.fullmatch(r"([1-9]\d{0,8})/([1-9]\d{0,8})", part, flags=re.ASCII)
    number, count = (int(text) for text in found.groups()) if found else (1, 0)
    if number > count:
        raise BadInput("shard", part, "allowed: K/N with K from 1 to N, as in 1/4")
    return runs[number - 1 :: count]
