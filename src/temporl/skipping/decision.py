"""A decision is an action and a duration; a commitment plays it until it is spent."""

from __future__ import annotations

from typing import NamedTuple

from temporl.types import Element, Number


class Decision(NamedTuple):
    """What every agent returns: an action, and for how many steps to play it.

    An agent that decides at every step returns `skip = 1`.
    """

    action: Element
    skip: Number


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
    remaining: Number
    note: Element = ()
    """What the agent attached to the decision; it comes back with the decision's samples."""

    @property
    def spent(self) -> Number:
        """Whether the agent is free to decide again."""
        return self.remaining == 0

    def after_step(self, episode_over: Number) -> Commitment:
        """Count one step down, or end the commitment with the episode."""
        return self._replace(remaining=(self.remaining - 1) * (1 - episode_over))

    def unless(self, interrupted: Number) -> Commitment:
        """The same commitment, or a spent one where the agent interrupts it."""
        return self._replace(remaining=self.remaining * (1 - interrupted))


def commit(decision: Decision) -> Commitment:
    """Begin to play a decision."""
    return Commitment(decision, decision.skip)


FREE = Commitment(Decision(action=0, skip=0), remaining=0)
"""The commitment of an agent that has not decided anything yet."""
