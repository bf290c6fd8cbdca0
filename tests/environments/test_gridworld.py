from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import temporl
from temporl.environments import WORLDS, GridWorld
from temporl.errors import BadInput

UP, RIGHT, DOWN, LEFT = range(4)


@pytest.mark.filterwarnings("ignore:.*render:UserWarning")
@pytest.mark.parametrize(
    ("world", "render_mode", "slip"),
    [
        *((world, None, 0.0) for world in WORLDS),
        ("temporl/ZigZag-v0", "ansi", 0.2),
        ("temporl/ZigZag-v0", "rgb_array", 0.2),
    ],
)
def test_gymnasium_finds_nothing_wrong(world, render_mode, slip):
    environment = gym.make(world, slip=slip, render_mode=render_mode)
    check_env(environment.unwrapped, skip_render_check=True)
    environment.close()


@pytest.mark.parametrize(("world", "limit"), [(w, WORLDS[w].step_limit) for w in WORLDS])
def test_worlds_are_registered_with_their_limit(world, limit):
    assert gym.spec(world).max_episode_steps == limit
    environment = gym.make(world)
    assert isinstance(environment.unwrapped, GridWorld)
    environment.reset(seed=0)
    for step in range(limit):
        _, _, terminated, truncated, _ = environment.step(UP)
        assert not terminated
        assert truncated == (step == limit - 1)


def test_registering_twice_changes_nothing():
    before = dict(gym.registry)
    temporl.register_worlds()
    assert gym.registry == before


def test_a_walk_by_hand():
    """Down to the lowest row of ZigZag, right, up between the pits, right, and down to the goal."""
    environment = gym.make("temporl/ZigZag-v0")
    state, _ = environment.reset(seed=0)
    assert state == 0
    walk = [DOWN] * 4 + [RIGHT] * 5 + [UP] * 3 + [RIGHT] * 4 + [DOWN] * 3
    for action in walk:
        state, reward, terminated, _, _ = environment.step(action)
        assert (reward, terminated) == (0.0, False)
    assert environment.step(DOWN)[:3] == (59, 1.0, True)


def test_a_pit_ends_the_episode_with_minus_one():
    environment = gym.make("temporl/Cliff-v0")
    environment.reset(seed=0)
    assert environment.step(RIGHT)[:3] == (1, 0.0, False)
    assert environment.step(RIGHT)[:3] == (2, -1.0, True)


def test_a_wall_leaves_the_agent_where_it_is():
    world = GridWorld("S#G\n...")
    world.reset(seed=0)
    assert world.step(RIGHT)[:3] == (0, 0.0, False)
    assert world.step(UP)[:3] == (0, 0.0, False)


def test_slips_go_to_the_two_sides():
    world = GridWorld("...\n.S.\n..G", slip=0.2)
    assert world.P[4][UP] == [(0.8, 1, 0.0, False), (0.1, 3, 0.0, False), (0.1, 5, 0.0, False)]
    world.reset(seed=0)
    ends = []
    for _ in range(10_000):
        world.reset()
        ends.append(world.step(UP)[0])
    frequencies = np.bincount(ends, minlength=9) / len(ends)
    assert frequencies == pytest.approx([0, 0.8, 0, 0.1, 0, 0.1, 0, 0, 0], abs=0.02)


@pytest.mark.parametrize("slip", [0.0, 0.3, 1.0])
def test_probabilities_sum_to_one(slip):
    world = GridWorld("S.X\n.#G", slip=slip)
    for actions in world.P.values():
        for outcomes in actions.values():
            assert sum(outcome[0] for outcome in outcomes) == pytest.approx(1.0)


def test_several_starts_are_equally_likely():
    world = GridWorld("S.S\n.G.\nS.S")
    world.reset(seed=0)
    starts = [world.reset()[0] for _ in range(4000)]
    frequencies = np.bincount(starts, minlength=9) / len(starts)
    assert frequencies == pytest.approx([0.25, 0, 0.25, 0, 0, 0, 0.25, 0, 0.25], abs=0.04)


def test_the_same_seed_gives_the_same_slips():
    def walk() -> list[int]:
        world = GridWorld("....\n.S..\n....\n...G", slip=0.5)
        world.reset(seed=3)
        return [world.step(action)[0] for action in (UP, RIGHT, DOWN, LEFT) * 5]

    assert walk() == walk()


def test_the_goal_can_be_given():
    environment = gym.make("temporl/Open-v0", goal=(0, 12))
    environment.reset(seed=0)
    assert environment.step(RIGHT)[1:3] == (1.0, True)


@pytest.mark.parametrize(
    ("field", "value"), [("slip", -0.1), ("slip", 1.1), ("render_mode", "human"), ("goal", (9, 9))]
)
def test_bad_options_are_refused_by_name(field, value):
    with pytest.raises(BadInput) as caught:
        GridWorld("S.G", **{field: value})
    assert caught.value.field == field


def test_text_shows_the_agent():
    world = GridWorld("S.G\n.X.", render_mode="ansi")
    world.reset(seed=0)
    assert world.render() == "A.G\n.X.\n"
    world.step(RIGHT)
    assert world.render() == "SAG\n.X.\n"


def test_pictures_show_the_agent():
    world = GridWorld("S.G\n.X.", render_mode="rgb_array")
    world.reset(seed=0)
    before = world.render()
    assert before.dtype == np.uint8
    height, width, colours = before.shape
    assert (height % 2, width % 3, colours) == (0, 0, 3)
    world.step(RIGHT)
    after = world.render()
    cell = height // 2
    changed = np.any(before != after, axis=2)
    assert changed[:cell, : 2 * cell].any()
    assert not changed[cell:].any()
    assert not changed[:, 2 * cell :].any()


def test_without_a_render_mode_there_is_nothing_to_see():
    world = GridWorld("S.G")
    world.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert world.render() is None
