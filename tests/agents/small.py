"""Every deep agent with small networks, and what their parts make of random observations."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from tests.replay.quick import quick

from temporl.agents import make_agent
from temporl.agents.agent import Spaces
from temporl.replay import RingLayout
from temporl.training.learner import Learner

SMALL: dict[str, tuple[str, dict[str, Any]]] = {
    "dqn": ("dqn", {}),
    "t-dqn-concat": ("t-dqn", {"architecture": "concat", "max_skip": 5}),
    "t-dqn-context": ("t-dqn", {"architecture": "context", "max_skip": 5}),
    "t-dqn-shared": ("t-dqn", {"architecture": "shared", "max_skip": 5}),
    "dar": ("dar", {"max_skip": 4}),
    "ez-dqn": ("ez-dqn", {}),
}
"""A name in AGENTS and options, for every agent and architecture with discrete actions."""
CONTINUOUS: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {"warm_up": 100} | ({"max_skip": 5} if name not in ("ddpg", "td3", "sac") else {}))
    for name in ("ddpg", "td3", "sac", "t-ddpg", "t-td3", "t-sac", "figar")
}
"""The same for agents with continuous actions."""


def small(name: str, **options: Any) -> Any:
    """One of the agents, by default with a hidden layer of 16 units."""
    known, own = (SMALL | CONTINUOUS)[name]
    return make_agent(known, **{"hidden": (16,), "batch_size": 16} | own | options)


PLANE = Spaces((2,), None, 3)
"""Two numbers are observed, and there are three actions."""


@cache
def drawn(agent: Any, spaces: Spaces = PLANE, seed: int = 0) -> Any:
    """The networks of an agent."""
    return agent.draw(np.random.default_rng(seed), spaces)


def layout_of(
    agent: Any, steps: int, spaces: Spaces = PLANE, spare: int | None = None
) -> RingLayout:
    """The ring that an agent learns from in a run with this many steps."""
    return Learner(agent, spaces, steps, spare).layout


@cache
def decider(agent: Any) -> Any:
    """Decisions in training at the same observation, one for each key, as a compiled function."""
    state = agent.init(drawn(agent))

    def decide(number: jax.Array, progress: jax.Array) -> jax.Array:
        key = jax.random.key(number)
        choice = agent.decide(state, jnp.array([0.3, -0.2]), (), key, progress)
        return jnp.stack(choice.decision)

    return quick(jax.vmap(decide, (0, None)))


@cache
def decisions(agent: Any, count: int = 6000, progress: float = 0.0) -> np.ndarray:
    """A number of them at a point of training, as rows of an action and a skip."""
    return np.asarray(decider(agent)(jnp.arange(count), jnp.float32(progress)))


def greedy(agent: Any) -> tuple[int, int]:
    """The greedy decision at that observation."""
    seen = np.array([0.3, -0.2], np.float32)
    action, skip = agent.greedy(drawn(agent), seen, ()).decision
    return int(action), int(skip)
