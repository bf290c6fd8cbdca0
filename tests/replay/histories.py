"""Random histories, and everything that a ring could give out at each moment of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from tests.replay.quick import quick

from temporl.replay import Experience, RingLayout
from temporl.skipping import Connection, Step, connections

GAMMA = 0.9


def ring_layout(
    capacity, batch_size, gamma, skips, spanning, transitions=True, connections=None, **options
) -> RingLayout:
    """A ring for these samples; default: as many connections as steps."""
    kept = capacity if connections is None else connections
    return RingLayout(
        capacity,
        Experience(batch_size, gamma, kept, transitions, spanning, skips),
        **options,
    )


class Played(NamedTuple):
    """One step of a history."""

    episode: int
    step: Step
    skip: int


def played(steps, seed, actions=2, longest=5, end=0.1, cut=0.1, lengths=None) -> list[Played]:
    """A random walk through episodes: observations are numbered, so that each is known by itself.

    `cut` is the chance of a time limit at every step, or the limit itself if it is more than 1.
    `lengths` gives the skips to choose from at a moment, where that changes.
    """
    random = np.random.default_rng(seed)
    history, episode, observation, remaining, action, skip, time = [], 0, 0, 0, 0, 0, 0
    for moment in range(steps):
        decided = remaining == 0
        if decided:
            choices = range(1, longest + 1) if lengths is None else lengths(moment)
            action, skip = int(random.integers(actions)), int(random.choice(choices))
            remaining = skip
        remaining -= 1
        time += 1
        terminated = bool(random.random() < end)
        is_cut = time == cut if cut > 1 else random.random() < cut
        truncated = bool(is_cut and not terminated)
        reward = float(random.integers(-3, 4))
        following = observation + 1
        step = Step(
            observation, action, reward, following, terminated, truncated, decided, remaining
        )
        history.append(Played(episode, step, skip))
        observation += 1
        if terminated or truncated:
            episode, remaining, observation, time = episode + 1, 0, observation + 1, 0
    return history


def stacked(history: list[Played]) -> Step:
    """A history as arrays, with a row for each step."""
    steps, skips = [one.step for one in history], [one.skip for one in history]

    def column(field, dtype):
        return np.array([getattr(step, field) for step in steps], dtype)

    return Step(
        observation=column("observation", np.float32),
        action=column("action", np.int32),
        reward=column("reward", np.float32),
        next_observation=column("next_observation", np.float32),
        terminated=column("terminated", bool),
        truncated=column("truncated", bool),
        decided=column("decided", bool),
        skip=np.array(skips, np.int32),
        remaining=column("remaining", np.int32),
    )


def columns_of(connections: Connection) -> tuple:
    """All that connections are, but for the note of agents that attach one."""
    return connections[:-1]


def everything(layout, ring):
    """How many connections can be sampled, what the draws 0, 1, ... give, and the same of steps."""
    whole = replace(layout, experience=replace(layout.experience, batch_size=layout.capacity))
    steps = jnp.arange(layout.capacity, dtype=jnp.uint32)
    connections = jnp.arange(layout.sampled_connections, dtype=jnp.uint32)
    oldest = jnp.maximum(ring.oldest, ring.connections - layout.sampled_connections)
    return (
        ring.connections - oldest,
        columns_of(whole._connections(ring, connections)) if layout.block else None,
        columns_of(whole._transitions(ring, steps)) if layout.experience.transitions else None,
    )


def add(layout, ring, step, watched):
    ring = layout.add(ring, step)
    return ring, everything(layout, ring) if watched else None


@partial(quick, static_argnums=0)
def watched(layout: RingLayout, history: Step):
    """Everything that could be sampled after each step."""
    step = partial(add, layout, watched=True)
    return jax.lax.scan(step, layout.empty(jnp.zeros(())), history)[1]


@partial(quick, static_argnums=0)
def filled(layout: RingLayout, history: Step):
    """The ring after the last step."""
    step = partial(add, layout, watched=False)
    return jax.lax.scan(step, layout.empty(jnp.zeros(())), history)[0]


def table(columns) -> np.ndarray:
    """Connections as rows, in the order of their start and skip, of which each pair is there once.

    What a terminal state looks like is nobody's business, so it is left out.
    """
    rows = np.stack([np.asarray(column, np.float64) for column in columns], axis=-1)
    rows[:, 5] = np.where(rows[:, 4] == 0.0, -1.0, rows[:, 5])
    return rows[np.lexsort((rows[:, 2], rows[:, 0]))]


def all_connections(history, skips, spanning) -> tuple[np.ndarray, np.ndarray]:
    """Every connection of every episode in the order in which they end, and when each does."""
    found: list[Connection] = []
    for episode in sorted({one.episode for one in history}):
        steps = [one.step for one in history if one.episode == episode]
        found += connections(steps, skips, GAMMA, spanning=spanning)
    moments = {one.step.next_observation: time for time, one in enumerate(history)}
    return (
        np.array([columns_of(c) for c in found], np.float64).reshape(-1, 6),
        np.array([moments[c.next_observation] for c in found]),
    )


def all_decisions(history) -> tuple[np.ndarray, np.ndarray]:
    """Whole decisions, those played to their end or to a terminal state, and when each ends."""
    found, moments, reward, discount, first = [], [], 0.0, 1.0, None
    for time, (_, step, skip) in enumerate(history):
        if step.decided:
            reward, discount, first = 0.0, 1.0, step.observation
        reward, discount = reward + discount * step.reward, discount * GAMMA
        if step.remaining == 0 or step.terminated:
            discount = 0.0 if step.terminated else discount
            found.append((first, step.action, skip, reward, discount, step.next_observation))
            moments.append(time)
    return np.array(found, np.float64), np.array(moments)


def all_transitions(history) -> np.ndarray:
    """Every step as a connection of length one."""
    return np.array(
        [
            (s.observation, s.action, 1, s.reward, (not s.terminated) * GAMMA, s.next_observation)
            for _, s, _ in history
        ],
        np.float64,
    )
