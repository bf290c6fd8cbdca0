"""The ring of steps, in the order in which they were played.

Every observation is kept once, in a slot; the next slot holds the observation that followed. Only
an episode that a time limit truncated takes one slot more, for its last observation: that is
bootstrapped from, whereas what a terminal state looks like never matters.

A connection is a pointer: the slot where it starts, its length in steps, the skip it teaches and
the discounted reward on the way. Those that end at a step are the first few rows of a fixed table,
so that adding them is one write of a whole block, of which the rest is overwritten later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from temporl.replay.contents import Batch, Ring
from temporl.replay.experience import Experience
from temporl.replay.frames import Frames, keep_frames, no_frames, stacked_frames
from temporl.replay.sampling import first_index_reaching, random_words, rows_of
from temporl.skipping import Connection, Spanning, Step


@dataclass(frozen=True)
class RingLayout:
    """How large a ring is, and which connections it keeps."""

    capacity: int
    """The number of the last steps that are sampled."""
    experience: Experience
    """What is sampled. More connections than steps need all steps to be kept, for as long as the
    ring is used."""
    stack: int = 1
    """The number of images of which an observation consists, each of which was the newest once."""
    action_size: int | None = None
    """The number of components of an action; None where actions are discrete."""
    spare: int | None = None
    """Slots for last observations of truncated episodes; default: as many as steps."""

    @property
    def spanning(self) -> Spanning:
        """Which connections are kept."""
        return self.experience.connections

    @property
    def longest(self) -> int:
        """The longest skip."""
        return self.experience.skips[-1]

    @cached_property
    def slots(self) -> int:
        """How many observations are kept."""
        spare = self.capacity if self.spare is None else self.spare
        return self.capacity + spare + self.longest + 1 + self.stack

    @cached_property
    def _tables(self) -> tuple[np.ndarray, np.ndarray]:
        """The (length, skip) of what a step ends, within an episode and at a terminal state."""
        skips = self.experience.skips
        terminal = [(d, j) for d in range(1, self.longest + 1) for j in skips if j >= d]
        inside = [(j, j) for j in skips]
        inside += [(1, 1)] * (len(terminal) - len(inside))
        return np.array(inside, np.int32), np.array(terminal, np.int32)

    @cached_property
    def _counts(self) -> tuple[np.ndarray, np.ndarray]:
        """How many rows of each table a run of 0, 1, 2, ... steps has."""
        runs = np.arange(self.longest + 1)
        inside = np.searchsorted(np.array(self.experience.skips), runs, side="right")
        terminal = np.searchsorted(self._tables[1][:, 0], runs, side="right")
        return inside.astype(np.int32), terminal.astype(np.int32)

    @cached_property
    def _powers(self) -> np.ndarray:
        """The discount of 0, 1, 2, ... steps."""
        return np.float32(self.experience.gamma) ** np.arange(self.longest + 1, dtype=np.float32)

    @property
    def block(self) -> int:
        """How many connections a single step can end."""
        if self.spanning == "none":
            return 0
        return 1 if self.spanning == "decision" else len(self._tables[1])

    @cached_property
    def sampled_connections(self) -> int:
        """How many connections are sampled: no more than the steps can end.

        A run of steps ends at most a connection for each skip at each step, and where it is
        terminal, as many again.
        """
        a_step = 1 if self.spanning == "decision" else 2 * len(self.experience.skips)
        return min(self.experience.buffer_size, a_step * self.capacity)

    @property
    def _around(self) -> int:
        """The size of the ring of connections: those that are sampled, and one block."""
        return self.sampled_connections + self.block

    def empty(self, observation: Array) -> Ring:
        """A ring without steps, for observations like the given one."""
        room = self._around + 2 * self.block if self.block else 0
        count = jnp.zeros((), jnp.int32)
        if self.stack > 1:
            kept: Array | Frames = no_frames(self.slots, observation, self.stack)
        else:
            kept = jnp.zeros((self.slots, *observation.shape), observation.dtype)
        return Ring(
            observation=kept,
            facts=jnp.zeros((self.slots, (self.action_size or 1) + 2)),
            step_slot=jnp.zeros(self.capacity if self.experience.transitions else 0, jnp.int32),
            pointer=jnp.zeros((room, 3), jnp.int32),
            outcome=jnp.zeros((room, 2)),
            slots=count,
            steps=count,
            connections=count,
            oldest=count,
            run=count,
            recent=jnp.zeros(self.longest),
            note=jnp.zeros((self.slots, self.experience.note)) if self.experience.note else (),
        )

    def add(self, ring: Ring, step: Step) -> Ring:
        """Add a step, and the connections that end with it."""
        slot = ring.slots
        here, following = slot % self.slots, (slot + 1) % self.slots
        action = jnp.ravel(step.action).astype(jnp.float32)
        facts = jnp.append(action, jnp.stack([step.reward, 1.0 - step.terminated]))
        # Written before anything is read: an array that is read first is copied to be changed.
        ring = ring._replace(
            observation=self._keep(ring.observation, here, following, step),
            facts=ring.facts.at[here].set(facts),
        )
        if isinstance(ring.note, Array):
            ring = ring._replace(note=ring.note.at[here].set(step.note))
        if self.experience.transitions:
            position = ring.steps % self.capacity
            ring = ring._replace(step_slot=ring.step_slot.at[position].set(slot))
        if self.block:
            ring = self._add_connections(ring, step)
        return ring._replace(slots=slot + 1 + step.truncated, steps=ring.steps + 1)

    def _keep(
        self, kept: Array | Frames, here: Array, following: Array, step: Step
    ) -> Array | Frames:
        if isinstance(kept, Frames):
            seen = (step.observation, step.next_observation)
            return keep_frames(kept, (here, following), seen, step.terminated | step.truncated)
        kept = kept.at[here].set(step.observation)
        return kept.at[following].set(step.next_observation)

    def _add_connections(self, ring: Ring, step: Step) -> Ring:
        if self.spanning == "run":
            before = ring.facts[(ring.slots - 1) % self.slots, :-2]
            continues = (ring.run > 0) & (before == step.action).all()
        else:
            continues = (ring.run > 0) & ~step.decided
        run = jnp.where(continues, jnp.minimum(ring.run + 1, self.longest), 1)
        # The discounted reward of the last d steps is that of the d - 1 before, and the new one.
        recent = jnp.asarray(self._powers[:-1]) * step.reward + jnp.append(
            jnp.zeros(1), ring.recent[:-1]
        )
        if self.spanning == "decision":
            lengths = jnp.stack([run, step.skip])[None]
            count = jnp.where(step.terminated | (step.remaining == 0), 1, 0)
        else:
            (inside, terminal), (inside_count, terminal_count) = self._tables, self._counts
            lengths = jnp.where(step.terminated, jnp.asarray(terminal), jnp.asarray(inside))
            count = jnp.where(
                step.terminated, jnp.asarray(terminal_count)[run], jnp.asarray(inside_count)[run]
            )
        length = lengths[:, 0]
        start = ring.slots + 1 - length
        discount = jnp.asarray(self._powers)[length] * (1.0 - step.terminated)
        pointer = jnp.concatenate([start[:, None], lengths], axis=1)
        outcome = jnp.stack([recent[length - 1], discount], axis=1)
        ring = self._write(ring, pointer, outcome)
        over = step.terminated | step.truncated
        return ring._replace(
            connections=ring.connections + count,
            oldest=self._oldest(ring, step) if self.spanning == "decision" else ring.oldest,
            run=jnp.where(over, 0, run),
            recent=recent,
        )

    def _write(self, ring: Ring, pointer: Array, outcome: Array) -> Ring:
        """Write a block after the last connection.

        There is a block's room at either end of the ring, so that a block that crosses the end can
        be written whole at both.
        """
        position = ring.connections % self._around
        crosses = position > self._around - self.block
        again = jnp.where(crosses, position - self._around, -self.block)
        for row in (self.block + position, self.block + again):
            at = (row, jnp.int32(0))
            ring = ring._replace(
                pointer=jax.lax.dynamic_update_slice(ring.pointer, pointer, at),
                outcome=jax.lax.dynamic_update_slice(ring.outcome, outcome, at),
            )
        return ring

    def _oldest(self, ring: Ring, step: Step) -> Array:
        """The oldest decision whose slots are still there once a step is added.

        A decision takes several slots, so they may be gone before the ring of connections is full.
        A step takes at most two slots, and so at most two decisions go with it.
        """
        first_slot = ring.slots + 2 + step.truncated - self.slots
        oldest = self._first_sampled(ring)
        for _ in range(2):
            start = ring.pointer[self.block + oldest % self._around, 0]
            oldest += (start < first_slot) & (oldest < ring.connections)
        return oldest

    def holds_enough(self, ring: Ring) -> Array:
        """Whether the warm-up is over; without one, whether there is a whole batch to sample."""
        count = ring.steps if self.experience.transitions else ring.connections
        if self.experience.warm_up:
            return (ring.steps >= self.experience.warm_up) & (count > 0)
        return count >= self.experience.batch_size

    def ready(self, ring: Ring) -> Array:
        """Whether there is enough to learn from, and an update is due."""
        enough = self.holds_enough(ring)
        return (
            enough
            if self.experience.train_every == 1
            else enough & (ring.steps % self.experience.train_every == 0)
        )

    def sample(self, ring: Ring, key: Array) -> Batch:
        """Draw a batch, uniformly with replacement, from the last steps and connections."""
        bits = random_words(key, 2 * self.experience.batch_size).reshape(2, -1)
        transitions = self._transitions(ring, bits[0]) if self.experience.transitions else None
        connections = self._connections(ring, bits[1]) if self.block else None
        return Batch(transitions, connections)

    def _transitions(self, ring: Ring, bits: Array) -> Connection:
        if self.stack == 1:
            chosen = bits % jnp.minimum(ring.steps, self.capacity).astype(jnp.uint32)
        else:
            begin = jnp.maximum(0, ring.steps - self.capacity)
            oldest = self._first_whole(
                lambda step: ring.step_slot[step % self.capacity], ring, begin, ring.steps
            )
            chosen = oldest.astype(jnp.uint32) + bits % (ring.steps - oldest).astype(jnp.uint32)
            chosen %= self.capacity
        slot = rows_of(ring.step_slot, chosen)
        facts = rows_of(ring.facts, slot % self.slots)
        return Connection(
            observation=self._observations(ring, slot % self.slots),
            action=self._action(facts),
            skip=jnp.ones(self.experience.batch_size, jnp.int32),
            reward=self._priced(facts[:, -2]),
            discount=self.experience.gamma * facts[:, -1],
            next_observation=self._observations(ring, (slot + 1) % self.slots),
            note=self._note(ring, slot % self.slots),
        )

    def _connections(self, ring: Ring, bits: Array) -> Connection:
        oldest = self._first_sampled(ring)
        if self.stack > 1:
            oldest = self._first_whole(
                lambda number: self._earliest_start(ring, number), ring, oldest, ring.connections
            )
        chosen = bits % (ring.connections - oldest).astype(jnp.uint32)
        row = self.block + (oldest + chosen.astype(jnp.int32)) % self._around
        start, length, skip = rows_of(ring.pointer, row).T
        reward, discount = rows_of(ring.outcome, row).T
        first, end = start % self.slots, (start + length) % self.slots
        return Connection(
            observation=self._observations(ring, first),
            action=self._action(rows_of(ring.facts, first)),
            skip=skip,
            reward=self._priced(reward),
            discount=discount,
            next_observation=self._observations(ring, end),
            note=self._note(ring, first),
        )

    def _first_sampled(self, ring: Ring) -> Array:
        """The oldest of the last connections, unless its slots are gone."""
        return jnp.maximum(ring.oldest, ring.connections - self.sampled_connections)

    def _earliest_start(self, ring: Ring, number: Array) -> Array:
        """Where any connection that ends with a given one may start."""
        start, length, _ = ring.pointer[self.block + number % self._around]
        return jnp.asarray(start + length - self.longest)

    def _first_whole(
        self, slot: Callable[[Array], Array], ring: Ring, begin: Array, end: Array
    ) -> Array:
        """The first of the last steps or connections all of whose images are still there.

        There may be less spare room than truncated episodes, as images are large.
        """
        bound = ring.slots - self.slots + self.stack
        return first_index_reaching(slot, bound, begin, end)

    def _observations(self, ring: Ring, slot: Array) -> Array:
        if isinstance(ring.observation, Frames):
            return stacked_frames(ring.observation, slot, self.stack)
        return rows_of(ring.observation, slot)

    def _priced(self, reward: Array) -> Array:
        cost = self.experience.decision_cost
        return reward - cost if cost else reward

    def _note(self, ring: Ring, slot: Array) -> Array | tuple[()]:
        return rows_of(ring.note, slot) if isinstance(ring.note, Array) else ()

    def _action(self, facts: Float[Array, "batch fact"]) -> Array:
        return facts[:, 0].astype(jnp.int32) if self.action_size is None else facts[:, :-2]
