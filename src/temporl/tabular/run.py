"""A tabular run under way: everything that training changes, and nothing else."""

from __future__ import annotations

import numpy as np

from temporl.randomness import Purpose, stream
from temporl.tabular.play import Budget, Streams
from temporl.tabular.policy import TabularPolicy
from temporl.training.course import Course
from temporl.training.outcome import Evaluations, empty_evaluations
from temporl.trees import Arrays
from temporl.types import Record


class TabularRun:
    """A policy that learns, how far it is, its random streams and its evaluations so far."""

    def __init__(
        self, policy: TabularPolicy, budget: Budget, evaluate_every: int, seed: int
    ) -> None:
        self.policy, self.budget = policy, budget
        self.evaluate_every, self.seed = evaluate_every, seed
        self.episode = self.step = 0
        self.streams = Streams(
            exploration=stream(seed, Purpose.EXPLORATION),
            environment=stream(seed, Purpose.ENVIRONMENT),
            evaluation=stream(seed, Purpose.EVALUATION),
            evaluation_environment=stream(seed, Purpose.EVALUATION_ENVIRONMENT),
        )
        self.course = Course(int(policy.settings.skips[-1]))
        self._parts = [empty_evaluations(0)]

    @property
    def done(self) -> int:
        """How much of the budget is used up."""
        return self.step if self.budget.counts_steps else self.episode

    def add(self, evaluations: Evaluations) -> None:
        """Keep the evaluations of a chunk."""
        self._parts.append(evaluations)

    def evaluations(self) -> Evaluations:
        """All evaluations so far."""
        return Evaluations(*map(np.concatenate, zip(*self._parts, strict=True)))

    def arrays(self) -> Arrays:
        """The whole state of a run, as a checkpoint holds it."""
        numbers = {"episode": np.array(self.episode), "step": np.array(self.step)}
        return (
            numbers
            | self.course.arrays()
            | {
                f"{kind}/{name}": array
                for kind, group in self._groups().items()
                for name, array in group.items()
            }
        )

    def restore(self, saved: Arrays | None) -> None:
        """Resume from what `arrays` returned."""
        if saved is None:
            return
        self.episode, self.step = int(saved["episode"]), int(saved["step"])
        for kind in ("tables", "streams"):
            for name, array in self._groups()[kind].items():
                array[...] = saved[f"{kind}/{name}"]
        rows = {name: saved[f"evaluations/{name}"] for name in Evaluations._fields}
        self._parts = [Evaluations(**rows)]
        self.course.restore(saved)

    def _groups(self) -> Record:
        return {
            "tables": self.policy.arrays(),
            "streams": self.streams._asdict(),
            "evaluations": self.evaluations()._asdict(),
        }
