"""Where runs are executed: the options that `reproduce` and `sweep` have in common."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from temporl.edge.cluster import complete_on_ray, require_ray
from temporl.edge.estimates import estimate
from temporl.errors import BadInput, require_at_least
from temporl.runs.plan import PlannedRun
from temporl.runs.progress import ProgressDisplay
from temporl.runs.workers import Failure, complete, default_workers
from temporl.wording import number_of

MACHINES = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True)
class Machines:
    """Where runs are executed."""

    workers: int | None = None
    """Number of processes; default: one for each core."""
    ray: str | None = None
    """Address of a Ray cluster, as in 10.0.0.1:6379, or 'local' for this machine (extra 'ray')."""
    estimate: bool = False
    """Only estimate time and disk space, from a short trial of each configuration."""

    def check(self) -> None:
        """Raise `BadInput` if these options cannot be used, before anything is started."""
        require_at_least("workers", self.workers, 1)
        if self.ray is not None:
            if self.workers is not None:
                raise BadInput("workers", self.workers, "the cluster sets it; leave it out")
            require_ray()

    def complete(self, missing: Sequence[PlannedRun], title: str) -> list[Failure]:
        """Execute runs, and name those that failed."""
        with ProgressDisplay(title, len(missing)) as display:
            if self.ray is not None:
                failures = complete_on_ray(missing, self.ray, display)
            else:
                failures = complete(missing, self.workers or default_workers(), display)
        for failure in failures:
            print(f"temporl: {failure}", file=sys.stderr)
        return failures

    def print_estimate(self, missing: Sequence[PlannedRun], title: str) -> None:
        """Print the estimated cost of runs here, and on several machines like this one."""
        print(f"{title}: {number_of(len(missing), 'run')} missing")
        if not missing:
            return
        found = estimate(missing, self.workers or default_workers())
        for cost in found.costs:
            name = f"{cost.config.agent_label} on {cost.config.environment.label}"
            print(f"  {cost.runs} x {name} ({cost.config.digest}): {_time(cost.seconds)} each")
        print(f"results: {found.disk / 1e6:,.1f} MB")
        print(f"checkpoints while it runs: up to {found.checkpoints / 1e6:,.1f} MB a machine")
        for machines in MACHINES:
            what = "this machine" if machines == 1 else f"{machines} machines like this one"
            print(f"{what}, {found.workers} workers each: {_time(found.seconds(machines))}")


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.3g} s"
    return str(timedelta(seconds=round(seconds)))
