"""Pictures of experiments and of single policies.

Start with `drawing.py`, which names the figures of every experiment. `style.py` has what all
figures share; `curves.py` and `step_curves.py` are learning curves, `maps.py` and `phase_plane.py`
the parts that pictures of policies are made of.
"""

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
