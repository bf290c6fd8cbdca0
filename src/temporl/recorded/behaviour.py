"""An agent that already knows what to do, seen from the skip policy on top of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import gymnasium as gym
import numpy as np
from jaxtyping import Float

from temporl.agents.agent import Behaviour, Params
from temporl.agents.policy import NetworkPolicy
from temporl.environments.actions import actions_of
from temporl.environments.types import Space
from temporl.errors import BadInput
from temporl.types import Element

Rows = Element
"""An array with a row for each sample."""


@runtime_checkable
class FrozenBehaviour(Protocol):
    """What is needed of an agent: its action, and the value of any, in many states at once."""

    @property
    def actions(self) -> Space:
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
    """A trained policy of this library as a frozen behaviour."""

    behaviour: Behaviour
    params: Params
    actions: Space

    @property
    def gamma(self) -> float:
        """The discount its values were learned with."""
        return float(self.behaviour.gamma)

    def act(self, observations: Rows) -> Rows:
        """The greedy action for every row, as the environment takes it."""
        seen: Rows = np.asarray(observations, np.float32)
        chosen = self.behaviour.best_action(self.params, seen)
        return actions_of(self.actions).rows_to_environment(np.asarray(chosen))

    def value(self, observations: Rows, actions: Rows) -> Float[np.ndarray, " row"]:
        """The learned value of an action in every row."""
        seen: Rows = np.asarray(observations, dtype=np.float32)
        chosen: Rows = actions_of(self.actions).rows_from_environment(np.asarray(actions))
        values = self.behaviour.value_of(self.params, seen, chosen)
        return np.asarray(values, dtype=np.float64)


def behaviour_of(agent: NetworkPolicy | FrozenBehaviour) -> FrozenBehaviour:
    """An agent as a frozen behaviour: a trained policy of this library, or a behaviour already."""
    if isinstance(agent, NetworkPolicy):
        if not isinstance(agent.observations, gym.spaces.Box):
            raise BadInput("behaviour", agent.observations, "allowed: observations that are arrays")
        below = agent.agent.behaviour_of(agent.params)
        if below is None:
            raise BadInput(
                "behaviour", agent.agent, "allowed: an agent whose values are of actions"
            )
        return PolicyBehaviour(*below, agent.actions)
    if isinstance(agent, FrozenBehaviour):
        return agent
    raise BadInput(
        "behaviour",
        agent,
        "allowed: a trained dqn, ddpg, td3 or sac, temporl.sb3.FrozenModel, or your own",
    )
