"""Trees of JAX arrays, as the flat named arrays of a checkpoint and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from temporl.errors import DamagedFile
from temporl.training.checkpointer import Checkpointer, NoCheckpointer
from temporl.training.course import Course
from temporl.trees import Arrays, map_named

T = TypeVar("T")
STATE, ROWS, STEP = "state", "rows", "step"


@dataclass
class TreeCheckpointer:
    """Checkpoints of a run whose state is a tree, with its evaluations and its course."""

    checkpointer: Checkpointer = field(default_factory=NoCheckpointer)
    course: Course = field(default_factory=lambda: Course(1))
    rows: list[tuple[float, ...]] = field(default_factory=list)
    done: int = -1
    """Up to which step everything was evaluated before the run was interrupted."""

    def restored(self, begun: T) -> T:
        """The state that was saved, in the form of one that has just begun; or that one itself."""
        saved = self.checkpointer.saved
        if saved is None:
            return begun
        self.done = int(saved[STEP])
        self.rows.extend(map(tuple, saved[ROWS].tolist()))
        self.course.restore(saved)
        return with_named_leaves(begun, saved, STATE)

    def checkpoint(self, step: int, state: Any) -> None:
        """Offer a state that the run could resume from."""

        def arrays() -> Arrays:
            rows = np.array(self.rows, np.float64).reshape(-1, 5)
            course = self.course.arrays()
            return {STEP: np.array(step), ROWS: rows, **course, **named_leaves(state, STATE)}

        self.checkpointer.checkpoint(step, arrays)


def named_leaves(tree: object, prefix: str) -> Arrays:
    """Every array of a tree by its path; random keys as their raw data."""
    arrays: Arrays = {}

    def keep(name: str, leaf: np.ndarray) -> None:
        arrays[f"{prefix}/{name}"] = np.asarray(_numbers(leaf), order="C")

    map_named(keep, tree, "/")
    return arrays


def with_named_leaves(like: T, arrays: Arrays, prefix: str) -> T:
    """A tree of the same form, with the arrays that `named_leaves` returned."""

    def restore(path: str, leaf: np.ndarray) -> jax.Array:
        name = f"{prefix}/{path}"
        array, before = arrays.get(name, arrays.get(_name_in_0_1(name))), _numbers(leaf)
        if array is None or array.shape != before.shape or array.dtype != before.dtype:
            found = None if array is None else (array.shape, str(array.dtype))
            raise DamagedFile(
                f"a checkpoint of another version: {name} is {found} and should be"
                f" {before.shape} {before.dtype}; delete it, and the run begins again"
            )
        # A copy: its own memory, which a program may take over.
        numbers: jax.Array = jnp.array(array, copy=True)
        if _is_key(leaf):
            numbers = jax.random.wrap_key_data(numbers, impl=jax.random.key_impl(leaf))
        return numbers

    return map_named(restore, like, "/")


def _name_in_0_1(name: str) -> str:
    """The path under which version 0.1 kept an array of the learner's state."""
    return name.replace("/learner/", "/progress/", 1)


def _numbers(leaf: Any) -> np.ndarray:
    return np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)


def _is_key(leaf: Any) -> bool:
    return bool(jnp.issubdtype(jnp.asarray(leaf).dtype, jax.dtypes.prng_key))
