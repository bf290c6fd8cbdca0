"""A frozen behaviour with a skip network on top: what to do, and for how long."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from temporl.errors import BadInput, DamagedFile
from temporl.networks import Layer, apply, as_rows, hidden
from temporl.networks.layers import Numbers
from temporl.recorded.behaviour import FrozenBehaviour, behaviour_of
from temporl.skipping import Decision, Skips, skip_set

DESCRIPTION, ARRAYS = "skip-policy.json", "skip-network.safetensors"


def skip_inputs(actions: gym.Space[Any], observations: Any, chosen: Any) -> np.ndarray:
    """What the network sees: the observation as numbers, a discrete action as one of several."""
    seen = np.asarray(observations, dtype=np.float32)
    seen = seen.reshape(len(seen), -1)
    if isinstance(actions, gym.spaces.Discrete):
        index = np.asarray(chosen, dtype=np.int64) - int(actions.start)
        return np.concatenate([seen, np.eye(int(actions.n), dtype=np.float32)[index]], axis=1)
    return np.concatenate([seen, np.asarray(chosen, np.float32).reshape(len(seen), -1)], axis=1)


def relative_values(layers: Sequence[Layer], inputs: Numbers) -> Numbers:
    """The value of every skip relative to that of the state, a row for every input."""
    return as_rows(apply(layers[-1], hidden(layers[:-1], inputs.T)))


@dataclass(frozen=True)
class SkipPolicy:
    """Answers with the behaviour's action and the longest skip that costs next to nothing."""

    behaviour: FrozenBehaviour
    skips: Skips
    layers: tuple[Layer, ...]
    centre: Float[np.ndarray, " input"]
    scale: Float[np.ndarray, " input"]
    tolerance: float
    """A skip is good enough if its value is at most this far below the best."""

    def decide(self, observation: Any) -> Decision:
        """The greedy decision."""
        action = self.behaviour.act(np.asarray(observation)[None])[0]
        values = self._relative(observation, action)
        good = np.flatnonzero(values >= values.max() - self.tolerance)
        is_number = isinstance(self.behaviour.actions, gym.spaces.Discrete)
        return Decision(int(action) if is_number else np.asarray(action), self.skips[good[-1]])

    def skip_values(self, observation: Any, action: Any = None) -> dict[int, float]:
        """The value of every skip for an action, the greedy one unless another is given."""
        seen = np.asarray(observation)[None]
        greedy = self.behaviour.act(seen)
        state_value = float(self.behaviour.value(seen, greedy)[0])
        values = self._relative(observation, greedy[0] if action is None else action)
        return {
            skip: state_value + float(value) for skip, value in zip(self.skips, values, strict=True)
        }

    def with_tolerance(self, tolerance: float) -> SkipPolicy:
        """The same policy, more or less eager to commit."""
        if not tolerance >= 0:
            raise BadInput("tolerance", tolerance, "allowed: a number of at least 0")
        return replace(self, tolerance=tolerance)

    def _relative(self, observation: Any, action: Any) -> Float[np.ndarray, " skip"]:
        inputs = skip_inputs(
            self.behaviour.actions, np.asarray(observation)[None], np.asarray(action)[None]
        )
        return np.asarray(relative_values(self.layers, (inputs - self.centre) / self.scale)[0])


def save_skip_policy(policy: SkipPolicy, folder: str | Path) -> None:
    """Write the skip policy without its behaviour, which belongs to somebody else."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {"centre": policy.centre, "scale": policy.scale}
    for number, layer in enumerate(policy.layers):
        arrays |= {f"{number}.weight": layer.weight, f"{number}.bias": layer.bias}
    save_file({name: np.ascontiguousarray(a) for name, a in arrays.items()}, folder / ARRAYS)
    description = {
        "format": 1,
        "skips": list(policy.skips),
        "tolerance": policy.tolerance,
        "layers": len(policy.layers),
    }
    (folder / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n")


def load_skip_policy(folder: str | Path, behaviour: Any) -> SkipPolicy:
    """Read a skip policy, and put it on top of a behaviour again."""
    folder = Path(folder)
    try:
        description = json.loads((folder / DESCRIPTION).read_text())
        arrays = load_file(folder / ARRAYS)
        layers = tuple(
            Layer(arrays[f"{number}.weight"], arrays[f"{number}.bias"])
            for number in range(int(description["layers"]))
        )
        skips, tolerance = skip_set(description["skips"]), float(description["tolerance"])
        centre, scale = arrays["centre"], arrays["scale"]
    except FileNotFoundError:
        raise BadInput("folder", str(folder), "there is no skip policy in it") from None
    except (OSError, ValueError, KeyError, TypeError, SafetensorError, BadInput) as error:
        raise DamagedFile(f"{folder}: not a skip policy: {error!r}") from error
    return SkipPolicy(behaviour_of(behaviour), skips, layers, centre, scale, tolerance)
