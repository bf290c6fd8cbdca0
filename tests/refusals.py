"""Options that agents refuse."""

from __future__ import annotations

from typing import Any

from temporl.agents import make_agent
from temporl.errors import BadInput


def refusal(name: str, **options: Any) -> BadInput:
    """The error that making an agent with such options is."""
    try:
        agent = make_agent(name, **options)
    except BadInput as error:
        return error
    raise AssertionError(f"{agent} was made")
