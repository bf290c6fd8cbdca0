"""One greedy episode with everything that is worth seeing: frames, rewards, decisions."""

from __future__ import annotations

import io
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np
from PIL import Image

from temporl.environments import EnvironmentSpec, GridWorld
from temporl.environments.catalogue import step_limit_of
from temporl.environments.gridworld import MOVES
from temporl.errors import BadInput
from temporl.evaluation import Policy, play_episode
from temporl.randomness import Purpose, episode_seed
from temporl.skipping import Decision


@dataclass(frozen=True)
class DecisionNote:
    """One decision: when it was made, what it was, and what the agent thought of every skip."""

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
    decisions: list[DecisionNote] = field(default_factory=list)

    def frame(self, step: int) -> Image.Image:
        """What was to be seen after so many steps."""
        return Image.open(io.BytesIO(self.frames[step]))

    def notes(self) -> dict[str, Any]:
        """Everything but the frames, as pure data."""
        return {
            "frames_per_second": self.frames_per_second,
            "rewards": self.rewards,
            "decisions": [asdict(decision) for decision in self.decisions],
        }


class FilmedEnvironment(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps a frame after the reset and after every step, and every reward."""

    def __init__(self, environment: gym.Env[Any, Any], recording: Recording) -> None:
        super().__init__(environment)
        self._recording = recording

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Begin the episode."""
        answer = self.env.reset(**options)
        self._film()
        return answer

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play one step."""
        answer = self.env.step(action)
        self._recording.rewards.append(float(answer[1]))
        self._film()
        return answer

    def _film(self) -> None:
        picture: Any = self.env.render()
        kept = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(picture, dtype=np.uint8)).save(
            kept, "PNG", compress_level=1
        )
        self._recording.frames.append(kept.getvalue())


@dataclass
class NotedPolicy:
    """Answers as a policy does, and notes every answer."""

    policy: Any
    recording: Recording
    action_names: tuple[str, ...]

    def decide(self, observation: Any) -> Decision:
        """The policy's decision."""
        decision: Decision = self.policy.decide(observation)
        values: dict[int, float] = {}
        if hasattr(self.policy, "skip_values"):
            values = self.policy.skip_values(observation, decision.action)
        self.recording.decisions.append(
            DecisionNote(
                step=len(self.recording.rewards),
                action=self._name(decision.action),
                skip=int(decision.skip),
                played=int(decision.skip),
                values={int(skip): float(value) for skip, value in values.items()},
            )
        )
        return decision

    def _name(self, action: Any) -> str:
        if self.action_names:
            return self.action_names[int(action)]
        if np.ndim(action) == 0:
            return f"action {action}"
        return "[" + ", ".join(f"{value:.2f}" for value in np.ravel(action)) + "]"


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
    noted = NotedPolicy(deepcopy(policy), recording, names)
    filmed = FilmedEnvironment(made, recording)
    start = episode_seed(seed, Purpose.EVALUATION_ENVIRONMENT, episode)
    play_episode(noted, filmed, start, step_limit_of(made, environment.name))
    made.close()
    last = recording.decisions[-1]
    played = len(recording.rewards) - last.step
    recording.decisions[-1] = DecisionNote(last.step, last.action, last.skip, played, last.values)
    return recording


def _require_pictures(environment: EnvironmentSpec) -> None:
    plain = environment.make()
    modes = plain.metadata.get("render_modes", ())
    plain.close()
    if "rgb_array" not in modes:
        raise BadInput("env", environment.name, "it draws no pictures (render mode 'rgb_array')")
