"""A trained deep agent: networks as NumPy arrays, and the way to read them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium as gym
import numpy as np
from jaxtyping import Float

from temporl.agents.agent import Networks, Spaces
from temporl.environments.actions import BoundedActions, NumberedActions, actions_of
from temporl.errors import BadInput
from temporl.networks.convolutions import SMALLEST_BOARD
from temporl.skipping import Decision


@dataclass(frozen=True)
class NetworkPolicy:
    """Answers observations with greedy decisions, and shows the values behind them."""

    agent: Any
    networks: Networks
    observations: gym.Space[Any]
    actions: gym.Space[Any]

    def decide(self, observation: Any) -> Decision:
        """The greedy action and for how many steps to play it."""
        action, skip = self.agent.greedy(self.networks, self._seen(observation))
        return Decision(self._spoken.outward(action), int(skip))

    def action_values(self, observation: Any) -> Float[np.ndarray, " action"]:
        """The learned value of every action."""
        if self.agent.continuous:
            raise BadInput(
                "actions", self.actions, "they cannot be listed; skip_values takes any of them"
            )
        return np.asarray(self.agent.action_values(self.networks, self._seen(observation)))

    def skip_values(self, observation: Any, action: Any = None) -> dict[int, float]:
        """The learned value of every skip for an action, the greedy one unless another is given."""
        action = self.decide(observation).action if action is None else action
        if not self.actions.contains(action):
            raise BadInput("action", action, f"allowed: an element of {self.actions}")
        values: dict[int, float] = self.agent.skip_values(
            self.networks, self._seen(observation), self._spoken.inward(action)
        )
        return values

    @cached_property
    def spaces(self) -> Spaces:
        """What the agent knows of the environment."""
        return agent_spaces(self.observations, self.actions)

    @cached_property
    def _spoken(self) -> NumberedActions | BoundedActions:
        return actions_of(self.actions)

    def _seen(self, observation: Any) -> Any:
        """An observation as the networks take it."""
        if isinstance(self.observations, gym.spaces.Discrete):
            if not self.observations.contains(observation):
                allowed = f"allowed: an element of {self.observations}"
                raise BadInput("observation", observation, allowed)
            return np.int32(observation - self.observations.start)
        if self.spaces.shows_images:
            return self._image(observation)
        seen = np.asarray(observation, dtype=np.float32)
        if seen.shape != self.observations.shape or not np.isfinite(seen).all():
            shape = self.observations.shape
            raise BadInput("observation", observation, f"allowed: {shape} finite numbers")
        return seen

    def _image(self, observation: Any) -> Any:
        seen = np.asarray(observation)
        if seen.shape != self.observations.shape or seen.dtype != np.uint8:
            found = f"{seen.dtype} of shape {seen.shape}"
            raise BadInput("observation", found, f"allowed: uint8 of {self.observations.shape}")
        return seen


def agent_spaces(observations: gym.Space[Any], actions: gym.Space[Any]) -> Spaces:
    """What an agent must know of an environment's spaces."""
    if isinstance(actions, gym.spaces.Box):
        count, continuous = int(np.prod(actions.shape)), True
    else:
        assert isinstance(actions, gym.spaces.Discrete)
        count, continuous = int(actions.n), False
    if isinstance(observations, gym.spaces.Discrete):
        return Spaces((), int(observations.n), count, continuous)
    return Spaces(tuple(observations.shape or ()), None, count, continuous)


def check_spaces(
    agent: Any, observations: gym.Space[Any], actions: gym.Space[Any], environment: str
) -> None:
    """Raise unless an agent can learn from such observations and actions."""
    (_check_bounded if agent.continuous else _check_numbered)(actions, environment)
    if isinstance(observations, gym.spaces.Discrete):
        return
    if isinstance(observations, gym.spaces.Box) and len(observations.shape) == 1:
        return
    if isinstance(observations, gym.spaces.Box) and len(observations.shape) > 1:
        _check_images(agent, observations, environment)
        return
    raise BadInput(
        "observation space",
        observations,
        f"{environment!r}: this agent takes flat arrays, images or single numbers; Gymnasium's"
        " FlattenObservation makes an array of dictionaries, tuples and the like",
    )


def _check_images(agent: Any, observations: gym.spaces.Box, environment: str) -> None:
    shape, kind = observations.shape, observations.dtype
    if agent.continuous:
        reason = "images are not for this agent; flatten them with Gymnasium's FlattenObservation"
    elif kind != np.uint8:
        reason = (
            "images must be whole numbers from 0 to 255 (uint8); Gymnasium's TransformObservation"
            " makes them so, and FlattenObservation an array that is none"
        )
    elif len(shape) != 3:
        reason = "an image has rows, columns and perhaps channels"
    elif min(shape[:2]) < SMALLEST_BOARD:
        reason = f"images need at least {SMALLEST_BOARD} rows and columns; use larger ones"
    elif getattr(agent, "architecture", None) == "concat":
        raise BadInput(
            "architecture",
            "concat",
            f"{environment!r} shows images, which an action cannot be joined to; allowed: context,"
            " shared",
        )
    else:
        return
    # Not the space itself: it would print all of its bounds.
    raise BadInput("observation space", f"{kind} of shape {shape}", f"{environment!r}: {reason}")


def _check_numbered(actions: gym.Space[Any], environment: str) -> None:
    if not isinstance(actions, gym.spaces.Discrete):
        raise BadInput(
            "action space",
            actions,
            f"{environment!r} has no numbered actions, and this agent chooses among numbered ones;"
            " wrap the environment, or use an agent for continuous actions such as t-ddpg",
        )


def _check_bounded(actions: gym.Space[Any], environment: str) -> None:
    if not isinstance(actions, gym.spaces.Box) or np.dtype(actions.dtype).kind != "f":
        raise BadInput(
            "action space",
            actions,
            f"{environment!r} has no continuous actions, and this agent needs them; use an agent"
            " for numbered actions such as t-dqn",
        )
    if not (np.isfinite(actions.low).all() and np.isfinite(actions.high).all()):
        raise BadInput(
            "action space",
            actions,
            f"{environment!r} has actions without bounds; Gymnasium's RescaleAction or ClipAction"
            " gives them some",
        )
