"""An agent that can be interrupted, and one that uses all that an agent may keep and hear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp

from temporl.agents.agent import Choice
from temporl.agents.dqn import DQN
from temporl.agents.temporl import TempoDQN
from temporl.skipping import Commitment


@dataclass(frozen=True)
class LeavingDQN(TempoDQN):
    """TempoRL DQN that leaves a commitment when another action is better by a margin."""

    interruptible: ClassVar[bool] = True

    margin: float = 0.0
    """How much better another action must be."""

    def interrupt(self, params: Any, observation: Any, commitment: Commitment, memory: Any) -> Any:
        """Whether another action is better by more than the margin."""
        values = self.action_values(params, observation)
        return values.max() - values[commitment.decision.action] > self.margin


@dataclass(frozen=True)
class CountingDQN(DQN):
    """DQN that counts its decisions in an episode, and hears what episodes returned."""

    hears_episodes: ClassVar[bool] = True

    def init(self, params: Any) -> Any:
        return super().init(params), jnp.zeros(3)

    def params(self, state: Any) -> Any:
        return super().params(state[0])

    def memory(self) -> Any:
        return jnp.int32(0)

    def decide(self, state: Any, observation: Any, memory: Any, key: Any, progress: Any) -> Choice:
        choice = super().decide(state[0], observation, memory, key, progress)
        return choice._replace(memory=memory + 1)

    def greedy(self, params: Any, observation: Any, memory: Any) -> Choice:
        """The first action until the third decision, then the second."""
        choice = super().greedy(params, observation, memory)
        action = jnp.where(memory < 2, 0, 1)
        return Choice(choice.decision._replace(action=action), memory + 1)

    def update(self, state: Any, batch: Any, key: Any) -> Any:
        learned, metrics = super().update(state[0], batch, key)
        return (learned, state[1]), metrics | {"episodes": state[1][0], "lengths": state[1][2]}

    def ended(self, state: Any, episode_return: Any, length: Any) -> Any:
        heard = jnp.stack([jnp.float32(1), episode_return, length.astype(jnp.float32)])
        return state[0], state[1] + heard
