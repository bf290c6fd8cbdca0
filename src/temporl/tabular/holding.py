"""Frugal decisions with tables: what holding an action costs, and for how long that pays.

    cost_1(s, a)     <- cost_1(s, a)     + alpha (gamma (max Q(s', .) - Q(s', a)) - cost_1(s, a))
    cost_{k+1}(s, a) <- cost_{k+1}(s, a) + alpha (gamma cost_k(s', a) - cost_{k+1}(s, a))

A skip of j steps loses cost_1 + ... + cost_{j-1}, and saves j - 1 decisions.
"""

from __future__ import annotations

from temporl.agents.options import WORTH_RATE
from temporl.compilation import compiled
from temporl.randomness import Stream, uniform
from temporl.tabular.tables import Settings, Tables, Ties


@compiled
def price(settings: Settings, tables: Tables) -> float:
    """What a decision costs, in reward."""
    reward, ending, expected, weight = tables.worth
    if not settings.cost_is_relative:
        return settings.decision_cost
    if weight == 0.0:
        return 0.0
    earned = (1.0 - settings.gamma) * reward / max(ending, 1e-12)
    worth: float = max(earned, expected / weight)
    return settings.decision_cost * worth


@compiled
def hold(settings: Settings, tables: Tables, row: int, ties: int, stream: Stream) -> int:
    """For how long to hold an action: the length that saves most beyond what it loses.

    Of lengths that lose equally little, the longest, or in training a random one.
    """
    if settings.decision_cost == 0.0:
        return 1
    cost = price(settings, tables)
    best = lost = 0.0
    chosen = first = ties_begin = passed = 0
    for index in range(len(settings.skips)):
        before = lost
        for step in range(passed, settings.skips[index] - 1):
            lost += max(tables.skip_values[row, step], 0.0)
        passed = settings.skips[index] - 1
        if index == 0 or lost > before + settings.tie_tolerance:
            ties_begin = index
        if cost * passed - lost >= best:
            best, chosen, first = cost * passed - lost, index, ties_begin
    if ties == Ties.RANDOM:
        chosen = first + int(uniform(stream) * (chosen - first + 1))
    elif ties == Ties.FIRST:
        chosen = first
    return int(settings.skips[chosen])


@compiled
def learn_costs(
    settings: Settings,
    tables: Tables,
    row: int,
    next_row: int,
    reward: float,
    value: float,
    gap: float,
    discount: float,
) -> None:
    """Learn the costs of holding from a single step.

    `value` is that of the next state, and `gap` how much less the same action is worth there.
    """
    goal = discount * gap
    for step in range(tables.skip_values.shape[1]):
        following = discount * tables.skip_values[next_row, step]
        tables.skip_values[row, step] += settings.alpha * (goal - tables.skip_values[row, step])
        goal = following
    tables.worth[0] += WORTH_RATE * (abs(reward) - tables.worth[0])
    tables.worth[1] += WORTH_RATE * (1.0 - discount - tables.worth[1])
    tables.worth[2] += WORTH_RATE * ((1.0 - settings.gamma) * abs(value) - tables.worth[2])
    tables.worth[3] += WORTH_RATE * (1.0 - tables.worth[3])
