"""Teaching agents exactly the steps that a test wants, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.spaces import Discrete
from tests.agents.small import layout_of
from tests.replay.quick import quick

from temporl.agents.agent import Spaces
from temporl.agents.policy import NetworkPolicy
from temporl.replay import RingLayout
from temporl.skipping import Step

STATES, ACTIONS, STEPS, ROOM = 8, 2, 256, 2048
"""The ring has room for all steps and for all connections, so that none is left out."""


def playing(world: Any, state: int, action: int, length: int, cut_after: int | None = None):
    """One decision, played from a state to its end, to a terminal state or to a time limit.

    The episode is cut where nothing else ends it. `world.P` holds certain outcomes.
    """
    rows = []
    for time in range(1, length + 1):
        ((_, following, reward, terminated),) = world.P[state][action]
        over = terminated or time in (length, cut_after)
        truncated = over and not terminated
        rows.append(
            (
                state,
                action,
                reward,
                following,
                terminated,
                truncated,
                time == 1,
                length - time,
                length,
            )
        )
        if over:
            break
        state = following
    return rows


def repeated(rows: Iterable[tuple], steps: int = STEPS) -> Step:
    """Steps over and over until there are enough; the last episode is cut where it is then."""
    rows = list(rows)
    rows = (rows * (steps // len(rows) + 1))[:steps]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    kinds = (*[np.int32] * 2, np.float32, np.int32, *[np.bool_] * 3, *[np.int32] * 2)
    played = Step(*(c.astype(kind) for c, kind in zip(columns, kinds, strict=True)))
    played.truncated[-1] = not played.terminated[-1]
    return played


@partial(quick, static_argnums=(0, 1))
def learn(agent: Any, layout: RingLayout, networks: Any, played: Step, updates: int):
    """Keep all steps in a ring, and learn from it a number of times."""

    def keep(ring, step):
        return layout.add(ring, step), None

    ring, _ = jax.lax.scan(keep, layout.empty(jnp.int32(0)), played)

    def update(number, state):
        return agent.update(
            state, layout.sample(ring, jax.random.key(number)), jax.random.key(number)
        )[0]

    state = jax.lax.fori_loop(0, updates, update, agent.init(networks))
    return agent.params(state)


def taught(
    agent: Any,
    rows: Iterable[tuple],
    updates: int = 2000,
    steps: int = STEPS,
    actions: int = ACTIONS,
) -> NetworkPolicy:
    """The policy of an agent that has learned from these steps."""
    spaces = Spaces((), STATES, actions)
    networks = agent.draw(np.random.default_rng(0), spaces)
    layout = layout_of(agent, ROOM, spaces)
    learned = learn(agent, layout, networks, repeated(rows, steps), updates)
    arrays = jax.tree.map(np.asarray, learned)
    return NetworkPolicy(agent, arrays, Discrete(STATES), Discrete(actions))
