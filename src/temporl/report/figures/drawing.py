"""Which pictures an experiment gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from temporl.experiments.experiment import Experiment
from temporl.report.cells import CellResult
from temporl.report.figures.curves import learning_curves, reaching_curves
from temporl.report.figures.mountain_car import key_states
from temporl.report.figures.pendulum import swing
from temporl.report.figures.policies import hero, policies, values
from temporl.report.figures.sensitivity import sensitivity
from temporl.report.figures.skip_length import agents_by_skip_length, architectures, skip_length
from temporl.report.figures.step_curves import step_curves
from temporl.report.figures.style import Material
from temporl.report.tables import Row

Draw = Callable[[Material], list[Path]]

FIGURES: dict[str, tuple[Draw, ...]] = {
    "gridworlds": (learning_curves, policies, values, hero),
    "gridworlds-skip": (learning_curves, policies, values),
    "gridworlds-committed": (learning_curves, policies, values),
    "skip-length": (skip_length,),
    "exploration": (reaching_curves, policies),
    "exploration-sensitivity": (sensitivity,),
    "featurized": (step_curves, key_states),
    "featurized-skip": (step_curves,),
    "architectures": (architectures,),
    "pendulum": (step_curves, agents_by_skip_length, swing),
}


def draw_figures(
    experiment: Experiment, results: Sequence[CellResult], rows: Sequence[Row], folder: Path
) -> list[Path]:
    """Draw the pictures of an experiment into a folder; returns where they are."""
    if not results:
        return []
    material = Material(experiment, results, rows, folder)
    in_steps = results[0].cell.config.steps is not None
    curves = step_curves if in_steps else learning_curves
    return [path for draw in FIGURES.get(experiment.name, (curves,)) for path in draw(material)]
