"""Gymnasium's types, with any elements that a user's environment has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym

from temporl.types import Element, Record

Environment = gym.Env[Any, Any]
Wrapper = gym.Wrapper[Any, Any, Any, Any]
Space = gym.Space[Any]
MakeEnvironment = Callable[[], Environment]
Answer = tuple[Element, float, bool, bool, Record]
"""What `step` answers: observation, reward, terminated, truncated, info."""


def layers(environment: Environment) -> Iterator[Environment]:
    """An environment and what its wrappers hold, from the outermost to the innermost."""
    yield environment
    while isinstance(environment, gym.Wrapper):
        environment = environment.env
        yield environment
