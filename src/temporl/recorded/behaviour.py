"""An agent that already knows what to do, seen from the skip policy on top of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import gymnasium as gym
import numpy as np
from jaxtyping import Float

from temporl.agents.dar import DAR
from temporl.agents.policy import NetworkPolicy
from temporl.errors import BadInput

Rows = Any
"""An array with a row for each sample."""


class FrozenBehaviour(Protocol):
    """What is needed of an agent: its action, and the value of any, in many states at once."""

    @property
    def actions(self) -> gym.Space[Any]:
        """What it chooses from: `Discrete` or a flat `Box`."""
        ...

    @property
    def gamma(self) -> float:
        """The discount its values were learned with."""
        ...

    def act(self, observations: Rows) -> Rows:
        """The greedy action for every row."""
        ...

    def value(self, observations: Rows, actions: Rows) -> Float[np.ndarray, " row"]:
        """The value of an action in every row."""
        ...


@dataclass(frozen=True)
class PolicyBehaviour:
    """A trained policy of this library, with discrete actions, as a frozen behaviour."""

    policy: NetworkPolicy
    actions: gym.spaces.Discrete[Any]

    @property
    def gamma(self) -> float:
        """The discount its values were learned with."""
        agent = self.policy.agent
        return float(getattr(agent, "behaviour", agent).gamma)

    def _values(self, observations: Rows) -> Float[np.ndarray, "row action"]:
        seen = np.asarray(observations, dtype=np.float32)
        return np.asarray(self.policy.agent.action_values(self.policy.networks, seen))

    def act(self, observations: Rows) -> Rows:
        """The action with the highest value."""
        return self._values(observations).argmax(axis=1) + int(self.actions.start)

    def value(self, observations: Rows, actions: Rows) -> Float[np.ndarray, " row"]:
        """The learned value of an action in every row."""
        chosen = np.asarray(actions, dtype=np.int64) - int(self.actions.start)
        values = self._values(observations)[np.arange(len(chosen)), chosen]
        return np.asarray(values, dtype=np.float64)


def behaviour_of(agent: Any) -> FrozenBehaviour:
    """An agent as a frozen behaviour: a trained policy of this library, or a behaviour already."""
    if isinstance(agent, NetworkPolicy):
        if not isinstance(agent.observations, gym.spaces.Box):
            raise BadInput("behaviour", agent.observations, "allowed: observations that are arrays")
        if not isinstance(agent.actions, gym.spaces.Discrete) or isinstance(agent.agent, DAR):
            raise BadInput("behaviour", agent.agent, "allowed: an agent with a value per action")
        return PolicyBehaviour(agent, agent.actions)
    if all(hasattr(agent, name) for name in ("actions", "gamma", "act", "value")):
        behaviour: FrozenBehaviour = agent
        return behaviour
    raise BadInput(
        "behaviour", agent, "allowed: a trained dqn, temporl.sb3.FrozenModel, or one of your own"
    )
