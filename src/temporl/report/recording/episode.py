"""One greedy episode with everything that is worth seeing: frames, rewards, decisions."""

from __future__ import annotations

import io
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np
from PIL import Image

from temporl.environments import EnvironmentSpec, GridWorld
from temporl.environments.catalogue import step_limit_of
from temporl.environments.gridworld import MOVES
from temporl.environments.types import Environment
from temporl.errors import BadInput
from temporl.randomness import Purpose, episode_seed
from temporl.skipping import Policy, play
from temporl.types import Element


@dataclass(frozen=True)
class RecordedDecision:
    """One decision: when it was made, what it was, and the learned value of every skip."""

    step: int
    action: str
    skip: int
    played: int
    """Its skip, or fewer where the episode ended."""
    values: dict[int, float]


@dataclass
class Recording:
    """An episode. Frame k shows the environment after k steps; a decision is made at its frame."""

    frames_per_second: int
    frames: list[bytes] = field(default_factory=list)
    """As PNG, because raw frames of a long episode take gigabytes."""
    rewards: list[float] = field(default_factory=list)
    decisions: list[RecordedDecision] = field(default_factory=list)

    def frame(self, step: int) -> Image.Image:
        """The picture after a number of steps."""
        return Image.open(io.BytesIO(self.frames[step]))

    def to_data(self) -> dict[str, object]:
        """Everything but the frames, as pure data."""
        return {
            "frames_per_second": self.frames_per_second,
            "rewards": self.rewards,
            "decisions": [asdict(decision) for decision in self.decisions],
        }


@runtime_checkable
class ValuesSkips(Protocol):
    """A policy that has a learned value for every skip."""

    def skip_values(self, observation: Element, action: Element) -> dict[int, float]:
        """The learned value of every skip for an action."""
        ...


def record_episode(
    policy: Policy,
    environment: EnvironmentSpec,
    *,
    seed: int = 0,
    episode: int = 0,
    frames_per_second: int | None = None,
) -> Recording:
    """Play the same episode as `evaluate` does with these seed and number, and keep everything."""
    _require_pictures(environment)
    made = environment.make(render_mode="rgb_array")
    own_rate = int(made.metadata.get("render_fps") or 15)
    recording = Recording(frames_per_second or min(own_rate, 15))
    names = tuple(MOVES) if isinstance(made.unwrapped, GridWorld) else ()
    start = episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, episode)
    observation, _ = made.reset(seed=start)
    recording.frames.append(_picture(made))
    limit = step_limit_of(made, environment.name)
    seen = deepcopy(observation)  # an environment may use its arrays again
    for step in play(deepcopy(policy), made, observation, step_limit=limit):
        if step.decided:
            recording.decisions.append(
                RecordedDecision(
                    step=len(recording.rewards),
                    action=_name(step.action, names),
                    skip=int(step.skip),
                    played=0,
                    values=_values(policy, seen, step.action),
                )
            )
        recording.decisions[-1] = replace(
            recording.decisions[-1], played=recording.decisions[-1].played + 1
        )
        seen = deepcopy(step.next_observation)
        recording.rewards.append(step.reward)
        recording.frames.append(_picture(made))
    made.close()
    return recording


def _values(policy: Policy, observation: Element, action: Element) -> dict[int, float]:
    """The learned value of every skip, if the policy has any."""
    if not isinstance(policy, ValuesSkips):
        return {}
    return {int(k): float(v) for k, v in policy.skip_values(observation, action).items()}


def _picture(environment: Environment) -> bytes:
    frame = np.ascontiguousarray(environment.render(), dtype=np.uint8)
    kept = io.BytesIO()
    Image.fromarray(frame).save(kept, "PNG", compress_level=1)
    return kept.getvalue()


def _name(action: Element, names: tuple[str, ...]) -> str:
    if names:
        return names[int(action)]
    if np.ndim(action) == 0:
        return f"action {action}"
    return "[" + ", ".join(f"{value:.2f}" for value in np.ravel(action)) + "]"


def _require_pictures(environment: EnvironmentSpec) -> None:
    plain = environment.make()
    modes = plain.metadata.get("render_modes", ())
    plain.close()
    if "rgb_array" not in modes:
        raise BadInput("env", environment.name, "it has no render mode 'rgb_array'")
