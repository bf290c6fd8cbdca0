"""Soft actor-critic (Haarnoja et al., 2018): maximises return and entropy.

for every step:
    draw an action from the actor's distribution; any action while warming up
    draw transitions (s, a, r, discount, s') from the ring
    a' ~ pi(s')
    move both critics towards r + discount * (the lesser of both target Q(s', a') - t log pi(a'))
    move pi so that the lesser of both Q(s, a) - t log pi(a), a ~ pi(s), grows
    move the temperature t so that the entropy of pi approaches its target
    move the targets of the critics a fraction tau
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array

from temporl.agents.agent import Metrics, Params
from temporl.agents.ddpg import DDPG, ActorCriticState
from temporl.networks.actor_critic import ActorCritic, actor_outputs, least_value, squashed
from temporl.replay import Batch

LOG_DEVIATION = (-20.0, 2.0)
"""Bounds of the logarithm of the standard deviation, as in the authors' code."""


class Temperature(NamedTuple):
    """The weight of the entropy, which is learned as well."""

    logarithm: Array
    optimiser: optax.OptState


@dataclass(frozen=True)
class SAC(DDPG):
    """Soft actor-critic (`sac`): a stochastic policy with a learned temperature."""

    critics: ClassVar[int] = 2

    learning_rate: float = 3e-4
    """Step size of Adam, for actor, critics and temperature. Haarnoja et al. (2018): 0.0003."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers of all networks. Haarnoja et al. (2018): 256 and 256 units."""
    noise: float = 0.0
    """Noise on top of the actor's own randomness. Haarnoja et al. (2018): none."""

    def actor_size(self, action: int) -> int:
        """A mean and a standard deviation for every component of an action."""
        return 2 * action

    def init(self, params: ActorCritic) -> ActorCriticState:
        """The state in which learning begins: with a temperature of 1."""
        one = jnp.zeros(())
        return super().init(params)._replace(temperature=Temperature(one, self.optimiser.init(one)))

    def proposal(self, actor: Params, observation: Array) -> Array:
        """The mode of the actor's distribution: the squashed mean."""
        outputs = actor_outputs(actor, observation)
        return squashed(outputs[..., : outputs.shape[-1] // 2])

    def act(
        self, state: ActorCriticState, observation: Array, key: Array, progress: Array
    ) -> Array:
        """An action from the actor's distribution, or a random one in the warm-up."""
        noise_key, key = jax.random.split(key)
        action, _ = self.drawn_action(state.networks.actor, observation, key)
        return self.unless_warming_up(
            state, key, action + self.noise * jax.random.normal(noise_key, action.shape)
        )

    def drawn_action(self, actor: Params, observation: Array, key: Array) -> tuple[Array, Array]:
        """An action from the actor's distribution, and the logarithm of its density."""
        mean, log_deviation = jnp.split(actor_outputs(actor, observation), 2, axis=-1)
        log_deviation = jnp.clip(log_deviation, *LOG_DEVIATION)
        normal = jax.random.normal(key, mean.shape)
        before = mean + jnp.exp(log_deviation) * normal
        # The logarithm of a normal density, less that of tanh's slope: 1 - tanh(x)**2.
        density = -0.5 * normal**2 - log_deviation - 0.5 * jnp.log(2 * jnp.pi)
        slope = 2 * (jnp.log(2.0) - before - jax.nn.softplus(-2 * before))
        return jnp.tanh(before), (density - slope).sum(-1)

    def update(
        self, state: ActorCriticState, batch: Batch, key: Array
    ) -> tuple[ActorCriticState, Metrics]:
        """Learn from the transitions of a batch: critics, actor, temperature."""
        transitions = batch.transitions
        assert transitions is not None
        next_key, key = jax.random.split(key)
        temperature = jnp.exp(state.temperature.logarithm)
        seen, actor = transitions.next_observation, state.networks.actor
        action, density = self.drawn_action(actor, seen, next_key)
        following = least_value(state.targets.critics, seen, action) - temperature * density
        learned, metrics = self.learn_critics(state, transitions, following)
        critics = learned.networks.critics

        def loss(actor: Params) -> tuple[Array, Array]:
            action, density = self.drawn_action(actor, transitions.observation, key)
            value = least_value(critics, transitions.observation, action)
            return (temperature * density - value).mean(), density.mean()

        gradient, density = jax.grad(loss, has_aux=True)(actor)
        changes, optimiser = self.optimiser.update(gradient, state.actor_optimiser)
        # The target entropy is -1 for each component of an action; below it, the temperature rises.
        surplus = density - action.shape[-1]
        warmer, warmer_optimiser = self.optimiser.update(-surplus, state.temperature.optimiser)
        logarithm = optax.apply_updates(state.temperature.logarithm, warmer)
        learned = learned._replace(
            networks=ActorCritic(optax.apply_updates(actor, changes), critics),
            actor_optimiser=optimiser,
            temperature=Temperature(logarithm, warmer_optimiser),
        )
        return self.follow(learned), metrics | {"temperature": temperature}
