"""Compiling for tests: five times as fast to compile, and not as fast to run."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp

WANTED = {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}


@cache
def options() -> dict[str, Any] | None:
    """The options, if this version of the compiler has them."""
    try:
        jax.jit(lambda: jnp.zeros(()), compiler_options=WANTED)()
    except jax.errors.JaxRuntimeError:
        return None
    return WANTED


def quick(function=None, **settings):
    """`jax.jit` with those options."""
    return jax.jit(function, compiler_options=options(), **settings)
