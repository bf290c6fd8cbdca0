"""Pictures of experiments and of single policies.

An experiment names the functions that draw its figures. `style.py` has what all figures share,
`curves.py` the learning curves; `maps.py` and `phase_plane.py` are the parts that pictures of
policies are made of.
"""

from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

from temporl.experiments.experiment import Experiment
from temporl.report.cells import CellResult
from temporl.report.figures.mountain_car import mountain_car_picture
from temporl.report.figures.pendulum import pendulum_picture
from temporl.report.figures.policies import policy_picture
from temporl.report.figures.style import Draw, Material
from temporl.report.tables import Row

__all__ = ["draw_figures", "mountain_car_picture", "pendulum_picture", "policy_picture"]


def draw_figures(
    experiment: Experiment, results: Sequence[CellResult], rows: Sequence[Row], folder: Path
) -> list[Path]:
    """Draw the pictures of an experiment into a folder; returns where they are."""
    if not results:
        return []
    drawing: list[Draw] = [resolve_name(name) for name in experiment.figures]
    material = Material(experiment, results, rows, folder)
    return [path for draw in drawing for path in draw(material)]
