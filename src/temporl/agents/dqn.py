"""Double DQN (Mnih et al., 2015; van Hasselt et al., 2016).

for every step:
    play argmax_a Q(s, a), or with probability epsilon any action
    draw transitions (s, a, r, discount, s') from the ring
    a* = argmax_a Q(s', a)
    move Q(s, a) towards r + discount * target Q(s', a*)
    move the target a fraction tau towards Q

The defaults are those of the paper's MountainCar; for images see `image_options`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from jaxtyping import Float

from temporl.agents.agent import Behaviour, Metrics, Options, Spaces
from temporl.agents.images import image_options
from temporl.agents.options import check_learning
from temporl.compilation import uncompiled
from temporl.environments.types import Space
from temporl.errors import require_at_least, require_range, unknown_name
from temporl.networks.convolutions import convolved_size, draw_convolutions, shareable, torso
from temporl.networks.layers import Network, apply, as_rows, draw_layers, draw_wide_layers
from temporl.replay import Batch, Experience
from temporl.schedules import epsilon_at, schedule
from temporl.skipping import Connection

QNetwork = Network
"""Convolutions where observations are images, then dense layers."""


SMALL_LAYER = 100
"""The most units of a layer that counts as small."""


class DQNState(NamedTuple):
    """The network, its target network, and the state of the optimiser."""

    network: QNetwork
    target: QNetwork
    optimiser: optax.OptState


@dataclass(frozen=True)
class DQN(Behaviour):
    """Double DQN (`dqn`): decides at every step. The paper's vanilla deep agent."""

    shares_layers: ClassVar[bool] = True

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
    """Size of the replay buffer, in steps. The paper's code: 1,000,000."""
    tau: float = 0.01
    """Fraction by which a target update moves the target network. The paper's code: 0.01."""
    hidden: tuple[int, ...] = (50, 50)
    """Widths of the hidden layers. The paper's appendix: two layers of 50 units."""
    loss: Literal["squared", "huber"] = "squared"
    """Loss on the TD error: 'squared', or 'huber' (quadratic up to 1, linear beyond)."""
    clip_gradient: float | None = None
    """Largest norm of the gradient; larger gradients are scaled down. Default: no limit."""
    target_every: int = 1
    """Updates of the network between two updates of the target network."""
    train_every: int = 1
    """Environment steps between two updates."""
    learning_starts: int = 0
    """Steps before the first update; default: as many as a batch has samples."""
    epsilon_steps: int | None = None
    """Steps over which epsilon decreases; default: the whole budget."""

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

    @classmethod
    def defaults_for(cls, observations: Space) -> Options:
        """The paper's hyperparameters for Atari where observations are screens."""
        return image_options(observations)

    @property
    def exploration(self) -> float | str:
        """The same epsilon for actions and skips."""
        return self.epsilon

    @property
    def exploration_steps(self) -> int | None:
        """Steps over which epsilon decreases."""
        return self.epsilon_steps

    def outputs(self, actions: int) -> int:
        """The number of outputs of the network."""
        return actions

    def draw(self, random: np.random.Generator, spaces: Spaces) -> QNetwork:
        """Draw the network of action values."""
        widths = (*self.hidden, self.outputs(spaces.actions))
        if not spaces.shows_images:
            return draw_layers(random, (spaces.inputs, *widths))
        convolutions = draw_convolutions(random, spaces.observation_shape)
        seen = convolved_size(convolutions, spaces.observation_shape)
        return (*convolutions, *draw_wide_layers(random, (seen, *widths)))

    def init(self, params: QNetwork) -> DQNState:
        """The state in which learning begins."""
        network: QNetwork = jax.tree.map(jnp.asarray, params)
        # A copy: a buffer that is handed over to a compiled function must not be handed over twice.
        return DQNState(network, jax.tree.map(jnp.copy, network), self.optimiser.init(network))

    @property
    def optimiser(self) -> optax.GradientTransformation:
        """Adam, with clipped gradients if so configured."""
        adam = optax.adam(self.learning_rate)
        if self.clip_gradient is not None:
            adam = optax.chain(optax.clip_by_global_norm(self.clip_gradient), adam)
        # Several small layers are faster as one vector, wide ones twice as fast without that copy.
        return optax.flatten(adam) if max(self.hidden) <= SMALL_LAYER else adam

    @property
    def error(self) -> Callable[[Array, Array], Array]:
        """The loss on the TD error: squared or Huber."""
        return LOSSES[self.loss]

    def params(self, state: DQNState) -> QNetwork:
        """The network of action values as it is now."""
        return state.network

    def shared_layers(self, params: QNetwork) -> QNetwork:
        """The first layers, which a skip network can share."""
        return shareable(params[:-1])

    def with_shared_layers(self, state: DQNState, layers: QNetwork) -> DQNState:
        """The same state with other first layers, as a skip loss has changed them."""
        return state._replace(network=(*layers, *state.network[len(layers) :]))

    def output_values(self, params: QNetwork, observation: Array) -> Array:
        """All that the network outputs."""
        return as_rows(apply(params[-1], torso(params[:-1], observation)))

    def action_values(self, params: QNetwork, observation: Array) -> Array:
        """The learned value of every action."""
        return self.output_values(params, observation)

    def value_of(self, params: QNetwork, observation: Array, action: Array) -> Array:
        """The learned value of an action, or of one in every row."""
        values = self.action_values(params, observation)
        return values[(*np.indices(values.shape[:-1]), action)]

    def best_action(self, params: QNetwork, observation: Array) -> Array:
        """The action with the highest value."""
        return self.action_values(params, observation).argmax(-1)

    def act(self, state: DQNState, observation: Array, key: Array, progress: Array) -> Array:
        """The best of all outputs, or with probability epsilon any."""
        values = self.output_values(state.network, observation)
        return epsilon_greedy(values, self.epsilon, key, progress)

    @property
    def learns_from(self) -> Experience:
        """Single steps."""
        return Experience(
            self.batch_size,
            self.gamma,
            self.buffer_size,
            warm_up=self.learning_starts,
            train_every=self.train_every,
        )

    def value(self, state: DQNState, observation: Array) -> Array:
        """The target network's value of the action that the network prefers (double Q-learning)."""
        preferred = self.output_values(state.network, observation).argmax(-1)
        return select(self.output_values(state.target, observation), preferred)

    def gap(self, state: DQNState, observation: Array, action: Array) -> tuple[Array, Array]:
        """What playing an action costs, V(s) - Q(s, a), and V(s): both by the target network."""
        values = self.output_values(state.target, observation)
        best = values.max(-1)
        return best - select(values, action), best

    def update(self, state: DQNState, batch: Batch, key: Array) -> tuple[DQNState, Metrics]:
        """Learn from the transitions of a batch."""
        assert batch.transitions is not None
        return self.td_update(state, batch.transitions, batch.transitions.action)

    def td_update(
        self, state: DQNState, connections: Connection, output: Array
    ) -> tuple[DQNState, Metrics]:
        """Move some outputs towards `reward + discount * value` (Eq. 3)."""
        targets = connections.reward + connections.discount * self.value(
            state, connections.next_observation
        )

        def loss(network: QNetwork) -> Array:
            values = self.output_values(network, connections.observation)
            return self.error(select(values, output), targets)

        error, gradient = jax.value_and_grad(loss)(state.network)
        changes, optimiser = self.optimiser.update(gradient, state.optimiser)
        network = optax.apply_updates(state.network, changes)
        target = self._followed(network, state.target, optimiser)
        return DQNState(network, target, optimiser), {
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
    """The mean squared difference; no gradient passes through the targets."""
    return jnp.mean((values - jax.lax.stop_gradient(targets)) ** 2)


def huber_error(values: Float[Array, " batch"], targets: Float[Array, " batch"]) -> Array:
    """The mean Huber loss: quadratic up to a difference of 1, linear beyond."""
    return jnp.mean(optax.huber_loss(values, jax.lax.stop_gradient(targets)))


LOSSES = {"squared": squared_error, "huber": huber_error}


def epsilon_greedy(
    values: Float[Array, " choice"],
    epsilon: float | str,
    key: Array,
    progress: Array,
    warming_up: Array | bool = False,
) -> Array:
    """The best choice; a random one with probability epsilon, and in the warm-up."""
    explores, choice = jax.random.uniform(key, (2,))
    anywhere = (choice * values.shape[-1]).astype(jnp.int32)
    best = values.argmax(-1).astype(jnp.int32)
    return jnp.where((explores < epsilon_of(epsilon, progress)) | warming_up, anywhere, best)


def epsilon_of(epsilon: float | str, progress: Array) -> Array:
    """Epsilon at some progress, from 0 at the start of training to 1 at its end."""
    # Of a budget of two units, 0 is the first and 1 the last.
    chance = uncompiled(epsilon_at)(schedule(epsilon), cast("int", progress), 2)
    return jnp.asarray(chance)
