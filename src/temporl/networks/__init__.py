"""Networks as plain tuples of arrays, applied to whole batches.

Start with `layers.py` (dense layers) and `convolutions.py` (`torso`: the hidden layers for flat and
image observations). `skip_networks.py` has the paper's three architectures, `actor_critic.py` the
networks for continuous actions, `correlation.py` the convolution itself and its gradient.

Nothing here but `correlate` asks whether an array is NumPy's or JAX's: training traces these
functions, and a saved policy calls the very same ones on NumPy arrays.
"""

from temporl.networks.actor_critic import (
    ActorCritic,
    actor_critic,
    actor_outputs,
    critic_value,
    least_value,
    squashed,
)
from temporl.networks.convolutions import (
    Convolution,
    convolved_size,
    draw_convolutions,
    shareable,
    torso,
)
from temporl.networks.layers import (
    Layer,
    apply,
    apply_joined,
    as_input,
    as_rows,
    draw_layer,
    draw_layers,
    draw_wide_layers,
    hidden,
)
from temporl.networks.skip_networks import (
    ARCHITECTURES,
    Architecture,
    SkipNetwork,
    image_skip_network,
    skip_network,
    skip_values,
)

__all__ = [
    "ARCHITECTURES",
    "ActorCritic",
    "Architecture",
    "Convolution",
    "Layer",
    "SkipNetwork",
    "actor_critic",
    "actor_outputs",
    "apply",
    "apply_joined",
    "as_input",
    "as_rows",
    "convolved_size",
    "critic_value",
    "draw_convolutions",
    "draw_layer",
    "draw_layers",
    "draw_wide_layers",
    "hidden",
    "image_skip_network",
    "least_value",
    "shareable",
    "skip_network",
    "skip_values",
    "squashed",
    "torso",
]
