from __future__ import annotations

import gymnasium as gym
import pytest

from temporl.environments import EnvironmentSpec
from temporl.environments.catalogue import step_limit_of
from temporl.errors import BadInput


def test_a_map_from_a_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("S.G\n...\n")
    spec = EnvironmentSpec.given(str(path))
    path.unlink()
    environment = spec.make()
    assert environment.unwrapped.map.rows == ("S.G", "...")
    assert spec.label == "map"
    assert step_limit_of(environment, spec.name) == 100
    assert str(tmp_path) not in repr(spec)


def test_large_maps_get_long_episodes(tmp_path):
    path = tmp_path / "large.txt"
    path.write_text("\n".join(["S" + "." * 19] * 9 + ["." * 19 + "G"]))
    spec = EnvironmentSpec.given(str(path))
    assert spec.step_limit == 2 * 10 * 20
    assert EnvironmentSpec.given(str(path), step_limit=7).step_limit == 7


def test_options_reach_the_environment():
    spec = EnvironmentSpec.given("temporl/Open-v0", {"goal": [3, 3], "slip": 0.5}, step_limit=9)
    environment = spec.make()
    assert environment.unwrapped.map.rows[3][3] == "G"
    assert len(environment.unwrapped.P[0][0]) == 3
    assert step_limit_of(environment, "open") == 9


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("temporl/Clif-v0", "temporl/Cliff-v0"),
        ("ZigZag-v0", "temporl/ZigZag-v0"),
        ("FrozenLak-v1", "FrozenLake-v1"),
        ("frozenlake-v1", "FrozenLake-v1"),
        ("FrozenLake-v99", "FrozenLake"),
    ],
)
def test_an_unknown_environment_is_answered_with_the_nearest(name, nearest):
    with pytest.raises(BadInput, match=f"did you mean '{nearest}") as caught:
        EnvironmentSpec.given(name).make()
    assert caught.value.field == "env"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["no/such/map.txt", "missing.txt"])
def test_a_map_that_is_not_there_is_refused(name):
    with pytest.raises(BadInput, match="map"):
        EnvironmentSpec.given(name)


@pytest.mark.parametrize("name", ["nowhere_module:Env-v0", "!!", "a b c", ""])
def test_what_is_no_environment_at_all_is_refused(name):
    with pytest.raises(BadInput) as caught:
        EnvironmentSpec.given(name).make()
    assert caught.value.field == "env"


def test_options_that_an_environment_does_not_take_are_refused():
    with pytest.raises(BadInput, match="it cannot be made") as caught:
        EnvironmentSpec.given("temporl/Cliff-v0", {"colour": "red"}).make()
    assert caught.value.field == "env"


@pytest.mark.parametrize("limit", [0, -5])
def test_a_step_limit_below_one_is_refused(limit):
    with pytest.raises(BadInput) as caught:
        EnvironmentSpec.given("temporl/Cliff-v0", step_limit=limit)
    assert caught.value.field == "step_limit"


def test_an_environment_without_a_limit_needs_one():
    environment = gym.make("CliffWalking-v1")
    with pytest.raises(BadInput, match=r"step_limit.*--step-limit"):
        step_limit_of(environment, "CliffWalking-v1")
    limited = EnvironmentSpec.given("CliffWalking-v1", step_limit=50).make()
    assert step_limit_of(limited, "CliffWalking-v1") == 50


def test_the_tightest_of_several_limits_counts():
    environment = gym.wrappers.TimeLimit(gym.make("temporl/Cliff-v0"), 30)
    assert step_limit_of(environment, "cliff") == 30
    environment = gym.wrappers.TimeLimit(gym.make("temporl/Cliff-v0"), 300)
    assert step_limit_of(environment, "cliff") == 100


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("temporl/Cliff-v0", "Cliff-v0"),
        ("FrozenLake-v1", "FrozenLake-v1"),
        ("package.module:Mine-v0", "Mine-v0"),
        ("package:space/Mine-v0", "space-Mine-v0"),
    ],
)
def test_labels_fit_a_folder(name, label):
    assert EnvironmentSpec(name).label == label
