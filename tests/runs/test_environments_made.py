"""Environments may be slow to make: training makes one to learn in and one to evaluate in."""

from __future__ import annotations

import os
import sys
import textwrap
from collections import Counter

import gymnasium as gym
import pytest
from tests.worlds import grid

import temporl

SMALL = {"steps": 60, "evaluate_every": 20, "hidden": (8,), "batch_size": 8, "driver": "host"}
MODULE = """
    import os
    from pathlib import Path

    import gymnasium as gym
    import numpy as np

    MADE = Path(__file__).with_name("made.txt")


    class Counted(gym.Env):
        action_space = gym.spaces.Discrete(2)

        def __init__(self, box=False):
            self.box = box
            self.observation_space = (
                gym.spaces.Box(0, 3, (1,), np.float32) if box else gym.spaces.Discrete(4)
            )
            with MADE.open("a") as file:
                file.write(f"{os.getpid()}\\n")

        def seen(self):
            return np.full(1, self.state, np.float32) if self.box else self.state

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.state = 0
            return self.seen(), {}

        def step(self, action):
            self.state = max(self.state + (1 if action else -1), 0)
            return self.seen(), float(self.state == 3), self.state == 3, False, {}


    gym.register("Counted-v0", entry_point=Counted, max_episode_steps=20)
"""


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A folder with a module that counts, by process, how often its environment is made."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "counting.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(folder)
    yield folder
    gym.registry.pop("Counted-v0", None)
    sys.modules.pop("counting", None)


def made(folder) -> Counter[str]:
    return Counter((folder / "made.txt").read_text().split())


@pytest.mark.parametrize(
    ("agent", "options"),
    [("t-q", {"episodes": 20}), ("t-dqn", {**SMALL, "env_options": {"box": True}})],
)
def test_the_process_that_trains_makes_two(agent, options, counted, tmp_path):
    """A deep agent has a process of its own; the one before it makes another, for its checks."""
    temporl.train(
        agent, "counting:Counted-v0", out=tmp_path / "out", workers=1, progress=False, **options
    )
    counts = made(counted)
    here = counts.pop(str(os.getpid()))
    assert (here, list(counts.values())) == ((2, []) if agent == "t-q" else (1, [2]))


@pytest.mark.parametrize(("agent", "options"), [("t-q", {"episodes": 20}), ("t-dqn", SMALL)])
def test_a_function_is_called_twice_for_each_seed(agent, options, tmp_path):
    calls = []

    def world() -> gym.Env:
        calls.append(1)
        return gym.wrappers.TransformReward(grid("S..\n..G", 20), float)  # no table to compile

    temporl.train(agent, world, out=tmp_path, seeds=3, workers=1, progress=False, **options)
    assert len(calls) == 2 * 3


def test_a_compiled_world_is_made_once(tmp_path):
    calls = []

    def world() -> gym.Env:
        calls.append(1)
        return grid("S..\n..G", 20)

    temporl.train("t-q", world, episodes=20, out=tmp_path, workers=1, progress=False)
    assert len(calls) == 1
