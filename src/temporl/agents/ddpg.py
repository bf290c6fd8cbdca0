"""Deep deterministic policy gradient (Lillicrap et al., 2016).

for every step:
    play the actor's action pi(s) with a little noise; any action while warming up
    draw transitions (s, a, r, discount, s') from the ring
    move Q(s, a) towards r + discount * target Q(s', target pi(s'))
    move pi so that Q(s, pi(s)) grows
    move both targets a fraction tau towards them
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from temporl.agents.agent import Behaviour, Metrics, Params, Spaces, State
from temporl.agents.dqn import squared_error
from temporl.agents.options import check_learning
from temporl.errors import require_at_least, require_range
from temporl.networks.actor_critic import (
    ActorCritic,
    actor_critic,
    actor_outputs,
    critic_value,
    least_value,
    squashed,
)
from temporl.replay import Batch, Experience
from temporl.skipping import Connection


class ActorCriticState(NamedTuple):
    """The actor and its critics, their target networks, and the states of the optimisers."""

    networks: ActorCritic
    targets: ActorCritic
    actor_optimiser: optax.OptState
    critic_optimiser: optax.OptState
    updates: Array
    """The number of updates so far: 0 in the warm-up."""
    temperature: State = ()
    """The temperature of an actor that has one, and its optimiser."""


@dataclass(frozen=True)
class DDPG(Behaviour):
    """Deep deterministic policy gradient (`ddpg`): continuous actions, decides at every step."""

    continuous: ClassVar[bool] = True
    critics: ClassVar[int] = 1

    learning_rate: float = 1e-3
    """Step size of Adam, for actor and critic. The paper's code: 0.001."""
    gamma: float = 0.99
    """Discount per step. The paper's code: 0.99."""
    noise: float = 0.1
    """Exploration: the standard deviation of the noise added to actions, which lie in [-1, 1].
    The paper's code: 0.1."""
    batch_size: int = 256
    """Transitions per update; one update after every step. The paper's code: 256."""
    buffer_size: int = 1_000_000
    """Size of the replay buffer, in steps. The paper's code: 1,000,000."""
    tau: float = 0.005
    """Fraction by which an update moves the target networks. The paper's code: 0.005."""
    warm_up: int = 1_000
    """Steps with random actions before anything is learned. The paper's code: 1,000."""
    hidden: tuple[int, ...] = (400, 300)
    """Widths of the hidden layers of all networks. The paper's code: 400 and 300 units."""

    def __post_init__(self) -> None:
        check_learning(self, widths="400 300")
        require_range("noise", self.noise, 0.0, 2.0)
        require_at_least("warm_up", self.warm_up, 0)

    def draw(self, random: np.random.Generator, spaces: Spaces) -> ActorCritic:
        """Draw the actor and its critics."""
        size = spaces.actions
        return actor_critic(
            random, spaces.inputs, self.hidden, self.actor_size(size), size, self.critics
        )

    def actor_size(self, action: int) -> int:
        """The number of outputs of the actor, from the number of components of an action."""
        return action

    def init(self, params: ActorCritic) -> ActorCriticState:
        """The state in which learning begins."""
        networks = jax.tree.map(jnp.asarray, params)
        return ActorCriticState(
            networks,
            jax.tree.map(jnp.copy, networks),
            self.optimiser.init(networks.actor),
            self.optimiser.init(networks.critics),
            jnp.int32(0),
        )

    @property
    def optimiser(self) -> optax.GradientTransformation:
        """Adam, on all weights as one vector."""
        return optax.flatten(optax.adam(self.learning_rate))

    @property
    def error(self) -> Callable[[Array, Array], Array]:
        """The loss on the TD error: squared."""
        return squared_error

    def params(self, state: ActorCriticState) -> ActorCritic:
        """The actor and its critics as they are now."""
        return state.networks

    def is_warming_up(self, state: ActorCriticState) -> Array:
        """Whether there was no update yet."""
        return state.updates == 0

    def proposal(self, actor: Params, observation: Array) -> Array:
        """The actor's output in the form that the critics take."""
        return squashed(actor_outputs(actor, observation))

    def best_action(self, params: ActorCritic, observation: Array) -> Array:
        """The actor's action."""
        return self.proposal(params.actor, observation)

    def act(
        self, state: ActorCriticState, observation: Array, key: Array, progress: Array
    ) -> Array:
        """The actor's action with noise, or a random one in the warm-up."""
        action = self.best_action(state.networks, observation)
        noisy = action + self.noise * jax.random.normal(key, action.shape)
        return self.unless_warming_up(state, key, noisy)

    def unless_warming_up(self, state: ActorCriticState, key: Array, action: Array) -> Array:
        """The given action, or a random one in the warm-up."""
        anything = jax.random.uniform(key, action.shape, minval=-1.0)
        return jnp.where(self.is_warming_up(state), anything, jnp.clip(action, -1, 1))

    def value_of(self, params: ActorCritic, observation: Array, action: Array) -> Array:
        """The minimum of the critics' values of an action."""
        return least_value(params.critics, observation, action)

    @property
    def learns_from(self) -> Experience:
        """Single steps."""
        return Experience(self.batch_size, self.gamma, self.buffer_size, warm_up=self.warm_up)

    def value(self, state: ActorCriticState, observation: Array) -> Array:
        """The target critics' value of the target actor's proposal."""
        actor, critics = state.targets
        value: Array = least_value(critics, observation, self.proposal(actor, observation))
        return value

    def gap(
        self, state: ActorCriticState, observation: Array, action: Array
    ) -> tuple[Array, Array]:
        """What playing an action costs, V(s) - Q(s, a), and V(s): means over the target critics."""
        actor, critics = state.targets
        proposal = self.proposal(actor, observation)
        best, played = (
            jnp.stack([critic_value(critic, observation, one) for critic in critics]).mean(0)
            for one in (proposal, action)
        )
        return best - played, best

    def update(
        self, state: ActorCriticState, batch: Batch, key: Array
    ) -> tuple[ActorCriticState, Metrics]:
        """Learn from the transitions of a batch: first the critic, then the actor."""
        transitions = batch.transitions
        assert transitions is not None
        following = self.value(state, transitions.next_observation)
        state, metrics = self.learn_critics(state, transitions, following)
        state = self.follow(self.learn_actor(state, transitions.observation))
        return state, metrics

    def learn_critics(
        self, state: ActorCriticState, transitions: Connection, following: Array
    ) -> tuple[ActorCriticState, Metrics]:
        """Move every critic towards `reward + discount * value`."""
        goals = transitions.reward + transitions.discount * following

        def loss(critics: Params) -> Array:
            return sum(
                (
                    squared_error(
                        critic_value(critic, transitions.observation, transitions.action), goals
                    )
                    for critic in critics
                ),
                start=jnp.zeros(()),
            )

        critics = state.networks.critics
        error, gradient = jax.value_and_grad(loss)(critics)
        changes, optimiser = self.optimiser.update(gradient, state.critic_optimiser)
        networks = state.networks._replace(critics=optax.apply_updates(critics, changes))
        state = state._replace(
            networks=networks, critic_optimiser=optimiser, updates=state.updates + 1
        )
        return state, {"behaviour_loss": error, "mean_target": goals.mean()}

    def learn_actor(self, state: ActorCriticState, observation: Array) -> ActorCriticState:
        """Move the actor to where the first critic sees more value."""
        actor, critics = state.networks

        def loss(actor: Params) -> Array:
            proposal = self.proposal(actor, observation)
            return -jnp.mean(critic_value(critics[0], observation, proposal))

        changes, optimiser = self.optimiser.update(jax.grad(loss)(actor), state.actor_optimiser)
        networks = ActorCritic(optax.apply_updates(actor, changes), critics)
        return state._replace(networks=networks, actor_optimiser=optimiser)

    def follow(self, state: ActorCriticState) -> ActorCriticState:
        """Move the targets a fraction towards the networks."""
        return state._replace(
            targets=optax.incremental_update(state.networks, state.targets, self.tau)
        )
