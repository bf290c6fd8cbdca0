"""An agent that already knows what to do, seen from the skip policy on top of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import gymnasium as gym
import numpy as np
from jaxtyping import Float

from temporl.agents.dar import DAR
from temporl.agents.figar import FiGAR
from temporl.agents.policy import NetworkPolicy
from temporl.environments.actions import actions_of, within_bounds
from temporl.errors import BadInput
from temporl.networks.actor_critic import least_value

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
        return float(_below_skips(self.policy)[0].gamma)

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


@dataclass(frozen=True)
class ActorBehaviour:
    """A trained actor and its critics, of this library, as a frozen behaviour."""

    policy: NetworkPolicy
    actions: gym.spaces.Box

    @property
    def gamma(self) -> float:
        """The discount its values were learned with."""
        return float(_below_skips(self.policy)[0].gamma)

    def act(self, observations: Rows) -> Rows:
        """The actor's action for every row, within the environment's bounds."""
        agent, networks = _below_skips(self.policy)
        chosen = np.asarray(agent.best_action(networks, np.asarray(observations, np.float32)))
        rows = chosen.reshape(-1, *self.actions.shape)
        return within_bounds(rows, self.actions.low, self.actions.high).astype(self.actions.dtype)

    def value(self, observations: Rows, actions: Rows) -> Float[np.ndarray, " row"]:
        """What the most careful critic says of an action in every row."""
        seen = np.asarray(observations, dtype=np.float32)
        chosen = actions_of(self.actions).inward(actions).reshape(len(seen), -1)
        values = least_value(_below_skips(self.policy)[1].critics, seen, chosen)
        return np.asarray(values, dtype=np.float64)


def _below_skips(policy: NetworkPolicy) -> tuple[Any, Any]:
    """The agent that picks actions and its networks, without a skip policy on top of it."""
    if hasattr(policy.agent, "behaviour"):
        return policy.agent.behaviour, policy.networks.behaviour
    return policy.agent, policy.networks


def behaviour_of(agent: Any) -> FrozenBehaviour:
    """An agent as a frozen behaviour: a trained policy of this library, or a behaviour already."""
    if isinstance(agent, NetworkPolicy):
        if not isinstance(agent.observations, gym.spaces.Box):
            raise BadInput("behaviour", agent.observations, "allowed: observations that are arrays")
        if isinstance(agent.agent, DAR | FiGAR):
            raise BadInput(
                "behaviour", agent.agent, "allowed: an agent whose values are of actions"
            )
        if isinstance(agent.actions, gym.spaces.Box):
            return ActorBehaviour(agent, agent.actions)
        assert isinstance(agent.actions, gym.spaces.Discrete)
        return PolicyBehaviour(agent, agent.actions)
    if all(hasattr(agent, name) for name in ("actions", "gamma", "act", "value")):
        behaviour: FrozenBehaviour = agent
        return behaviour
    raise BadInput(
        "behaviour",
        agent,
        "allowed: a trained dqn, ddpg, td3 or sac, temporl.sb3.FrozenModel, or your own",
    )
