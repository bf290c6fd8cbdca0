"""A trained agent with networks: its arrays in NumPy, and the way to read them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import gymnasium as gym
import numpy as np
from jaxtyping import Float

from temporl.agents.agent import HeldBy, Memory, NetworkAgent, Params, Spaces, held_with
from temporl.environments.actions import BoundedActions, DiscreteActions, actions_of
from temporl.environments.types import Space
from temporl.errors import BadInput
from temporl.networks.convolutions import SMALLEST_BOARD
from temporl.skipping import Commitment, Decision
from temporl.trees import Arrays, named_arrays, with_named_arrays
from temporl.types import Element


@dataclass(frozen=True)
class NetworkPolicy:
    """Answers observations with greedy decisions, and shows the values behind them."""

    agent: NetworkAgent
    params: Params
    observations: Space
    actions: Space

    def decide(self, observation: Element) -> Decision:
        """The greedy action and for how many steps to play it."""
        return self._decided(observation, self.agent.memory())[0]

    def begin(self) -> NetworkEpisode:
        """The policy at the beginning of an episode."""
        return NetworkEpisode(self)

    def interrupts(self, observation: Element, commitment: Commitment) -> bool:
        """Whether the agent interrupts a commitment, as far as that needs no memory."""
        return self.begin().interrupts(observation, commitment)

    def _decided(self, observation: Element, memory: Memory) -> tuple[Decision, Memory]:
        choice = self.agent.greedy(self.params, self._as_input(observation), memory)
        action, skip = choice.decision
        return Decision(self._codec.to_environment(action), int(skip)), choice.memory

    def action_values(self, observation: Element) -> Float[np.ndarray, " action"]:
        """The learned value of every action."""
        if self.agent.continuous:
            raise BadInput(
                "actions", self.actions, "they cannot be listed; skip_values takes any of them"
            )
        return np.asarray(self.agent.action_values(self.params, self._as_input(observation)))

    def skip_values(self, observation: Element, action: Element = None) -> dict[int, float]:
        """The learned value of every skip for an action; default: the greedy action."""
        action = self.decide(observation).action if action is None else action
        if not self.actions.contains(action):
            raise BadInput("action", action, f"allowed: an element of {self.actions}")
        played: Any = self._codec.from_environment(action)
        return self.agent.skip_values(self.params, self._as_input(observation), played)

    @property
    def held_by(self) -> HeldBy | None:
        """The option by which it trades return for fewer decisions, if any does."""
        return self.agent.held_by

    @property
    def price(self) -> float:
        """What a decision costs it, in reward; 0 for agents to whom decisions are free."""
        return self.agent.price(self.params)

    def with_price(self, cost: float | str) -> NetworkPolicy:
        """The same policy at another price of a decision: of frugal agents."""
        return replace(self, agent=held_with(self.agent, "decision_cost", cost))

    def with_tolerance(self, tolerance: float) -> NetworkPolicy:
        """The same policy with another tolerance of skips that are worth less than the best."""
        return replace(self, agent=held_with(self.agent, "tie_tolerance", tolerance))

    def arrays(self) -> Arrays:
        """All arrays by name, as a file holds them."""
        return named_arrays(self.params)

    def with_arrays(self, arrays: Arrays) -> NetworkPolicy:
        """The same policy with other arrays of the same names."""
        return replace(self, params=with_named_arrays(self.params, arrays))

    @property
    def gym_spaces(self) -> tuple[Space, Space]:
        """What it observes, and what it chooses from."""
        return self.observations, self.actions

    @cached_property
    def spaces(self) -> Spaces:
        """What the agent knows of the environment."""
        return agent_spaces(self.observations, self.actions)

    @cached_property
    def _codec(self) -> DiscreteActions | BoundedActions:
        return actions_of(self.actions)

    def _as_input(self, observation: Element) -> Any:
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
            raise BadInput("observation", observation, f"allowed: a finite array of shape {shape}")
        return seen

    def _image(self, observation: Element) -> np.ndarray:
        seen = np.asarray(observation)
        if seen.shape != self.observations.shape or seen.dtype != np.uint8:
            found = f"{seen.dtype} of shape {seen.shape}"
            raise BadInput("observation", found, f"allowed: uint8 of {self.observations.shape}")
        return seen


class NetworkEpisode:
    """A policy during one episode, with its agent's memory."""

    def __init__(self, policy: NetworkPolicy) -> None:
        self.policy, self._memory = policy, policy.agent.memory()

    def begin(self) -> NetworkEpisode:
        """The policy at the beginning of another episode."""
        return NetworkEpisode(self.policy)

    def decide(self, observation: Element) -> Decision:
        """The greedy decision."""
        decision, self._memory = self.policy._decided(observation, self._memory)
        return decision

    def interrupts(self, observation: Element, commitment: Commitment) -> bool:
        """Whether the agent interrupts a commitment."""
        policy = self.policy
        if not policy.agent.interruptible:
            return False
        action = policy._codec.from_environment(commitment.decision.action)
        known = commitment._replace(decision=Decision(action, commitment.decision.skip))
        seen = policy._as_input(observation)
        return bool(policy.agent.interrupt(policy.params, seen, known, self._memory))


