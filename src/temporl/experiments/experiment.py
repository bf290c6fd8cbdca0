"""An experiment is data: cells to fill, and what is measured in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.errors import BadInput, require_at_least, unknown_name
from temporl.runs.config import RunConfig
from temporl.runs.plan import PlannedRun, plan_runs
from temporl.training.trainer import Driver
from temporl.types import Record

Metric = Literal[
    "reward_auc",
    "decisions",
    "episodes_to_95_percent",
    "final_return",
    "final_decisions",
    "steps_per_decision",
]
CURVES = "temporl.report.figures.curves:learning_curves"
SKIP_LENGTHS = "temporl.report.figures.skip_length:skip_lengths"


@dataclass(frozen=True)
class Cell:
    """One configuration, under the names by which a table knows it."""

    environment: str
    config: RunConfig
    schedule: str = ""
    architecture: str = ""
    returns: tuple[float, float] = (-1.0, 1.0)
    """The returns that count as 0 and as 1."""

    @property
    def agent(self) -> str:
        """The agent's name."""
        return self.config.agent_label

    @property
    def max_skip(self) -> int:
        """The longest skip."""
        return self.config.agent.skip_lengths[-1]


@dataclass(frozen=True)
class Protocol:
    """How agents are trained and evaluated on an environment."""

    environment: EnvironmentSpec
    episodes: int | None = None
    steps: int | None = None
    evaluate_every: int = 1
    driver: Driver | None = None
    evaluation_starts: int | None = None
    returns: tuple[float, float] = (-1.0, 1.0)
    options: Record = field(default_factory=dict)
    """Hyperparameters that all agents have."""

    def cell(self, environment: str, agent: str, schedule: str = "", **options: Any) -> Cell:
        """One agent, with hyperparameters of its own."""
        config = RunConfig(
            make_agent(agent, **self.options, **options),
            self.environment,
            self.episodes,
            self.steps,
            self.evaluate_every,
            self.driver,
            self.evaluation_starts,
        )
        return Cell(environment, config, schedule, options.get("architecture", ""), self.returns)


@dataclass(frozen=True)
class Comparison:
    """How much earlier one cell reaches mean rewards than another."""

    faster: Cell
    slower: Cell
    rewards: tuple[float, ...]


@dataclass(frozen=True)
class Experiment:
    """A table of the paper, or a question beyond it."""

    name: str
    title: str
    seeds: int
    """How many the paper used, or how many answer the question."""
    cells: tuple[Cell, ...]
    metrics: tuple[Metric, ...]
    comparisons: tuple[Comparison, ...] = ()
    compared_with: str = ""
    """The experiment whose published values stand beside, if not its own."""
    shares_runs_with: str = ""
    """The experiment in whose folder the runs are, where two have cells in common."""
    note: str = ""
    figures: tuple[str, ...] = (CURVES,)
    """What draws its pictures: `module:function` each, of a `temporl.report.figures.style.Draw`."""
    pictured: tuple[str, ...] = ()
    """The agents whose policies are shown in pictures."""

    def only(
        self,
        environments: Sequence[str] = (),
        agents: Sequence[str] = (),
        max_skips: Sequence[int] = (),
    ) -> Experiment:
        """The part with these environments, agents and longest skips; all where none are named."""
        for column, names in (("environment", environments), ("agent", agents)):
            known = {getattr(cell, column) for cell in self.cells}
            for name in names:
                if name not in known:
                    raise unknown_name(f"{column}s", name, known)
        cells = [
            cell
            for cell in self.cells
            if (not environments or cell.environment in environments)
            and (not agents or cell.agent in agents)
        ]
        lengths = sorted({cell.max_skip for cell in cells})
        for length in max_skips:
            if length not in lengths:
                raise BadInput("max_skips", length, f"known: {', '.join(map(str, lengths))}")
        cells = [cell for cell in cells if not max_skips or cell.max_skip in max_skips]
        return replace(self, cells=tuple(cells))

    def lasting(self, steps: int) -> Experiment:
        """The same with another budget of steps."""
        require_at_least("steps", steps, 1)
        if any(cell.config.steps is None for cell in self.cells):
            raise BadInput("steps", steps, f"{self.name} is trained for a number of episodes")
        cells = (replace(cell, config=replace(cell.config, steps=steps)) for cell in self.cells)
        return replace(self, cells=tuple(cells))

    def runs(self, out: Path, seeds: int) -> list[PlannedRun]:
        """All runs of the experiment, finished or not."""
        return [run for cell in self.cells for run in self.cell_runs(cell, out, seeds)]

    def cell_runs(self, cell: Cell, out: Path, seeds: int) -> list[PlannedRun]:
        """The runs of one cell."""
        folder = self.shares_runs_with or self.name
        return plan_runs(out, folder, cell.config, range(seeds))
