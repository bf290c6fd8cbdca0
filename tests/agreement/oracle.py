"""The three tabular agents again, in plain Python: lists, dictionaries and floats.

Written to be read and compared with, by the paper's algorithm 1 and not by the library's source:
what is shared is only the order in which random numbers are drawn. NumPy does nothing here but
give each stream its seed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import accumulate
from typing import Any, NamedTuple

import gymnasium as gym
from numpy.random import SeedSequence

DEFAULT_ENDS = {"linear": (1.0, 0.0), "log": (1.0, 1e-6)}


class Stream:
    """Random numbers of one purpose: SplitMix64, in Python's own whole numbers."""

    def __init__(self, seed: int, purpose: int) -> None:
        sequence = SeedSequence(seed, spawn_key=(purpose,))
        self.counter = int(sequence.generate_state(1, "uint64")[0])

    def random(self) -> float:
        """The next one, from 0 to below 1."""
        self.counter = (self.counter + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        bits = self.counter
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        return ((bits ^ (bits >> 31)) >> 11) / 2**53


class Step(NamedTuple):
    """One step of an episode, and whether the agent decided at its start."""

    state: int
    action: int
    reward: float
    decided: bool


class Evaluation(NamedTuple):
    """One greedy episode: when it was played, and how it went."""

    episode: int
    step: int
    total: float
    length: int
    decisions: int


class Outcome(NamedTuple):
    """All that training leaves behind."""

    action_values: list[list[float]]
    skip_values: list[list[float]]
    evaluations: list[Evaluation]
    steps: int


class World:
    """A toy-text environment read into lists."""

    def __init__(self, environment: gym.Env) -> None:
        toy = environment.unwrapped
        self.states, self.actions = len(toy.P), len(toy.P[0])
        self.outcomes = [
            [
                [
                    (float(p), (int(s), float(r), bool(over)))
                    for p, s, r, over in toy.P[state][action]
                ]
                for action in range(self.actions)
            ]
            for state in range(self.states)
        ]
        self.starts = [
            (float(p), state) for state, p in enumerate(toy.initial_state_distrib) if p > 0
        ]
        self.chancy = any(len(row) > 1 for actions in self.outcomes for row in actions)

    def start(self, generator: Stream) -> int:
        """Where an episode begins."""
        return pick(self.starts, generator) if len(self.starts) > 1 else self.starts[0][1]

    def step(self, state: int, action: int, generator: Stream) -> tuple[int, float, bool]:
        """Next state, reward, terminated."""
        outcomes = self.outcomes[state][action]
        return pick(outcomes, generator) if self.chancy else outcomes[0][1]


def pick(weighted: Sequence[tuple[float, Any]], generator: Stream) -> Any:
    """One of several things, each with its probability."""
    draw = generator.random()
    total = 0.0
    for probability, thing in weighted[:-1]:
        total += probability
        if draw < total:
            return thing
    return weighted[-1][1]


def epsilon_after(schedule: float | str, spent: int, budget: int) -> float:
    """Epsilon when a part of the budget is spent."""
    if not isinstance(schedule, str):
        return schedule
    shape, *given = schedule.split(":")
    start, end = map(float, given) if given else DEFAULT_ENDS[shape]
    fraction = spent / max(budget - 1, 1)
    if shape == "log":
        return start * (end / start) ** fraction
    return start + fraction * (end - start)


def best_index(values: Sequence[float], ties: str, tolerance: float, generator: Stream) -> int:
    """The position of the best value."""
    threshold = max(values) - tolerance
    tied = [index for index, value in enumerate(values) if value >= threshold]
    if len(tied) == 1 or ties in ("first", "shortest"):
        return tied[0]
    if ties == "longest":
        return tied[-1]
    return tied[int(generator.random() * len(tied))]


def choose(
    values: Sequence[float], epsilon: float, ties: str, tolerance: float, generator: Stream
) -> tuple[int, bool]:
    """An epsilon-greedy choice, and whether it explores."""
    if epsilon > 0:
        draw = generator.random()
        if draw < epsilon:
            return int(draw / epsilon * len(values)), True
    return best_index(values, ties, tolerance, generator), False


class Agent:
    """An agent named `q`, `t-q` or `ez-q` with the hyperparameters that the library gives it."""

    def __init__(self, name: str, agent: Any, world: World) -> None:
        self.name, self.world = name, world
        self.options = {field.name: getattr(agent, field.name) for field in fields(agent)}
        self.alpha, self.gamma = self.options["alpha"], self.options["gamma"]
        self.action_values = [[0.0] * world.actions for _ in range(world.states)]
        if name == "t-q":
            self.spans_decisions = self.options["connections"] == "run"
            self.pads_all = self.options["padding"] == "all"
            self.skips = list(agent.skip_lengths)
            self.skip_values = {
                (state, action): dict.fromkeys(self.skips, 0.0)
                for state in range(world.states)
                for action in range(world.actions)
            }
        if name == "ez-q":
            longest, mu = self.options["max_repeat"], self.options["mu"]
            running = list(accumulate(float(n) ** -mu for n in range(1, longest + 1)))
            self.repeats = [total / running[-1] for total in running]

    def epsilons(self, spent: int, budget: int) -> tuple[float, float]:
        """How much is explored now, in actions and in skips."""
        schedule, own = self.options["epsilon"], self.options.get("skip_epsilon")
        skip_schedule = schedule if own is None else own
        return epsilon_after(schedule, spent, budget), epsilon_after(skip_schedule, spent, budget)

    def decide(
        self, state: int, epsilons: tuple[float, float], skip_ties: str, generator: Stream
    ) -> tuple[int, int]:
        """An action, and for how many steps."""
        epsilon, skip_epsilon = epsilons
        action, explores = choose(
            self.action_values[state], epsilon, self.options["action_ties"], 0.0, generator
        )
        if self.name == "t-q":
            values = list(self.skip_values[state, action].values())
            tolerance = self.options["tie_tolerance"]
            index, _ = choose(values, skip_epsilon, skip_ties, tolerance, generator)
            return action, self.skips[index]
        if self.name == "ez-q" and explores:
            return action, 1 + bisect_left(self.repeats, generator.random())
        return action, 1

    def learn(self, steps: list[Step], remaining: int, following: int, terminated: bool) -> None:
        """Learn from the last step, and from every connection that it completes."""
        value = 0.0 if terminated else max(self.action_values[following])
        last = steps[-1]
        old = self.action_values[last.state][last.action]
        goal = last.reward + self.gamma * value
        self.action_values[last.state][last.action] = old + self.alpha * (goal - old)
        if self.name != "t-q":
            return
        for state, length, reward, discount in self.connections_ending_now(steps):
            goal = reward + discount * value
            values = self.skip_values[state, last.action]
            if terminated:
                furthest = self.skips[-1] if self.pads_all else length + remaining
                taught = [skip for skip in self.skips if length <= skip <= furthest]
            else:
                taught = [length] if length in values else []
            for skip in taught:
                values[skip] += self.alpha * (goal - values[skip])

    def connections_ending_now(self, steps: list[Step]) -> Iterator[tuple[int, int, float, float]]:
        """Start, length, discounted reward and discount, from the shortest to the longest."""
        reward, discount = 0.0, 1.0
        for length in range(1, min(len(steps), self.skips[-1]) + 1):
            step = steps[-length]
            if step.action != steps[-1].action:
                return
            reward = step.reward + self.gamma * reward
            discount = self.gamma * discount
            yield step.state, length, reward, discount
            if step.decided and not self.spans_decisions:
                return

    def train_episode(
        self,
        epsilons: tuple[float, float],
        most_steps: int,
        exploration: Stream,
        environment: Stream,
    ) -> int:
        """Play and learn one episode; returns its number of steps."""
        skip_ties = self.options.get("skip_ties", "random")
        steps: list[Step] = []
        state, terminated = self.world.start(environment), False
        remaining = action = 0
        while not terminated and len(steps) < most_steps:
            decides = remaining == 0
            if decides:
                action, remaining = self.decide(state, epsilons, skip_ties, exploration)
            following, reward, terminated = self.world.step(state, action, environment)
            steps.append(Step(state, action, reward, decides))
            remaining -= 1
            self.learn(steps, remaining, following, terminated)
            state = following
        return len(steps)

    def greedy_episode(
        self, step_limit: int, ties: Stream, environment: Stream
    ) -> tuple[float, int, int]:
        """Play one episode without exploring: its return, steps and decisions."""
        skip_ties = self.options.get("greedy_skip_ties", "longest")
        state, terminated = self.world.start(environment), False
        total, steps, decisions, remaining, action = 0.0, 0, 0, 0, 0
        while not terminated and steps < step_limit:
            if remaining == 0:
                action, remaining = self.decide(state, (0.0, 0.0), skip_ties, ties)
                decisions += 1
            state, reward, terminated = self.world.step(state, action, environment)
            total += reward
            steps += 1
            remaining -= 1
        return total, steps, decisions


def train(
    name: str,
    agent: Any,
    environment: gym.Env,
    *,
    seed: int,
    step_limit: int,
    episodes: int | None = None,
    steps: int | None = None,
    evaluate_every: int = 1,
) -> Outcome:
    """Train one seed for a number of episodes or of steps, with greedy episodes on the way."""
    exploration, environment_stream, ties, evaluation_stream = (
        Stream(seed, purpose) for purpose in range(4)
    )
    learner = Agent(name, agent, World(environment))
    evaluations: list[Evaluation] = []
    budget = episodes if steps is None else steps
    episode = step = 0
    while (spent := episode if steps is None else step) < budget:
        most_steps = step_limit if steps is None else min(step_limit, steps - step)
        epsilons = learner.epsilons(spent, budget)
        step += learner.train_episode(epsilons, most_steps, exploration, environment_stream)
        episode += 1
        if evaluate_every and episode % evaluate_every == 0:
            played = learner.greedy_episode(step_limit, ties, evaluation_stream)
            evaluations.append(Evaluation(episode, step, *played))
    rows = learner.skip_values.values() if name == "t-q" else ()
    return Outcome(learner.action_values, [list(row.values()) for row in rows], evaluations, step)