def agent_spaces(observations: Space, actions: Space) -> Spaces:
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
    observations: Space, actions: Space, environment: str, *, continuous: bool
) -> None:
    """Raise unless networks can learn from such observations and actions."""
    (_check_bounded if continuous else _check_discrete)(actions, environment)
    if isinstance(observations, gym.spaces.Discrete):
        return
    if isinstance(observations, gym.spaces.Box) and len(observations.shape) == 1:
        return
    if isinstance(observations, gym.spaces.Box) and len(observations.shape) > 1:
        _check_images(observations, environment, continuous=continuous)
        return
    raise BadInput(
        "observation space",
        observations,
        f"{environment!r}: this agent takes flat arrays, images or discrete observations;"
        " Gymnasium's FlattenObservation makes a flat array of dictionaries and tuples",
    )


def _check_images(observations: gym.spaces.Box, environment: str, *, continuous: bool) -> None:
    shape, kind = observations.shape, observations.dtype
    if continuous:
        reason = "this agent does not take images; flatten them with Gymnasium's FlattenObservation"
    elif kind != np.uint8:
        reason = (
            "images must be of dtype uint8, from 0 to 255; Gymnasium's TransformObservation"
            " converts them, and FlattenObservation makes a flat array of them"
        )
    elif len(shape) != 3:
        reason = "an image has rows, columns and perhaps channels"
    elif min(shape[:2]) < SMALLEST_BOARD:
        reason = f"images need at least {SMALLEST_BOARD} rows and columns; use larger ones"
    else:
        return
    # Not the space itself: it would print all of its bounds.
    raise BadInput("observation space", f"{kind} of shape {shape}", f"{environment!r}: {reason}")


def _check_discrete(actions: Space, environment: str) -> None:
    if not isinstance(actions, gym.spaces.Discrete):
        raise BadInput(
            "action space",
            actions,
            f"{environment!r} has no discrete actions, and this agent chooses among discrete ones;"
            " wrap the environment, or use an agent for continuous actions such as t-ddpg",
        )


def _check_bounded(actions: Space, environment: str) -> None:
    if not isinstance(actions, gym.spaces.Box) or np.dtype(actions.dtype).kind != "f":
        raise BadInput(
            "action space",
            actions,
            f"{environment!r} has no continuous actions, and this agent needs them; use an agent"
            " for discrete actions such as t-dqn",
        )
    if not (np.isfinite(actions.low).all() and np.isfinite(actions.high).all()):
        raise BadInput(
            "action space",
            actions,
            f"{environment!r} has actions without bounds; Gymnasium's RescaleAction or ClipAction"
            " gives them some",
        )
