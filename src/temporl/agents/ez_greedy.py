"""Temporally extended epsilon-greedy exploration (Dabney et al., 2020).

for every decision:
    play the best action once
    or, with probability epsilon, any action for n steps, where P(n) ~ n**-mu
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from temporl.agents.agent import Choice, Memory
from temporl.agents.dqn import DQN, DQNState, epsilon_of
from temporl.errors import require_at_least, require_range
from temporl.randomness import zeta_cumulative
from temporl.replay import Experience
from temporl.skipping import Decision


@dataclass(frozen=True)
class ExtendedDQN(DQN):
    """Temporally extended epsilon-greedy DQN (`ez-dqn`): only exploratory actions last."""

    mu: float = 2.0
    """Exponent of the zeta distribution, P(n) ~ n**-mu. Dabney et al. (2020): 2."""
    max_repeat: int = 10_000
    """Longest repeat. Dabney et al. (2020): 10,000."""
    decision_cost: float = 0.0
    """What a decision costs, in reward: subtracted in training, where a decision is made."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("mu", self.mu, 1.0, np.inf, low_open=True)
        require_at_least("max_repeat", self.max_repeat, 1, 1_000_000)
        require_range("decision_cost", self.decision_cost, 0.0, np.inf)

    @property
    def learns_from(self) -> Experience:
        """Single steps, each with the price of a decision."""
        return replace(super().learns_from, decision_cost=self.decision_cost)

    def decide(
        self, state: DQNState, observation: Array, memory: Memory, key: Array, progress: Array
    ) -> Choice:
        """The best action for one step, or with probability epsilon any for several."""
        explores, choice, length = jax.random.uniform(key, (3,))
        values = self.action_values(state.network, observation)
        anywhere = (choice * values.shape[-1]).astype(jnp.int32)
        repeat = 1 + jnp.searchsorted(
            jnp.asarray(zeta_cumulative(self.mu, self.max_repeat), jnp.float32), length, "right"
        ).astype(jnp.int32)
        exploring = explores < epsilon_of(self.epsilon, progress)
        return Choice(
            Decision(
                jnp.where(exploring, anywhere, values.argmax(-1).astype(jnp.int32)),
                jnp.where(exploring, jnp.minimum(repeat, self.max_repeat), 1),
            )
        )
