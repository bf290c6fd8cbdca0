"""Double DQN (Mnih et al., 2015; van Hasselt et al., 2016).

for every step:
    play argmax_a Q(s, a), or with probability epsilon any action
    draw transitions (s, a, r, discount, s') from the ring
    a* = argmax_a Q(s', a)
    move Q(s, a) towards r + discount * target Q(s', a*)
    move the target a fraction tau towards Q

Everything is as in the paper's MountainCar unless given; for images see `image_options`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from jaxtyping import Float

from temporl.agents.agent import Metrics, Spaces
from temporl.agents.options import check_learning
from temporl.compilation import uncompiled
from temporl.errors import require_at_least, require_range, unknown_name
from temporl.networks import (
    apply,
    as_rows,
    convolved_size,
    draw_convolutions,
    draw_layers,
    draw_wide_layers,
    perceive,
    shareable,
)
from temporl.networks.layers import Numbers
from temporl.replay import Batch, RingLayout
from temporl.schedules import epsilon_at, schedule
from temporl.skipping import Connection, Decision

QNetwork = tuple[Any, ...]
"""Convolutions where observations are images, then dense layers."""


SMALL_LAYER = 100
"""Units up to which a layer is small."""


class Learning(NamedTuple):
    """A network that learns, and the copy that lags behind it."""

    network: QNetwork
    target: QNetwork
    optimiser: optax.OptState


@dataclass(frozen=True)
class DQN:
    """Double DQN (`dqn`): decides at every step. The paper's vanilla deep agent."""

    continuous: ClassVar[bool] = False

    learning_rate: float = 1e-3
    """Step size of Adam. The paper's code: 0.001."""
    gamma: float = 0.99
    """Discount per step. The paper's code: 0.99."""
    epsilon: float | str = 0.1
    """Exploration: a constant, 'linear' (1 to 0), 'log' (1 to 1e-6), or with ends, 'linear:1:0.05'.
    Section 4.2 of the paper: 0.1."""
    batch_size: int = 64
    """Transitions per update. The paper's code: 64."""
    buffer_size: int = 1_000_000
    """How many of the last steps are learned from. The paper's code: 1,000,000."""
    tau: float = 0.01
    """How far the target network follows when it does. The paper's code: 0.01."""
    hidden: tuple[int, ...] = (50, 50)
    """Widths of the hidden layers. The paper's appendix: two layers of 50 units."""
    loss: Literal["squared", "huber"] = "squared"
    """How an error counts: squared, or from 1 on in proportion."""
    clip_gradient: float | None = None
    """The longest gradient; a longer one is shortened."""
    target_every: int = 1
    """Updates between two of the target network."""
    train_every: int = 1
    """Steps between two updates."""
    learning_starts: int = 0
    """Steps before the first update; a whole batch unless given."""
    epsilon_steps: int | None = None
    """Steps over which epsilon fades; the whole budget unless given."""

    def __post_init__(self) -> None:
        check_learning(self, widths="50 50")
        schedule(self.epsilon)
        if self.loss not in LOSSES:
            raise unknown_name("loss", self.loss, LOSSES)
        if self.clip_gradient is not None:
            require_range("clip_gradient", self.clip_gradient, 0.0, np.inf, low_open=True)
        require_at_least("target_every", self.target_every, 1)
        require_at_least("train_every", self.train_every, 1)
        require_at_least("learning_starts", self.learning_starts, 0)
        if self.epsilon_steps is not None:
            require_at_least("epsilon_steps", self.epsilon_steps, 1)

    def heads(self, actions: int) -> int:
        """How many values the network has for an observation."""
        return actions

    def networks(self, random: np.random.Generator, spaces: Spaces) -> QNetwork:
        """Draw the network of action values."""
        widths = (*self.hidden, self.heads(spaces.actions))
        if not spaces.shows_images:
            return draw_layers(random, (spaces.inputs, *widths))
        convolutions = draw_convolutions(random, spaces.observation_shape)
        seen = convolved_size(convolutions, spaces.observation_shape)
        return (*convolutions, *draw_wide_layers(random, (seen, *widths)))

    def init(self, networks: QNetwork) -> Learning:
        """The state in which learning begins."""
        network: QNetwork = jax.tree.map(jnp.asarray, networks)
        # A copy: a buffer that is handed over to a compiled function must not be handed over twice.
        return Learning(network, jax.tree.map(jnp.copy, network), self.optimiser.init(network))

    @property
    def optimiser(self) -> optax.GradientTransformation:
        """How gradients change networks: by Adam."""
        adam = optax.adam(self.learning_rate)
        if self.clip_gradient is not None:
            adam = optax.chain(optax.clip_by_global_norm(self.clip_gradient), adam)
        # Several small layers are faster as one vector, wide ones twice as fast without that copy.
        return optax.flatten(adam) if max(self.hidden) <= SMALL_LAYER else adam

    @property
    def error(self) -> Callable[[Array, Array], Array]:
        """How far values are from their targets."""
        return LOSSES[self.loss]

    def is_blind(self, state: Learning) -> bool:
        """Never: epsilon alone decides how much is explored."""
        return False

    def policy(self, state: Learning) -> QNetwork:
        """The network of action values as it is now."""
        return state.network

    def shared_layers(self, networks: QNetwork) -> QNetwork:
        """The first layers, which a skip network can share."""
        return shareable(networks[:-1])

    def with_shared_layers(self, state: Learning, layers: QNetwork) -> Learning:
        """The same state with other first layers, as somebody else's loss has changed them."""
        return state._replace(network=(*layers, *state.network[len(layers) :]))

    def action_values(self, networks: QNetwork, observation: Numbers) -> Numbers:
        """The learned value of every action."""
        return as_rows(apply(networks[-1], perceive(networks[:-1], observation)))

    def best_action(self, networks: QNetwork, observation: Numbers) -> Numbers:
        """The action with the highest value."""
        return self.action_values(networks, observation).argmax(-1)

    def act(self, state: Learning, observation: Array, key: Array, spent: Array) -> Array:
        """The best action, or with probability epsilon any."""
        values = self.action_values(state.network, observation)
        return epsilon_greedy(values, self.epsilon, key, spent)

    def greedy(self, networks: QNetwork, observation: Numbers) -> Decision:
        """The best action, for one step."""
        return Decision(self.best_action(networks, observation), 1)

    def decide(self, state: Learning, observation: Array, key: Array, spent: Array) -> Decision:
        """The best action or an exploratory one, for one step."""
        return Decision(self.act(state, observation, key, spent), jnp.int32(1))

    def skip_values(
        self, networks: QNetwork, observation: Numbers, action: Numbers
    ) -> dict[int, float]:
        """The learned value of the only skip, 1."""
        return {1: float(self.action_values(networks, observation)[action])}

    def replay(self, capacity: int, spare: int | None) -> RingLayout:
        """Single steps."""
        return RingLayout(
            min(capacity, self.buffer_size),
            self.batch_size,
            self.gamma,
            warm_up=self.learning_starts,
            train_every=self.train_every,
            connections=self.buffer_size,
            spare=spare,
        )

    def value(self, state: Learning, observation: Array) -> Array:
        """The target's value of the action that the network prefers (double Q-learning)."""
        preferred = self.action_values(state.network, observation).argmax(-1)
        return select(self.action_values(state.target, observation), preferred)

    def update(self, state: Learning, batch: Batch, key: Array) -> tuple[Learning, Metrics]:
        """Learn from the transitions of a batch."""
        assert batch.transitions is not None
        return self.regress(state, batch.transitions, batch.transitions.action)

    def regress(
        self, state: Learning, connections: Connection, head: Array
    ) -> tuple[Learning, Metrics]:
        """Move the values of some heads towards `reward + discount * value` (Eq. 3)."""
        targets = connections.reward + connections.discount * self.value(
            state, connections.next_observation
        )

        def loss(network: QNetwork) -> Array:
            values = self.action_values(network, connections.observation)
            return self.error(select(values, head), targets)

        error, gradient = jax.value_and_grad(loss)(state.network)
        changes, optimiser = self.optimiser.update(gradient, state.optimiser)
        network = optax.apply_updates(state.network, changes)
        target = self._followed(network, state.target, optimiser)
        return Learning(network, target, optimiser), {
            "behaviour_loss": error,
            "mean_target": targets.mean(),
        }

    def _followed(self, network: QNetwork, target: QNetwork, optimiser: optax.OptState) -> QNetwork:
        """The target network after an update."""

        def follow() -> QNetwork:
            followed: QNetwork = optax.incremental_update(network, target, self.tau)
            return followed

        if self.target_every == 1:
            return follow()
        updates = optax.tree_utils.tree_get(optimiser, "count")
        kept: QNetwork = jax.lax.cond(updates % self.target_every == 0, follow, lambda: target)
        return kept


