"""A trained deep agent: networks as NumPy arrays, and the way to read them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium as gym
import numpy as np
from jaxtyping import Float

from temporl.agents.agent import Networks, Spaces
from temporl.errors import BadInput
from temporl.skipping import Decision


@dataclass(frozen=True)
class NetworkPolicy:
    """Answers observations with greedy decisions, and shows the values behind them."""

    agent: Any
    networks: Networks
    observations: gym.Space[Any]
    actions: gym.spaces.Discrete[Any]

    def decide(self, observation: Any) -> Decision:
        """The greedy action and for how many steps to play it."""
        action, skip = self.agent.greedy(self.networks, self._seen(observation))
        return Decision(int(action) + self._start, int(skip))

    def action_values(self, observation: Any) -> Float[np.ndarray, " action"]:
        """The learned value of every action."""
        return np.asarray(self.agent.action_values(self.networks, self._seen(observation)))

    def skip_values(self, observation: Any, action: Any = None) -> dict[int, float]:
        """The learned value of every skip for an action, the greedy one unless another is given."""
        action = self.decide(observation).action if action is None else action
        if not self.actions.contains(action):
            raise BadInput("action", action, f"allowed: an element of {self.actions}")
        values: dict[int, float] = self.agent.skip_values(
            self.networks, self._seen(observation), np.int64(action - self._start)
        )
        return values

    @cached_property
    def spaces(self) -> Spaces:
        """What the agent knows of the environment."""
        return agent_spaces(self.observations, self.actions)

    @cached_property
    def _start(self) -> int:
        return int(self.actions.start)

    def _seen(self, observation: Any) -> Any:
        """An observation as the networks take it."""
        if isinstance(self.observations, gym.spaces.Discrete):
            if not self.observations.contains(observation):
                allowed = f"allowed: an element of {self.observations}"
                raise BadInput("observation", observation, allowed)
            return np.int32(observation - self.observations.start)
        seen = np.asarray(observation, dtype=np.float32)
        if seen.shape != self.observations.shape or not np.isfinite(seen).all():
            shape = self.observations.shape
            raise BadInput("observation", observation, f"allowed: {shape} finite numbers")
        return seen


def agent_spaces(observations: gym.Space[Any], actions: gym.spaces.Discrete[Any]) -> Spaces:
    """What an agent must know of an environment's spaces."""
    if isinstance(observations, gym.spaces.Discrete):
        return Spaces((), int(observations.n), int(actions.n))
    return Spaces(tuple(observations.shape or ()), None, int(actions.n))


def check_spaces(
    observations: gym.Space[Any], actions: gym.Space[Any], environment: str
) -> gym.spaces.Discrete[Any]:
    """The actions; raises unless these agents can learn from such observations and actions."""
    if not isinstance(actions, gym.spaces.Discrete):
        raise BadInput(
            "action space",
            actions,
            f"{environment!r} has no numbered actions, and this agent chooses among numbered ones;"
            " wrap the environment, or use an agent for continuous actions",
        )
    if isinstance(observations, gym.spaces.Discrete):
        return actions
    if isinstance(observations, gym.spaces.Box) and len(observations.shape) == 1:
        return actions
    if isinstance(observations, gym.spaces.Box) and len(observations.shape) > 1:
        reason = "images are not for this agent; flatten them with Gymnasium's FlattenObservation"
    else:
        reason = (
            "this agent takes flat arrays or single numbers; Gymnasium's FlattenObservation makes"
            " an array of dictionaries, tuples and the like"
        )
    raise BadInput("observation space", observations, f"{environment!r}: {reason}")
