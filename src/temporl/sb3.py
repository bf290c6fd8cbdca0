"""Stable-Baselines3 (extra `sb3`): its models learn when to act, our policies play in its loops.

A trained model stays as it is: `FrozenModel` hands its actions and values to
`temporl.recorded.learn_skips`, together with the episodes of its own replay buffer or fresh ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from jaxtyping import Float

from temporl.environments.types import Space
from temporl.errors import BadInput
from temporl.recorded import Episode
from temporl.skipping import FREE, Commitment, Policy, ask
from temporl.types import Element


@dataclass(frozen=True)
class FrozenModel:
    """A trained DQN, DDPG, TD3 or SAC of Stable-Baselines3 as a frozen behaviour."""

    model: Any

    def __post_init__(self) -> None:
        if not any(hasattr(self.model, part) for part in ("q_net", "critic")):
            raise BadInput("model", self.model, "allowed: a DQN, DDPG, TD3 or SAC")
        if not isinstance(self.model.observation_space, gym.spaces.Box):
            space = self.model.observation_space
            raise BadInput("observation space", space, "allowed: observations that are arrays")

    @property
    def actions(self) -> Space:
        """What it chooses from."""
        space: Space = self.model.action_space
        return space

    @property
    def gamma(self) -> float:
        """The discount its values were learned with."""
        return float(self.model.gamma)

    def act(self, observations: Element) -> Element:
        """The action it plays when it does not explore."""
        seen = np.asarray(observations, dtype=self.model.observation_space.dtype)
        return self.model.predict(seen, deterministic=True)[0]

    def value(self, observations: Element, actions: Element) -> Float[np.ndarray, " row"]:
        """The value of an action in every row: the minimum over its critics."""
        import torch

        seen = np.asarray(observations, dtype=self.model.observation_space.dtype)
        policy = self.model.policy
        with torch.no_grad():
            tensor, _ = policy.obs_to_tensor(seen)
            if hasattr(self.model, "q_net"):
                index = torch.as_tensor(np.asarray(actions, dtype=np.int64), device=tensor.device)
                values = self.model.q_net(tensor).gather(1, index[:, None])
            else:
                scaled = policy.scale_action(np.asarray(actions, dtype=np.float32))
                played = torch.as_tensor(scaled, dtype=torch.float32, device=tensor.device)
                values = torch.cat(self.model.critic(tensor, played), dim=1)
            least: Float[np.ndarray, " row"] = values.min(dim=1).values.double().cpu().numpy()
        return least


def replayed_episodes(model: Any) -> Iterator[Episode]:
    """The episodes in a model's replay buffer, in the order in which they were played."""
    buffer = model.replay_buffer
    if buffer is None or buffer.size() == 0:
        raise BadInput("model", model, "its replay buffer is empty; use fresh episodes instead")
    if buffer.optimize_memory_usage:
        raise BadInput("model", model, "its buffer keeps no next observations; use fresh episodes")
    first = buffer.pos if buffer.full else 0
    order = (first + np.arange(buffer.size())) % buffer.buffer_size
    for column in range(buffer.n_envs):
        over = buffer.dones[order, column] > 0
        over[-1] = True
        for rows in np.split(order, np.flatnonzero(over)[:-1] + 1):
            yield _episode(model, rows, column)


def _episode(model: Any, rows: np.ndarray, column: int) -> Episode:
    buffer, last = model.replay_buffer, rows[-1]
    seen = buffer.observations[rows, column]
    following = buffer.next_observations[last, column]
    actions = buffer.actions[rows, column]
    if isinstance(model.action_space, gym.spaces.Discrete):
        actions = actions.reshape(-1)
    else:
        actions = model.policy.unscale_action(actions)
    ended = bool(buffer.dones[last, column]) and not bool(buffer.timeouts[last, column])
    return Episode(
        np.concatenate([seen, following[None]]).astype(np.float64),
        actions,
        buffer.rewards[rows, column].astype(np.float64),
        ended,
    )


class CommittedModel:
    """A policy that decides when to decide, for `evaluate_policy` and other loops of that library.

    Commitments travel in the `state`, where recurrent models keep theirs.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.decisions = 0
        """How many decisions were made so far, in all environments together."""

    def predict(
        self,
        observation: Element,
        state: tuple[Commitment, ...] | None = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[np.ndarray, tuple[Commitment, ...]]:
        """The actions to play now, and the commitments that are left."""
        if not deterministic:
            raise BadInput("deterministic", False, "a trained policy does not explore")
        rows = np.asarray(observation)
        begins = np.zeros(len(rows)) if episode_start is None else np.asarray(episode_start)
        actions, left = [], []
        for row, commitment in enumerate(state or (FREE,) * len(rows)):
            commitment, decided = ask(self.policy, rows[row], commitment.unless(bool(begins[row])))
            self.decisions += decided
            actions.append(commitment.decision.action)
            left.append(commitment.after_step(False))
        return np.asarray(actions), tuple(left)
