"""Pictures of experiments and of single policies."""

from temporl.report.figures.drawing import draw_figures
from temporl.report.figures.maps import draw_map, draw_policy
from temporl.report.figures.mountain_car import mountain_car_picture
from temporl.report.figures.paths import Stretch, greedy_path
from temporl.report.figures.pendulum import pendulum_picture
from temporl.report.figures.policies import policy_picture
from temporl.report.figures.style import AGENT_COLOURS
from temporl.report.figures.values import draw_values

__all__ = [
    "AGENT_COLOURS",
    "Stretch",
    "draw_figures",
    "draw_map",
    "draw_policy",
    "draw_values",
    "greedy_path",
    "mountain_car_picture",
    "pendulum_picture",
    "policy_picture",
]
