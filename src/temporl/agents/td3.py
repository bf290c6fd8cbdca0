"""Twin delayed DDPG (Fujimoto et al., 2018): three remedies for overestimated values.

for every step:
    play the actor's action with a little noise; any action while warming up
    draw transitions (s, a, r, discount, s') from the ring
    a' = target pi(s') + clipped noise
    move both critics towards r + discount * the lesser of both target Q(s', a')
    every other time: move pi so that Q(s, pi(s)) grows, and all targets a fraction tau
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from temporl.agents.agent import Metrics
from temporl.agents.ddpg import DDPG, ActorCriticState
from temporl.errors import require_at_least, require_range
from temporl.networks.actor_critic import least_value
from temporl.replay import Batch


@dataclass(frozen=True)
class TD3(DDPG):
    """Twin delayed DDPG (`td3`): two critics, smoothed targets, delayed updates of the actor."""

    critics: ClassVar[int] = 2

    target_noise: float = 0.2
    """Standard deviation of the noise on target actions. Fujimoto et al. (2018): 0.2."""
    target_noise_clip: float = 0.5
    """Bound of that noise. Fujimoto et al. (2018): 0.5."""
    actor_every: int = 2
    """Updates of the critics between two of the actor. Fujimoto et al. (2018): 2."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("target_noise", self.target_noise, 0.0, 2.0)
        require_range("target_noise_clip", self.target_noise_clip, 0.0, 2.0)
        require_at_least("actor_every", self.actor_every, 1)

    def update(
        self, state: ActorCriticState, batch: Batch, key: Array
    ) -> tuple[ActorCriticState, Metrics]:
        """Learn from the transitions of a batch: the critics each time, the actor less often."""
        transitions = batch.transitions
        assert transitions is not None
        action = self.best_action(state.targets, transitions.next_observation)
        noise = self.target_noise * jax.random.normal(key, action.shape)
        noise = jnp.clip(noise, -self.target_noise_clip, self.target_noise_clip)
        action = jnp.clip(action + noise, -1, 1)
        following = least_value(state.targets.critics, transitions.next_observation, action)
        learned, metrics = self.learn_critics(state, transitions, following)
        updated: ActorCriticState = jax.lax.cond(
            learned.updates % self.actor_every == 0,
            lambda: self.follow(self.learn_actor(learned, transitions.observation)),
            lambda: learned,
        )
        return updated, metrics
