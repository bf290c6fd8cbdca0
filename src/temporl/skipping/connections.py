"""The connections that a run of equal actions reveals.

A connection records that playing `action` for `skip` steps from `observation` collected `reward`
and ended in `next_observation`. Playing one action for j steps reveals j (j + 1) / 2 of them, and
learning uses them all.

What a connection needs is that the action stayed the same, not that a single decision made it so.
Two rules govern the end of an episode:

* A terminal state ends every skip that would have gone on, so it teaches all of them. Where chance
  decides about the end, that is unfair to long skips: an early end teaches them all, and a survivor
  only those that were played. Teaching only the skips that the agent was committed to is fair
  (`padding="committed"`, with connections within single skips), and slower.
* A time limit ends the episode and the commitment but is not an outcome of the action: connections
  up to it bootstrap as usual, and longer skips learn nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Int

from temporl.compilation import compiled
from temporl.skipping.skips import Skips, first_at_least
from temporl.skipping.targets import extend
from temporl.types import Element, Number

Spanning = Literal["none", "run", "skip", "decision"]
"""Which connections are kept: none, those of runs of equal actions, those within single decisions
(the paper's), or whole decisions only."""


class Step(NamedTuple):
    """One step of an environment, with the commitment it was played under.

    `decided`: the agent decided anew at its start, for `skip` steps; `remaining`: for how many more
    steps it was committed at its end, whether or not the episode went on. In compiled programs the
    fields are traced arrays.
    """

    observation: Element
    action: Element
    reward: Number
    next_observation: Element
    terminated: Number
    truncated: Number
    decided: Number = True
    remaining: Number = 0
    skip: Number = 1
    note: Element = ()


class Connection(NamedTuple):
    """What playing `action` for `skip` steps led to; a transition is a connection of length one.

    A single one, or a batch of them as arrays.
    """

    observation: Element
    action: Element
    skip: Number
    reward: Number
    discount: Number
    next_observation: Element
    note: Element = ()
    """What the agent attached to the decision under which it was played."""


@compiled
def skips_taught(
    first_at_least: Int[np.ndarray, " distance"], distance: int, terminated: bool, padding: int
) -> tuple[int, int]:
    """The skips, as a range of indices, that an end `distance` steps after a start teaches.

    The skip of exactly that length, if it is in the set; at a terminal state also those that are up
    to `padding` longer, because they would have been cut short there with the same return.
    """
    longest = len(first_at_least) - 2
    horizon = min(distance + padding, longest) if terminated else distance
    return first_at_least[np.uint64(distance)], first_at_least[np.uint64(horizon + 1)]


@compiled
def run_length(run: int, continues: bool, longest: int) -> int:
    """How many steps back a connection may start after one more step of the same action."""
    return min(run + 1, longest) if continues else 1


def connections(
    steps: Sequence[Step],
    skips: Skips,
    gamma: float,
    spanning: Literal["run", "skip"] = "run",
    padding: Literal["all", "committed"] = "all",
) -> Iterator[Connection]:
    """All connections that a sequence of steps reveals, in the order in which they end.

    With `spanning="run"` a connection may cross decisions as long as the action stays the same;
    with `"skip"`, as in the paper, it lies within a single decision. With `padding="all"` a
    terminal state teaches all longer skips, with `"committed"` only those that were promised.

    Examples:
        >>> from temporl.skipping import consecutive
        >>> right = [Step(s, "right", 0.0, s + 1, False, False) for s in range(3)]
        >>> revealed = connections(right, consecutive(3), gamma=1.0)
        >>> [(c.observation, c.skip, c.next_observation) for c in revealed]
        [(0, 1, 1), (1, 1, 2), (0, 2, 2), (2, 1, 3), (1, 2, 3), (0, 3, 3)]
    """
    first, run = first_at_least(skips), 0
    for time, step in enumerate(steps):
        continues = run > 0 and (
            bool(np.all(step.action == steps[time - 1].action))
            if spanning == "run"
            else not step.decided
        )
        run = run_length(run, continues, skips[-1])
        reward, discount = 0.0, 0.0 if step.terminated else 1.0
        longer = skips[-1] if padding == "all" else step.remaining
        for distance in range(1, run + 1):
            start = steps[time + 1 - distance]
            reward, discount = extend(start.reward, gamma, reward, discount)
            for index in range(*skips_taught(first, distance, step.terminated, longer)):
                yield Connection(
                    start.observation,
                    start.action,
                    skips[index],
                    reward,
                    discount,
                    step.next_observation,
                )
        if step.terminated or step.truncated:
            run = 0