def select(values: Float[Array, "batch choice"], choice: Array) -> Float[Array, " batch"]:
    """The value of the choice made in each row.

    A product with a one-hot row: its gradient is another product, where indexing has a scatter.
    """
    return jnp.sum(values * jax.nn.one_hot(choice, values.shape[-1]), axis=-1)


def squared_error(values: Float[Array, " batch"], targets: Float[Array, " batch"]) -> Array:
    """The mean squared difference; targets are taken as they are."""
    return jnp.mean((values - jax.lax.stop_gradient(targets)) ** 2)


def huber_error(values: Float[Array, " batch"], targets: Float[Array, " batch"]) -> Array:
    """The mean of half the squared differences, which grows in proportion from 1 on."""
    return jnp.mean(optax.huber_loss(values, jax.lax.stop_gradient(targets)))


LOSSES = {"squared": squared_error, "huber": huber_error}


def epsilon_greedy(
    values: Float[Array, " choice"],
    epsilon: float | str,
    key: Array,
    spent: Array,
    blind: Array | bool = False,
) -> Array:
    """The choice with the highest value, or with probability epsilon, or where blind, any."""
    explores, choice = jax.random.uniform(key, (2,))
    anywhere = (choice * values.shape[-1]).astype(jnp.int32)
    best = values.argmax(-1).astype(jnp.int32)
    return jnp.where((explores < epsilon_of(epsilon, spent)) | blind, anywhere, best)


def epsilon_of(epsilon: float | str, spent: Array) -> Array:
    """Epsilon after a fraction of the budget is spent."""
    # Of a budget of two units, 0 is the first and 1 the last.
    chance: Any = uncompiled(epsilon_at)(schedule(epsilon), cast("Any", spent), 2)
    return jnp.asarray(chance)
