"""The transition table of an environment, where it exposes one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit
from jaxtyping import Bool, Float, Int

from temporl.compilation import compiled
from temporl.environments.types import Environment, layers
from temporl.randomness import Stream, uniform

TRANSPARENT_WRAPPERS = (TimeLimit, OrderEnforcing, PassiveEnvChecker)


class TransitionTable(NamedTuple):
    """All that a tabular environment can do, as arrays that compiled loops read.

    Where outcomes are random, `cumulative` holds their running probabilities; the last one of
    every row is exactly 1, so that a uniform number below 1 always finds its outcome.
    """

    next_state: Int[np.ndarray, "state action outcome"]
    reward: Float[np.ndarray, "state action outcome"]
    terminated: Bool[np.ndarray, "state action outcome"]
    cumulative: Float[np.ndarray, "state action outcome"]
    starts: Int[np.ndarray, " start"]
    start_cumulative: Float[np.ndarray, " start"]


@compiled
def draw_start(table: TransitionTable, stream: Stream) -> int:
    """A state to begin an episode in; no random number is used where there is only one."""
    if len(table.starts) == 1:
        return int(table.starts[0])
    index = np.searchsorted(table.start_cumulative, uniform(stream), side="right")
    return int(table.starts[index])


@compiled
def step(
    table: TransitionTable, state: int, action: int, stream: Stream
) -> tuple[int, float, bool]:
    """One step: next state, reward, terminated. Deterministic worlds use no random number."""
    # Unsigned indices, because numba tests every signed one for counting from the end.
    row, column, outcome = np.uint64(state), np.uint64(action), np.uint64(0)
    if table.cumulative.shape[2] > 1:
        draw = uniform(stream)
        while draw >= table.cumulative[row, column, outcome]:
            outcome += np.uint64(1)
    return (
        table.next_state[row, column, outcome],
        table.reward[row, column, outcome],
        table.terminated[row, column, outcome],
    )


def transition_table(environment: Environment) -> TransitionTable | None:
    """Read the table from an environment that has one: ready, or in Gymnasium's toy-text form.

    Such an environment has `transitions`, or `P[state][action] = [(probability, next_state, reward,
    terminated)]` and `initial_state_distrib`. A wrapper that may change rewards or observations
    hides the table: then there is none.
    """
    *wrappers, layer = layers(environment)
    if any(type(wrapper) not in TRANSPARENT_WRAPPERS for wrapper in wrappers):
        return None
    ready = getattr(layer, "transitions", None)
    if isinstance(ready, TransitionTable):
        return ready
    outcomes = getattr(layer, "P", None)
    starts = getattr(layer, "initial_state_distrib", None)
    spaces = (layer.observation_space, layer.action_space)
    if outcomes is None or starts is None:
        return None
    if not all(isinstance(space, Discrete) and space.start == 0 for space in spaces):
        return None
    return _from_outcomes(outcomes, np.asarray(starts, dtype=np.float64))


def _from_outcomes(outcomes: Any, starts: Float[np.ndarray, " state"]) -> TransitionTable:
    states, actions = len(outcomes), len(outcomes[0])
    most = max(len(outcomes[s][a]) for s in range(states) for a in range(actions))
    shape = (states, actions, most)
    table = TransitionTable(
        next_state=np.zeros(shape, dtype=np.int64),
        reward=np.zeros(shape),
        terminated=np.zeros(shape, dtype=np.bool_),
        cumulative=np.ones(shape),
        starts=np.flatnonzero(starts),
        start_cumulative=np.cumsum(starts[starts > 0]),
    )
    table.start_cumulative[-1] = 1.0
    for state in range(states):
        for action in range(actions):
            row = outcomes[state][action]
            for index, (_, following, reward, terminated) in enumerate(row):
                table.next_state[state, action, index] = following
                table.reward[state, action, index] = reward
                table.terminated[state, action, index] = terminated
            if len(row) > 1:
                running = np.cumsum([probability for probability, *_ in row])
                table.cumulative[state, action, : len(row) - 1] = running[:-1]
    return table
