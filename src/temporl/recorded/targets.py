"""The target of every skip at every step of a recorded episode.

Playing the recorded action for j steps has the value R + gamma^j V(s_j). Targets are relative to
V(s): below zero a skip costs something, at zero it is as good as deciding at every step. Where the
recording continued with the same action, the value is read from it. Where it did not:

* a terminal state ends every longer skip, with the same return (as everywhere in this library);
* where the behaviour changed the action after m steps, its own values estimate what one more step
  of the old action would have cost, and every further step is taken to cost as much again;
* where a time limit or the end of the recording came first, nothing is known about longer skips.

What was played is judged by its outcome (above), or by advantages alone: Q(s_k, a) - V(s_k) in
every state on the way, discounted. Where values are right both are the same, since the sum
telescopes. Where they are wrong, outcomes hold the errors of V at both ends, and advantages only
what the behaviour makes of its own choices: nothing, as long as it would have chosen the same.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from temporl.recorded.behaviour import FrozenBehaviour
from temporl.recorded.episodes import Episode
from temporl.skipping import Skips

Kind = Literal["outcomes", "advantages"]
Targets = Float[np.ndarray, "step skip"]
Known = Bool[np.ndarray, "step skip"]


def skip_targets(
    episode: Episode,
    behaviour: FrozenBehaviour,
    skips: Skips,
    gamma: float,
    kind: Kind = "outcomes",
) -> tuple[Targets, Known]:
    """The value of every skip relative to that of the state, and whether it is known."""
    seen, steps = episode.observations, len(episode)
    values = behaviour.value(seen, behaviour.act(seen))
    if episode.terminated:
        values[-1] = 0.0
    run = run_lengths(episode, skips[-1])
    judged = episode.rewards + gamma * values[1:] - values[:-1]
    if kind == "advantages":
        judged = np.minimum(behaviour.value(seen[:-1], episode.actions) - values[:-1], 0.0)
    gained = discounted_rewards(judged, skips[-1], gamma)
    start = np.arange(steps)
    targets, known = np.zeros((steps, len(skips))), np.ones((steps, len(skips)), dtype=np.bool_)
    end = start + run
    at_end = end == steps
    loss = np.zeros(steps)
    inside = start[~at_end]
    if len(inside):
        there = seen[end[inside]]
        after = values[end[inside]]
        loss[inside] = np.maximum(after - behaviour.value(there, episode.actions[inside]), 0.0)
    for column, skip in enumerate(skips):
        length = np.minimum(run, skip)
        beyond = skip - length
        targets[:, column] = gained[start, length] - gamma**length * beyond * loss
        known[:, column] = (beyond == 0) | ~at_end | episode.terminated
    return targets, known


def run_lengths(episode: Episode, longest: int) -> Int[np.ndarray, " step"]:
    """For how many steps, from each on, the action stayed the same; no more than the longest skip.

    Examples:
        >>> walk = Episode(np.zeros((5, 1)), np.array([0, 1, 1, 1]), np.zeros(4), terminated=False)
        >>> run_lengths(walk, 2).tolist()
        [1, 2, 2, 1]
    """
    continues, run = episode.continues(), np.ones(len(episode), dtype=np.int64)
    for step in range(len(episode) - 2, -1, -1):
        if continues[step]:
            run[step] = run[step + 1] + 1
    return np.minimum(run, longest)


def discounted_rewards(
    rewards: Float[np.ndarray, " step"], longest: int, gamma: float
) -> Float[np.ndarray, "step length"]:
    """The discounted reward of the next 0, 1, 2, ... steps from every step on.

    Examples:
        >>> discounted_rewards(np.array([1.0, 1.0]), 2, gamma=0.5).tolist()
        [[0.0, 1.0, 1.5], [0.0, 1.0, 1.0]]
    """
    padded = np.concatenate([rewards, np.zeros(longest)])
    ahead = np.lib.stride_tricks.sliding_window_view(padded, longest)[: len(rewards)]
    sums = np.cumsum(ahead * gamma ** np.arange(longest), axis=1)
    return np.concatenate([np.zeros((len(rewards), 1)), sums], axis=1)
