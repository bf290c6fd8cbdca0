"""An environment whose action is a decision: what to do, and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
from gymnasium.spaces import Discrete, Tuple
from gymnasium.utils import RecordConstructorArgs

from temporl.errors import require_range
from temporl.skipping import Decision, Step, commit, skip_set


class CommittedActions(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Plays an action for a number of steps, or until the episode ends.

    An action is a pair: an action of the environment, and the number of a skip, counted from 1 for
    the shortest. With skips 1, 2, ..., J that number is the length itself.

    The reward is the discounted sum over the steps played. `info` holds

    * `steps_played`: how many they were;
    * `discount`: `gamma**steps_played`, or 0 where the episode terminated: by how much the value of
      the next observation counts;
    * `intermediate`: the steps, each a `temporl.Step`, for those who learn from connections.

    Examples:
        >>> import gymnasium as gym
        >>> env = CommittedActions(gym.make("temporl/Cliff-v0"), skips=(1, 2, 4), gamma=0.9)
        >>> _ = env.reset(seed=0)
        >>> observation, reward, terminated, truncated, info = env.step((2, 3))  # down, four times
        >>> observation, info["steps_played"], round(info["discount"], 4)
        (40, 4, 0.6561)
    """

    def __init__(self, env: gym.Env[Any, Any], skips: Sequence[int], gamma: float = 0.99) -> None:
        """Wrap an environment.

        Args:
            env: Any environment.
            skips: Increasing lengths that start with 1.
            gamma: The discount of one step.
        """
        RecordConstructorArgs.__init__(self, skips=tuple(skips), gamma=gamma)
        gym.Wrapper.__init__(self, env)
        require_range("gamma", gamma, 0.0, 1.0)
        self.skips, self.gamma = skip_set(tuple(skips)), gamma
        self.action_space = Tuple((env.action_space, Discrete(len(self.skips), start=1)))
        self._observation: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        self._observation, info = self.env.reset(seed=seed, options=options)
        return self._observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a decision to its end."""
        played, number = action
        commitment = commit(Decision(played, self.skips[int(number) - 1]))
        steps: list[Step] = []
        total, discount, over = 0.0, 1.0, False
        while not commitment.spent:
            following, reward, terminated, truncated, info = self.env.step(played)
            over = terminated or truncated
            commitment = commitment.after_step(over)
            steps.append(
                Step(
                    self._observation,
                    played,
                    float(reward),
                    following,
                    terminated,
                    truncated,
                    decided=not steps,
                    remaining=int(commitment.remaining),
                )
            )
            total += discount * float(reward)
            discount *= self.gamma
            self._observation = following
        last = steps[-1]
        more = {
            "steps_played": len(steps),
            "discount": 0.0 if last.terminated else discount,
            "intermediate": tuple(steps),
        }
        return last.next_observation, total, last.terminated, last.truncated, info | more
