"""Where a greedy policy goes, decision by decision."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from copy import copy, deepcopy
from typing import NamedTuple

from temporl.environments import GridWorld
from temporl.evaluation import EnvironmentLike, make_environment
from temporl.randomness import Purpose, episode_seed
from temporl.skipping import Decision, Policy, play
from temporl.types import Element
from temporl.wording import number_of


class Stretch(NamedTuple):
    """One decision, and what was observed from where it was made to where it ended."""

    decision: Decision
    states: tuple[Element, ...]

    @property
    def steps(self) -> int:
        """How many steps it was played: its skip, or fewer where the episode ended."""
        return len(self.states) - 1


def greedy_path(policy: Policy, environment: EnvironmentLike, seed: int = 0) -> list[Stretch]:
    """Play the first episode that `evaluate` plays from the same seed, and leave no trace.

    The policy's own random stream stays where it was. Environments need a limit of steps.
    """
    return greedy_paths(policy, environment, [seed])[0]


def greedy_paths(
    policy: Policy, environment: EnvironmentLike, seeds: Iterable[int]
) -> list[list[Stretch]]:
    """The same for several seeds, one after the other; a random stream goes on."""
    policy, made = deepcopy(policy), make_environment(environment)
    paths = []
    for seed in seeds:
        state, _ = made.reset(seed=episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, 0))
        kept = copy(state)  # an environment may use its arrays again
        path: list[tuple[Decision, list[Element]]] = []
        for step in play(policy, made, state):
            if step.decided:
                path.append((Decision(step.action, step.skip), [kept]))
            kept = copy(step.next_observation)
            path[-1][1].append(kept)
        paths.append([Stretch(decision, tuple(states)) for decision, states in path])
    if made is not environment:
        made.close()
    return paths


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
