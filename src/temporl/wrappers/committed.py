"""An environment whose action is a decision: what to do, and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, SupportsFloat

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Discrete, Tuple
from gymnasium.utils import RecordConstructorArgs

from temporl.environments.types import Answer, Environment, Wrapper
from temporl.errors import require_range
from temporl.skipping import Decision, Step, play, skip_set
from temporl.types import Element, Record


class CommittedActions(Wrapper, RecordConstructorArgs):
    """Plays an action for a number of steps, or until the episode ends.

    An action is a pair: an action of the environment, and the rank of a skip in the set, from 1 for
    the shortest. With skips 1, 2, ..., J the rank is the length itself.

    The reward is the discounted sum over the steps played, less the price of the decision. `info`
    holds

    * `steps_played`: how many they were;
    * `discount`: `gamma**steps_played`, or 0 where the episode terminated: by how much the value of
      the next observation counts;
    * `intermediate`: the steps, each a `temporl.Step`, for agents that learn from connections.

    Examples:
        >>> import gymnasium as gym
        >>> env = CommittedActions(gym.make("temporl/Cliff-v0"), skips=(1, 2, 4), gamma=0.9)
        >>> _ = env.reset(seed=0)
        >>> observation, reward, terminated, truncated, info = env.step((2, 3))  # down, four times
        >>> observation, info["steps_played"], round(info["discount"], 4)
        (40, 4, 0.6561)
    """

    def __init__(
        self,
        env: Environment,
        skips: Sequence[int],
        gamma: float = 0.99,
        decision_cost: float = 0.0,
    ) -> None:
        """Wrap an environment.

        Args:
            env: Any environment.
            skips: Increasing lengths that start with 1.
            gamma: The discount of one step.
            decision_cost: What a decision costs, subtracted from the reward of each.
        """
        RecordConstructorArgs.__init__(
            self, skips=tuple(skips), gamma=gamma, decision_cost=decision_cost
        )
        gym.Wrapper.__init__(self, env)
        require_range("gamma", gamma, 0.0, 1.0)
        require_range("decision_cost", decision_cost, 0.0, np.inf)
        self.skips, self.gamma, self.decision_cost = skip_set(tuple(skips)), gamma, decision_cost
        self.action_space = Tuple((env.action_space, Discrete(len(self.skips), start=1)))
        self._observation: Element = None

    def reset(
        self, *, seed: int | None = None, options: Record | None = None
    ) -> tuple[Element, Record]:
        """Begin an episode."""
        self._observation, info = self.env.reset(seed=seed, options=options)
        return self._observation, info

    def step(self, action: Element) -> Answer:
        """Play a decision to its end."""
        played, number = action
        once = Once(Decision(played, self.skips[int(number) - 1]))
        world = Informed(self.env, {})
        steps: list[Step] = []
        total, discount = -self.decision_cost, 1.0
        for step in play(once, world, self._observation):
            steps.append(step)
            total += discount * step.reward
            discount *= self.gamma
            if step.remaining == 0:
                break
        last = steps[-1]
        self._observation = last.next_observation
        more = {
            "steps_played": len(steps),
            "discount": 0.0 if last.terminated else discount,
            "intermediate": tuple(steps),
        }
        return last.next_observation, total, last.terminated, last.truncated, world.info | more


class Once(NamedTuple):
    """A policy with a single decision, that of the caller."""

    decision: Decision

    def decide(self, observation: Element) -> Decision:  # noqa: ARG002
        """That decision."""
        return self.decision


@dataclass
class Informed:
    """An environment that keeps the latest `info`."""

    env: Environment
    info: Record

    def step(self, action: Element) -> tuple[Element, SupportsFloat, bool, bool, Record]:
        """Play one action."""
        *answer, self.info = self.env.step(action)
        return (*answer, self.info)
