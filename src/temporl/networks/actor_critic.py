"""An actor that outputs actions, and critics that value an action at an observation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from temporl.networks.layers import (
    Array,
    Layer,
    Output,
    apply,
    apply_joined,
    as_input,
    as_rows,
    draw_layers,
    hidden,
    namespace,
    relu,
)


class ActorCritic(NamedTuple):
    """The networks of an agent for continuous actions."""

    actor: Any
    """Layers, as a tuple or as the agent arranges them."""
    critics: tuple[tuple[Layer, ...], ...]


def actor_critic(
    random: np.random.Generator,
    inputs: int,
    widths: Sequence[int],
    outputs: int,
    action: int,
    critics: int,
) -> ActorCritic:
    """Draw an actor, from the number of its outputs, and critics, from the size of an action."""
    return ActorCritic(
        draw_layers(random, (inputs, *widths, outputs)),
        tuple(draw_layers(random, (inputs + action, *widths, 1)) for _ in range(critics)),
    )


def actor_outputs(actor: tuple[Layer, ...], observation: Array) -> Output:
    """The outputs of the actor's last layer, before they are squashed."""
    *inner, last = actor
    inputs = as_input(observation, actor[0].weight.shape[0])
    return as_rows(apply(last, hidden(inner, inputs)))


def squashed(outputs: Array) -> Output:
    """Outputs squashed into [-1, 1]."""
    within: Output = namespace(outputs).tanh(outputs)
    return within


def critic_value(critic: tuple[Layer, ...], observation: Array, action: Array) -> Output:
    """The value of playing an action at an observation."""
    first, *inner, last = critic
    inputs = as_input(observation, first.weight.shape[0] - action.shape[-1])
    features = hidden(inner, relu(apply_joined(first, inputs, action.T)))
    value: Output = apply(last, features)[0]
    return value


def least_value(
    critics: tuple[tuple[Layer, ...], ...], observation: Array, action: Array
) -> Output:
    """The minimum of the critics' values."""
    least, *others = (critic_value(critic, observation, action) for critic in critics)
    for other in others:
        least = namespace(least).minimum(least, other)
    return least
