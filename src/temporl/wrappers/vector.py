"""The same for environments that are stepped together and cannot wait for each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, Tuple
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from temporl.environments.types import Space
from temporl.errors import BadInput, require_range
from temporl.skipping import FREE, Commitment, skip_set
from temporl.types import Element, Record


class VectorCommittedActions(VectorWrapper):
    """Plays decisions of several lengths in environments that are stepped together.

    A step lasts until at least one environment is free to decide again. Actions of those that are
    still committed are ignored. `info` holds, a row for each environment,

    * `free`: whether its commitment has ended and its row of this answer is a whole decision;
    * `steps_played` and `discount` of the decision so far, as in `CommittedActions`.

    Rewards are the discounted sums of the decisions so far, so that those of free rows are whole.
    Where a single environment can be wrapped before it joins the others, `CommittedActions` is
    simpler: then every step is a whole decision in every environment.
    """

    def __init__(
        self, env: VectorEnv[Any, Any, Any], skips: Sequence[int], gamma: float = 0.99
    ) -> None:
        """Wrap a vector environment.

        Args:
            env: Any vector environment that resets an environment in the step after its end
                (Gymnasium's default), or in the same step.
            skips: Increasing lengths that start with 1.
            gamma: The discount of one step.
        """
        super().__init__(env)
        require_range("gamma", gamma, 0.0, 1.0)
        mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        if mode == AutoresetMode.DISABLED:
            raise BadInput("env", env, "it must reset its environments by itself")
        self._resets_later = mode == AutoresetMode.NEXT_STEP
        self.skips, self.gamma = skip_set(tuple(skips)), gamma
        lengths: Space = Discrete(len(self.skips), start=1)
        single: Space = Tuple((env.single_action_space, lengths))
        self.single_action_space = single
        self.action_space = batch_space(single, self.num_envs)
        self._playing: list[Element] = [None] * self.num_envs
        self._commitments = self._all_free()
        self._resetting = np.zeros(self.num_envs, dtype=np.bool_)
        self._rewards, self._discounts = np.zeros(self.num_envs), np.ones(self.num_envs)
        self._played = np.zeros(self.num_envs, dtype=np.int64)

    def reset(
        self, *, seed: int | list[int] | None = None, options: Record | None = None
    ) -> tuple[Element, Record]:
        """Begin episodes everywhere; all are free."""
        self._commitments, self._resetting[:] = self._all_free(), False
        observations, info = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        return observations, info | {"free": np.ones(self.num_envs, dtype=np.bool_)}

    def step(self, actions: Element) -> tuple[Element, Any, Any, Any, Record]:
        """Begin decisions where environments are free, and play until one is free again."""
        free = self._commitments.spent
        self._rewards[free], self._discounts[free], self._played[free] = 0.0, 1.0, 0
        chosen, numbers = actions
        for row, action in enumerate(iterate(self.env.action_space, chosen)):
            if free[row]:
                self._playing[row] = action
        lengths = np.asarray(self.skips)[np.asarray(numbers, dtype=np.int64) - 1]
        remaining = np.where(free, lengths, self._commitments.remaining)
        self._commitments = self._commitments._replace(remaining=remaining)
        while True:
            answer = self._step_once()
            if self._commitments.spent.any():
                return answer

    def _all_free(self) -> Commitment:
        """The commitments of all environments together, none of them under way."""
        return FREE._replace(remaining=np.zeros(self.num_envs, dtype=np.int64))

    def _step_once(self) -> tuple[Element, Any, Any, Any, Record]:
        room = create_empty_array(self.env.single_action_space, self.num_envs)
        together = concatenate(self.env.single_action_space, self._playing, room)
        observations, rewards, terminated, truncated, info = self.env.step(together)
        over = np.logical_or(terminated, truncated)
        counts = ~self._resetting
        self._rewards += np.where(counts, self._discounts * rewards, 0.0)
        self._discounts = np.where(counts, self._discounts * self.gamma, self._discounts)
        self._played += counts
        # The step in which an environment is reset plays nothing: the agent decides after it.
        ended = over | self._resetting
        self._commitments = self._commitments.after_step(ended)
        if self._resets_later:
            self._resetting = over
        more = {
            "free": self._commitments.spent,
            "steps_played": self._played.copy(),
            "discount": np.where(terminated, 0.0, self._discounts),
        }
        return observations, self._rewards.copy(), terminated, truncated, info | more
