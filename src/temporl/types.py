"""Type aliases for values that the library passes on without looking inside."""

from __future__ import annotations

from typing import Any

Element = Any
"""An element of a space of the user's environment: an observation, or an action."""
Number = Any
"""A number of Python, or an array or traced value of one."""
Record = dict[str, Any]
"""Pure data by name: what JSON can hold."""
