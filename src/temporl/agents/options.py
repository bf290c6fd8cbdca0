"""Checks of the types and ranges of hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from temporl.errors import BadInput, require_at_least, require_range
from temporl.types import Record


def check_kinds(kind: type[Any], options: Record) -> None:
    """Raise if a value is of another kind than its field."""
    hints = get_type_hints(kind)
    for name, value in options.items():
        if name in hints and not _fits(value, hints[name]):
            raise BadInput(name, value, f"allowed: {_in_words(hints[name])}")


def check_learning(agent: Any, widths: str) -> None:
    """Raise if what all agents with networks have is out of range; `widths` is an example."""
    require_range("learning_rate", agent.learning_rate, 0.0, 1.0, low_open=True)
    require_range("gamma", agent.gamma, 0.0, 1.0)
    require_range("tau", agent.tau, 0.0, 1.0, low_open=True)
    require_at_least("batch_size", agent.batch_size, 1)
    require_at_least("buffer_size", agent.buffer_size, agent.batch_size)
    if not agent.hidden:
        raise BadInput("hidden", agent.hidden, f"allowed: at least one width, as in {widths!r}")
    for width in agent.hidden:
        require_at_least("hidden", width, 1)


def _fits(value: Any, hint: Any) -> bool:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in arguments)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(one, arguments[0]) for one in value)
    if hint in (int, float):
        number = isinstance(value, Integral if hint is int else Real)
        return number and not isinstance(value, bool | np.bool_)
    return isinstance(value, hint) if isinstance(hint, type) else True


def _in_words(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(_in_words(one) for one in arguments)
    if origin is Literal:
        return ", ".join(map(str, arguments))
    if origin is tuple:
        return f"a list, each {_in_words(arguments[0])}"
    words = {int: "a whole number", float: "a number", str: "text", NoneType: "none"}
    return words.get(hint, str(hint))


WORTH_RATE = 1e-3
"""By how much an update moves the running means of what a step is worth."""


@dataclass(frozen=True)
class DecisionCost:
    """What a decision costs: in reward, or as a share of what a step is worth."""

    amount: float
    relative: bool

    @classmethod
    def read(cls, given: float | str) -> DecisionCost:
        """Read a number, in reward, or a percentage of what a step is worth.

        Examples:
            >>> DecisionCost.read("5%"), DecisionCost.read(0.2)
            (DecisionCost(amount=0.05, relative=True), DecisionCost(amount=0.2, relative=False))
        """
        text = str(given).strip()
        relative = text.endswith("%")
        try:
            amount = float(text.removesuffix("%")) / (100 if relative else 1)
        except ValueError:
            amount = -1.0
        if not 0 <= amount < np.inf:
            raise BadInput(
                "decision_cost",
                given,
                "allowed: a number of at least 0, in reward, or a percentage of what a step is"
                " worth, as in '5%'",
            )
        return cls(amount, relative)
