"""Fitting a skip network to what recorded episodes show.

compute, once, the target of every skip at every recorded step (`targets.py`)
repeat:
    draw recorded steps
    move the network's values of their skips towards that, where it is known
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from temporl.errors import BadInput, require_at_least
from temporl.networks.layers import Layer, draw_layers
from temporl.randomness import Purpose, generator
from temporl.recorded.behaviour import behaviour_of
from temporl.recorded.episodes import Episode
from temporl.recorded.skip_policy import SkipPolicy, network_values, skip_inputs
from temporl.recorded.targets import Kind, skip_targets
from temporl.skipping import Step
from temporl.skipping.skips import read_skips
from temporl.types import Element


def learn_skips(
    behaviour: Element,
    episodes: Iterable[Episode | Sequence[Step]],
    *,
    max_skip: int | None = None,
    skips: str | Sequence[int] = "all",
    updates: int = 20_000,
    batch_size: int = 256,
    learning_rate: float = 1e-3,
    hidden: Sequence[int] = (64, 64),
    tolerance: float = 0.0,
    targets: Kind = "outcomes",
    seed: int = 0,
) -> SkipPolicy:
    """Learn how long to play what a frozen behaviour chooses, from recorded episodes alone.

    Args:
        behaviour: A trained `dqn`, `ddpg`, `td3` or `sac` policy, `temporl.sb3.FrozenModel`, or
            anything like `FrozenBehaviour`.
        episodes: Recorded episodes: `Episode`, or sequences of `temporl.Step`.
        max_skip: Longest skip; default: 10.
        skips: The set of skips: `"all"`, `"powers-of-two"`, or lengths.
        updates: How many batches to learn from.
        batch_size: How many recorded steps are in each.
        learning_rate: Step size of Adam, falling to zero along a cosine.
        hidden: Widths of the hidden layers.
        tolerance: How much a longer skip may cost, in return; `keep_return` finds the largest.
        targets: What skips are valued by: `"outcomes"`, or the behaviour's `"advantages"`
            (see `temporl.recorded.targets`); `keep_return` takes policies of both kinds.
        seed: The seed of everything random.
    """
    if targets not in get_args(Kind):
        raise BadInput("targets", targets, f"allowed: {', '.join(get_args(Kind))}")
    skips = skips if isinstance(skips, str) else tuple(skips)
    frozen, lengths = behaviour_of(behaviour), read_skips(skips, max_skip, default=10)
    for field, amount in (("updates", updates), ("batch_size", batch_size)):
        require_at_least(field, amount, 1)
    recorded = [e if isinstance(e, Episode) else Episode.from_steps(e) for e in episodes]
    if not recorded:
        raise BadInput("episodes", 0, "allowed: at least one episode")
    parts = [skip_targets(episode, frozen, lengths, frozen.gamma, targets) for episode in recorded]
    worth, known = (np.concatenate(part) for part in zip(*parts, strict=True))
    inputs = np.concatenate(
        [skip_inputs(frozen.actions, e.observations[:-1], e.actions) for e in recorded]
    )
    centre, scale = inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
    spread = float(np.std(worth[known])) + 1e-9
    random = generator(seed, Purpose.NETWORKS)
    layers = draw_layers(random, (inputs.shape[1], *hidden, len(lengths)))
    fitted = _fit(
        layers,
        jnp.asarray((inputs - centre) / scale),
        jnp.asarray(worth / spread, dtype=jnp.float32),
        jnp.asarray(known),
        optax.adam(optax.cosine_decay_schedule(learning_rate, updates)),
        updates,
        batch_size,
        jax.random.key(seed),
    )
    *body, head = (Layer(np.asarray(layer.weight), np.asarray(layer.bias)) for layer in fitted)
    scaled = Layer(head.weight * np.float32(spread), head.bias * np.float32(spread))
    policy = SkipPolicy(frozen, lengths, (*body, scaled), centre, scale, 0.0)
    return policy.with_tolerance(tolerance)


def _fit(
    layers: tuple[Layer, ...],
    inputs: Array,
    targets: Array,
    known: Array,
    optimiser: optax.GradientTransformation,
    updates: int,
    batch_size: int,
    key: Array,
) -> tuple[Layer, ...]:
    """Least squares over the known targets, compiled as one loop."""

    def loss(learned: tuple[Layer, ...], rows: Array) -> Array:
        errors = network_values(learned, inputs[rows]) - targets[rows]
        return jnp.sum(jnp.where(known[rows], errors, 0.0) ** 2) / batch_size

    def update(carry: Any, number: Array) -> tuple[Any, None]:
        learned, state = carry
        draw = jax.random.fold_in(key, number)
        rows = jax.random.randint(draw, (batch_size,), 0, len(inputs))
        changes, state = optimiser.update(jax.grad(loss)(learned, rows), state)
        return (optax.apply_updates(learned, changes), state), None

    @jax.jit
    def run(begun: tuple[Layer, ...]) -> tuple[Layer, ...]:
        ended, _ = jax.lax.scan(update, (begun, optimiser.init(begun)), jnp.arange(updates))
        fitted: tuple[Layer, ...] = ended[0]
        return fitted

    fitted: tuple[Layer, ...] = run(jax.tree.map(jnp.asarray, layers))
    return fitted
