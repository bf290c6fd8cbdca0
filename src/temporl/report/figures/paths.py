"""Where a greedy policy goes, decision by decision."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any, NamedTuple

from temporl.environments import GridWorld
from temporl.evaluation import EnvironmentLike, Policy, make_environment
from temporl.randomness import Purpose, episode_seed
from temporl.skipping import Decision
from temporl.wording import number_of


class Stretch(NamedTuple):
    """One decision, and what was observed from where it was made to where it ended."""

    decision: Decision
    states: tuple[Any, ...]

    @property
    def steps(self) -> int:
        """How many steps it was played: its skip, or fewer where the episode ended."""
        return len(self.states) - 1


def greedy_path(policy: Policy, environment: EnvironmentLike, seed: int = 0) -> list[Stretch]:
    """Play the first episode that `evaluate` plays from the same seed, and leave no trace.

    The policy's own random stream stays where it was. Environments need a limit of steps.
    """
    policy, made = deepcopy(policy), make_environment(environment)
    state, _ = made.reset(seed=episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, 0))
    path, over = [], False
    while not over:
        decision, states = policy.decide(state), [copy(state)]
        while len(states) <= decision.skip and not over:
            state, _, terminated, truncated, _ = made.step(decision.action)
            states.append(copy(state))
            over = terminated or truncated
        path.append(Stretch(decision, tuple(states)))
    if made is not environment:
        made.close()
    return path


def path_text(path: Sequence[Stretch]) -> str:
    """How many decisions and steps a path took."""
    steps = sum(stretch.steps for stretch in path)
    return f"{number_of(len(path), 'decision')}, {number_of(steps, 'step')}"


def reachable_states(world: GridWorld) -> list[int]:
    """All states in which an agent may have to decide, in order."""
    waiting = deque(state for state, share in enumerate(world.initial_state_distrib) if share > 0)
    found = set(waiting)
    while waiting:
        outcomes = world.P[waiting.popleft()].values()
        following = {
            after for choice in outcomes for _, after, _, terminal in choice if not terminal
        }
        waiting.extend(following - found)
        found |= following
    return sorted(found)
