"""A frozen behaviour with a skip network on top: what to do, and for how long."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import gymnasium as gym
import numpy as np
from jaxtyping import Float
from safetensors.numpy import save

from temporl.environments.types import Space
from temporl.errors import BadInput, DamagedFile
from temporl.networks.layers import Array, Layer, apply, as_rows, hidden
from temporl.recorded.behaviour import FrozenBehaviour, behaviour_of
from temporl.runs.files import (
    MOST_JSON,
    as_json,
    cannot_write,
    parse_arrays,
    read_bytes,
    read_json,
    write_file,
)
from temporl.skipping import Decision, Skips, skip_set
from temporl.types import Element

DESCRIPTION, ARRAYS = "skip-policy.json", "skip-network.safetensors"
MOST_ARRAYS = 64 * 2**20


def skip_inputs(actions: Space, observations: Element, chosen: Element) -> np.ndarray:
    """The network's input: the observation and the action, which is one-hot if it is discrete."""
    seen = np.asarray(observations, dtype=np.float32)
    seen = seen.reshape(len(seen), -1)
    if isinstance(actions, gym.spaces.Discrete):
        index = np.asarray(chosen, dtype=np.int64) - int(actions.start)
        return np.concatenate([seen, np.eye(int(actions.n), dtype=np.float32)[index]], axis=1)
    return np.concatenate([seen, np.asarray(chosen, np.float32).reshape(len(seen), -1)], axis=1)


def network_values(layers: Sequence[Layer], inputs: Array) -> Array:
    """The value of every skip relative to that of the state, a row for every input."""
    return as_rows(apply(layers[-1], hidden(layers[:-1], inputs.T)))


@dataclass(frozen=True)
class SkipPolicy:
    """Plays the behaviour's action for the longest skip whose cost is within the tolerance."""

    behaviour: FrozenBehaviour
    skips: Skips
    layers: tuple[Layer, ...]
    centre: Float[np.ndarray, " input"]
    scale: Float[np.ndarray, " input"]
    tolerance: float
    """A skip is good enough if its value is at most this far below the best. Below zero: how much
    better than a single step a longer skip must be."""

    def decide(self, observation: Element) -> Decision:
        """The greedy decision."""
        action = self.behaviour.act(np.asarray(observation)[None])[0]
        (values,) = self.relative_values(np.asarray(observation)[None], np.asarray(action)[None])
        good = values >= values.max() - max(self.tolerance, 0.0)
        if self.tolerance < 0:
            good &= values >= values[0] - self.tolerance
        longest = np.flatnonzero(good)[-1] if good.any() else 0
        is_number = isinstance(self.behaviour.actions, gym.spaces.Discrete)
        return Decision(int(action) if is_number else np.asarray(action), self.skips[longest])

    def skip_values(self, observation: Element, action: Element = None) -> dict[int, float]:
        """The value of every skip for an action; default: the greedy action."""
        seen = np.asarray(observation)[None]
        greedy = self.behaviour.act(seen)
        state_value = float(self.behaviour.value(seen, greedy)[0])
        chosen = greedy if action is None else np.asarray(action)[None]
        (values,) = self.relative_values(seen, chosen)
        return {
            skip: state_value + float(value) for skip, value in zip(self.skips, values, strict=True)
        }

    def with_tolerance(self, tolerance: float) -> SkipPolicy:
        """The same policy with another tolerance."""
        if math.isnan(tolerance):
            raise BadInput("tolerance", tolerance, "allowed: a number")
        return replace(self, tolerance=tolerance)

    def relative_values(
        self, observations: Element, actions: Element
    ) -> Float[np.ndarray, "row skip"]:
        """The value of every skip relative to that of the state, for many states at once."""
        inputs = skip_inputs(self.behaviour.actions, observations, actions)
        return np.asarray(network_values(self.layers, (inputs - self.centre) / self.scale))


def save_skip_policy(policy: SkipPolicy, folder: str | Path) -> None:
    """Write the skip policy without its behaviour, which is saved elsewhere."""
    folder = Path(folder)
    with cannot_write(folder):
        folder.mkdir(parents=True, exist_ok=True)
    arrays = {"centre": policy.centre, "scale": policy.scale}
    for number, layer in enumerate(policy.layers):
        arrays |= {f"{number}.weight": layer.weight, f"{number}.bias": layer.bias}
    description = {
        "format": 1,
        "skips": list(policy.skips),
        "tolerance": policy.tolerance,
        "layers": len(policy.layers),
    }
    content = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    write_file(folder / ARRAYS, content)
    write_file(folder / DESCRIPTION, as_json(description))


def load_skip_policy(folder: str | Path, behaviour: Element) -> SkipPolicy:
    """Read a skip policy, and put it on top of a behaviour again."""
    folder, frozen = Path(folder), behaviour_of(behaviour)
    try:
        described = read_bytes(folder / DESCRIPTION, MOST_JSON)
        description = read_json(folder / DESCRIPTION, described)
        arrays = parse_arrays(folder / ARRAYS, read_bytes(folder / ARRAYS, MOST_ARRAYS))
        layers = tuple(
            Layer(arrays[f"{number}.weight"], arrays[f"{number}.bias"])
            for number in range(int(description["layers"]))
        )
        skips, tolerance = skip_set(description["skips"]), float(description["tolerance"])
        centre, scale = arrays["centre"], arrays["scale"]
        policy = SkipPolicy(frozen, skips, layers, centre, scale, 0.0).with_tolerance(tolerance)
        _check_shapes(policy)
    except FileNotFoundError:
        raise BadInput("folder", str(folder), "there is no skip policy in it") from None
    except (ValueError, KeyError, TypeError, OverflowError, BadInput) as error:
        raise DamagedFile(f"{folder}: not a skip policy: {error!r}") from error
    return policy


def _check_shapes(policy: SkipPolicy) -> None:
    """Raise unless every layer fits the one before, from the inputs to the skips."""
    width = len(policy.centre)
    if policy.centre.shape != policy.scale.shape or policy.centre.ndim != 1:
        raise ValueError("centre and scale are not of one shape")
    for layer in policy.layers:
        if layer.weight.shape != (width, *layer.bias.shape):
            raise ValueError(f"a layer of shape {layer.weight.shape} for {width} inputs")
        width = len(layer.bias)
    if width != len(policy.skips):
        raise ValueError(f"{width} values for {len(policy.skips)} skips")
