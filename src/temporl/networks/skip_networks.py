"""The three ways in which a skip network can learn about the action (section 3.2 of the paper).

concat    the action is one more input, beside the observation
context   the observation alone passes the hidden layers; the action joins before the head
shared    as context, on top of the hidden layers of the behaviour's own network

For images the action joins after the convolutions, which are what `shared` shares, and the hidden
layers come after that: the paper's network for Atari. There is no `concat` for images.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from temporl.networks.convolutions import (
    convolved_size,
    draw_convolutions,
    torso,
)
from temporl.networks.layers import (
    Array,
    Layer,
    Network,
    Output,
    Shape,
    apply,
    apply_joined,
    as_input,
    as_rows,
    draw_layer,
    draw_layers,
    draw_wide_layers,
    hidden,
    hidden_from_rows,
    namespace,
    relu,
)

Architecture = Literal["concat", "context", "shared"]
ARCHITECTURES: tuple[str, ...] = get_args(Architecture)
CONTEXT_UNITS = 10
"""Units between the action and the head, as in the paper."""


class SkipNetwork(NamedTuple):
    """The values of all skips for an observation and an action.

    `trunk` is empty where the behaviour's is used, `context` where the action is an input, and
    `joined`, the hidden layers after the join, where observations are not images.
    """

    trunk: Network
    context: tuple[Layer, ...]
    head: Layer
    joined: Network = ()


def skip_network(
    random: np.random.Generator,
    architecture: Architecture,
    inputs: int,
    action: int,
    widths: Sequence[int],
    skips: int,
) -> SkipNetwork:
    """Draw a skip network from the sizes of its inputs, an action, its layers and its outputs."""
    if architecture == "concat":
        trunk = draw_layers(random, (inputs + action, *widths))
        return SkipNetwork(trunk, (), draw_layer(random, widths[-1], skips))
    trunk = () if architecture == "shared" else draw_layers(random, (inputs, *widths))
    context = draw_layers(random, (action, CONTEXT_UNITS))
    return SkipNetwork(trunk, context, draw_layer(random, widths[-1] + CONTEXT_UNITS, skips))


def image_skip_network(
    random: np.random.Generator,
    architecture: Architecture,
    shape: Shape,
    widths: Sequence[int],
    skips: int,
) -> SkipNetwork:
    """Draw a skip network for images of a shape and discrete actions."""
    convolutions = draw_convolutions(random, shape)
    seen = convolved_size(convolutions, shape)
    context = draw_layers(random, (1, CONTEXT_UNITS))
    joined = draw_wide_layers(random, (seen + CONTEXT_UNITS, *widths))
    head = draw_layer(random, widths[-1], skips)
    return SkipNetwork(() if architecture == "shared" else convolutions, context, head, joined)


def skip_values(
    network: SkipNetwork,
    shared: Network,
    observation: Array,
    action: Array,
) -> Output:
    """The value of every skip: of playing `action` for that long from an observation.

    `shared` are the layers of the behaviour that take the place of a trunk where there is none.
    """
    action = action[None].astype(np.float32) if action.dtype.kind in "iu" else action.T
    if not network.context:
        first, *rest = network.trunk
        inputs = as_input(observation, first.weight.shape[0] - action.shape[0])
        features = hidden(rest, relu(apply_joined(first, inputs, action)))
        return as_rows(apply(network.head, features))
    features = torso(network.trunk or shared, observation)
    context = hidden(network.context, action)
    if not network.joined:
        return as_rows(apply_joined(network.head, features, context))
    first, *others = network.joined
    rows = namespace(features).concat([features, context.T], axis=-1)
    features = hidden(others, hidden_from_rows(first, rows))
    return as_rows(apply(network.head, features))
