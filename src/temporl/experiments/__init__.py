"""The paper's tables and figures as data, and what was published for them.

Start with `experiment.py` (`Experiment`, `Cell`) and `gridworlds.py`, the paper's first table;
every other experiment is a file like it. `published.py` reads the values that the paper printed,
`sweep_file.py` the sweeps that users write.
"""

from temporl.errors import unknown_name
from temporl.experiments.experiment import Cell, Experiment
from temporl.experiments.exploration import EXPLORATION, EXPLORATION_SENSITIVITY
from temporl.experiments.featurized import ARCHITECTURES, FEATURIZED, FEATURIZED_SKIP
from temporl.experiments.frugal import FRUGAL, FRUGAL_GRIDWORLDS
from temporl.experiments.gridworlds import GRIDWORLDS, GRIDWORLDS_COMMITTED, GRIDWORLDS_SKIP
from temporl.experiments.pendulum import CONTINUOUS, PENDULUM
from temporl.experiments.pixels import ATARI_GAMES, MINATAR_GAMES
from temporl.experiments.skip_length import SKIP_LENGTH

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        GRIDWORLDS,
        GRIDWORLDS_SKIP,
        GRIDWORLDS_COMMITTED,
        SKIP_LENGTH,
        EXPLORATION,
        EXPLORATION_SENSITIVITY,
        FEATURIZED,
        FEATURIZED_SKIP,
        ARCHITECTURES,
        PENDULUM,
        CONTINUOUS,
        MINATAR_GAMES,
        ATARI_GAMES,
        FRUGAL,
        FRUGAL_GRIDWORLDS,
    )
}


def experiment_named(name: str) -> Experiment:
    """Look an experiment up by its name."""
    if name not in EXPERIMENTS:
        raise unknown_name("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]


__all__ = ["EXPERIMENTS", "Cell", "Experiment", "experiment_named"]
