"""Environments that show images: what the agents see of them, in training and outside."""

from __future__ import annotations

import sys

import gymnasium as gym
import numpy as np
import pytest

from temporl.environments import EnvironmentSpec
from temporl.environments.catalogue import step_limit_of
from temporl.environments.images import ImageOptions, is_atari, stack_of, with_images
from temporl.errors import BadInput


class Slides(gym.Env):
    """Shows one shade of grey after the other; every step is worth five."""

    def __init__(self, shape=(4, 5), length=6, dtype=np.uint8, render_mode=None):
        self.observation_space = gym.spaces.Box(0, 255, shape, dtype)
        self.action_space = gym.spaces.Discrete(2)
        self.length = length

    def _shown(self):
        space = self.observation_space
        return np.full(space.shape, self.time + 1, space.dtype), {}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return self._shown()

    def step(self, action):
        self.time += 1
        observation, info = self._shown()
        return observation, 5.0, self.time == self.length, False, info


@pytest.fixture
def slides():
    gym.register("Slides-v0", Slides, max_episode_steps=50)
    yield "Slides-v0"
    del gym.registry["Slides-v0"]


def shades(environment, steps=3):
    """What the corner of the image shows, at the start and after every step."""
    seen = [environment.reset(seed=0)[0]]
    seen += [environment.step(0)[0] for _ in range(steps)]
    return [image[0, 0].tolist() for image in seen]


def test_a_board_is_taken_as_it_is(slides):
    environment = EnvironmentSpec(slides).make()
    assert environment.observation_space == gym.spaces.Box(0, 255, (4, 5, 1), np.uint8)
    assert shades(environment) == [[1], [2], [3], [4]]
    assert stack_of(environment) == 1


def test_images_are_stacked_with_the_newest_last(slides):
    environment = EnvironmentSpec(slides, {"frame_stack": 3}).make()
    assert environment.observation_space.shape == (4, 5, 3)
    assert shades(environment) == [[1, 1, 1], [1, 1, 2], [1, 2, 3], [2, 3, 4]]
    assert shades(environment)[0] == [1, 1, 1]
    assert stack_of(environment) == 3


def test_colours_are_stacked_image_by_image(slides):
    environment = EnvironmentSpec(slides, {"frame_stack": 2, "shape": (4, 5, 3)}).make()
    assert environment.observation_space.shape == (4, 5, 6)
    assert shades(environment)[1] == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("shape", [(40, 50, 3), (40, 50), (40, 50, 1)])
def test_screens_become_small_grey_and_stacked(slides, shape):
    pytest.importorskip("cv2")
    environment = EnvironmentSpec(slides, {"shape": shape}).make()
    assert environment.observation_space == gym.spaces.Box(0, 255, (84, 84, 4), np.uint8)
    assert shades(environment)[2] == [1, 1, 2, 3]
    kept = {"shape": shape, "frame_size": 0, "greyscale": False, "frame_stack": 1}
    channels = shape[2] if len(shape) == 3 else 1
    assert EnvironmentSpec(slides, kept).make().observation_space.shape == (40, 50, channels)


def test_a_stack_of_gymnasium_is_understood():
    environment = gym.wrappers.FrameStackObservation(Slides(), 3)
    assert shades(with_images(environment, ImageOptions()))[3] == [2, 3, 4]


def test_skipped_frames_count_for_rewards_and_not_for_the_limit(slides):
    environment = EnvironmentSpec(slides, {"frame_skip": 2}, step_limit=2).make()
    environment.reset(seed=0)
    assert environment.step(0)[1] == 10
    assert environment.step(0)[2:4] == (False, True)
    assert step_limit_of(EnvironmentSpec(slides, {"frame_skip": 2}).make(), slides) == 25


def test_rewards_are_clipped_in_training_alone(slides):
    spec = EnvironmentSpec(slides, {"clip_rewards": True})
    for training, reward in ((True, 1.0), (False, 5.0)):
        environment = spec.make(training=training)
        environment.reset(seed=0)
        assert environment.step(0)[1] == reward


def test_options_that_make_no_sense(slides):
    for field, value in (
        ("frame_stack", 0),
        ("frame_size", -1),
        ("frame_size", "large"),
        ("frame_skip", 1.5),
        ("sticky_actions", 2),
        ("clip_rewards", "often"),
        ("life_loss", True),
        ("noops", 30),
    ):
        with pytest.raises(BadInput, match=f"^{field}: "):
            EnvironmentSpec.given(slides, {field: value}).make()


def test_options_for_images_where_there_are_none():
    with pytest.raises(BadInput, match="shows no images") as caught:
        EnvironmentSpec.given("CartPole-v1", {"frame_stack": 4}).make()
    assert caught.value.field == "frame_stack"


def test_minatar_shows_bytes():
    environment = EnvironmentSpec("gymnax/Breakout-MinAtar").make()
    image, _ = environment.reset(seed=0)
    assert image.shape == environment.observation_space.shape == (10, 10, 4)
    assert image.dtype == np.uint8
    assert set(np.unique(image)) == {0, 255}
    assert image[9, 4].tolist() == [255, 0, 0, 0]  # the paddle
    assert (image[1:4, :, 3] == 255).all()  # the bricks
    assert step_limit_of(environment, "") == 1000


def test_atari_as_in_the_paper():
    pytest.importorskip("ale_py")
    environment = EnvironmentSpec.given("ALE/Freeway-v5").make()
    assert environment.observation_space == gym.spaces.Box(0, 255, (84, 84, 4), np.uint8)
    assert step_limit_of(environment, "") == 10_000
    image, _ = environment.reset(seed=0)
    following = environment.step(1)[0]
    np.testing.assert_array_equal(following[..., :3], image[..., 1:])
    assert environment.unwrapped.ale.getEpisodeFrameNumber() == 4
    assert environment.unwrapped.ale.getFloat("repeat_action_probability") == 0.25
    other = EnvironmentSpec("ALE/Freeway-v5", {"sticky_actions": 0.0, "frame_skip": 2}).make()
    other.reset(seed=0)
    other.step(1)
    assert other.unwrapped.ale.getEpisodeFrameNumber() == 2
    assert other.unwrapped.ale.getFloat("repeat_action_probability") == 0


@pytest.mark.parametrize("training", [True, False])
def test_a_game_ends_with_a_life_in_training_alone(training):
    pytest.importorskip("ale_py")
    spec = EnvironmentSpec("ALE/Breakout-v5", {"life_loss": True, "noops": 5})
    environment = spec.make(training=training)
    environment.reset(seed=0)
    over, lives = False, 5
    while not over:
        _, _, over, _, info = environment.step(1)
        lives = info["lives"]
    assert lives == (4 if training else 0)


def test_a_game_that_does_not_exist():
    pytest.importorskip("ale_py")
    with pytest.raises(BadInput, match="did you mean 'ALE/Freeway-v5'"):
        EnvironmentSpec.given("ALE/Freway-v5").make()


def test_games_that_are_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "ale_py", None)  # as Python has it for what is not there
    for name in filter(is_atari, list(gym.registry)):
        monkeypatch.delitem(gym.registry, name)
    with pytest.raises(BadInput, match=r"pip install -e '\.\[atari\]'"):
        EnvironmentSpec.given("ALE/Freeway-v5").make()


def test_resizing_that_is_not_installed(monkeypatch, slides):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(BadInput, match=r"pip install -e '\.\[atari\]'"):
        EnvironmentSpec.given(slides, {"shape": (40, 50)}).make()
