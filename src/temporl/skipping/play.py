"""The loop, in plain Python: ask, step, count down.

    while the episode lasts:
        if the commitment is spent, or the policy interrupts it: ask the policy for a decision
        step the environment with its action
        count the commitment down, or end it with the episode

Its twins are `training.learner.ask` for compiled programs and `tabular.play.play` for tables.
Everything else that plays episodes calls one of the three.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, Self, SupportsFloat, runtime_checkable

from temporl.skipping.connections import Step
from temporl.skipping.decision import FREE, Commitment, Decision, commit
from temporl.types import Element


class Policy(Protocol):
    """Anything that answers an observation with an action and a duration."""

    def decide(self, observation: Element) -> Decision:
        """The greedy decision."""
        ...


@runtime_checkable
class EpisodePolicy(Protocol):
    """A policy with a memory for each episode, or one that can interrupt a commitment."""

    def begin(self) -> Self:
        """The policy as it is when an episode begins."""
        ...

    def decide(self, observation: Element) -> Decision:
        """The greedy decision."""
        ...

    def interrupts(self, observation: Element, commitment: Commitment) -> bool:
        """Whether to leave a commitment that is not spent yet."""
        ...


class Steppable(Protocol):
    """What the loop needs of an environment: Gymnasium's `step`."""

    def step(
        self, action: Element, /
    ) -> tuple[Element, SupportsFloat, bool, bool, dict[str, Element]]:
        """Play one action."""
        ...


def ask(
    policy: Policy, observation: Element, commitment: Commitment, max_skip: int | None = None
) -> tuple[Commitment, bool]:
    """What is played now, and whether it was decided now.

    The commitment under way, or a new decision if it is spent or the policy interrupts it.
    """
    if not commitment.spent and not (
        isinstance(policy, EpisodePolicy) and policy.interrupts(observation, commitment)
    ):
        return commitment, False
    action, skip = policy.decide(observation)
    return commit(Decision(action, skip if max_skip is None else min(skip, max_skip))), True


def play(
    policy: Policy,
    world: Steppable,
    observation: Element,
    *,
    step_limit: int | None = None,
    max_skip: int | None = None,
) -> Iterator[Step]:
    """Play an episode from its first observation, step by step, until it ends.

    A commitment that the end cuts short counts as one decision. With a step limit the episode is
    truncated there; with a longest skip the policy is asked again after that many steps.
    """
    policy = policy.begin() if isinstance(policy, EpisodePolicy) else policy
    commitment, over, steps = FREE, False, 0
    while not over:
        commitment, decided = ask(policy, observation, commitment, max_skip)
        action, skip = commitment.decision
        following, reward, terminated, truncated, _ = world.step(action)
        steps += 1
        truncated = bool(truncated) or (steps == step_limit and not terminated)
        over = bool(terminated) or truncated
        yield Step(
            observation,
            action,
            float(reward),
            following,
            bool(terminated),
            truncated,
            decided,
            commitment.remaining - 1,
            skip,
        )
        commitment = commitment.after_step(over)
        observation = following
