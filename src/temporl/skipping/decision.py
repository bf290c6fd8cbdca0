"""A decision is an action and a duration; a commitment plays it until it is spent."""

from __future__ import annotations

from typing import Any, NamedTuple


class Decision(NamedTuple):
    """What every agent answers: an action, and for how many steps to play it.

    An agent that reacts at every step says `skip = 1`.
    """

    action: Any
    skip: Any


class Commitment(NamedTuple):
    """A decision that is being played, and for how many more steps.

    Examples:
        >>> commitment = commit(Decision(action=2, skip=3))
        >>> commitment.remaining, commitment.spent
        (3, False)
        >>> commitment.after_step(episode_over=False).remaining
        2
        >>> commitment.after_step(episode_over=True).spent
        True
    """

    decision: Decision
    remaining: Any

    @property
    def spent(self) -> Any:
        """Whether the agent is free to decide again."""
        return self.remaining == 0

    def after_step(self, episode_over: Any) -> Commitment:
        """Count one step down, or break off where the episode ended.

        Plain arithmetic, so that numbers, arrays and traced values work alike.
        """
        return Commitment(self.decision, (self.remaining - 1) * (1 - episode_over))


def commit(decision: Decision) -> Commitment:
    """Promise to play a decision for its whole length."""
    return Commitment(decision, decision.skip)


FREE = Commitment(Decision(action=0, skip=0), remaining=0)
"""The commitment of an agent that has not decided anything yet."""
