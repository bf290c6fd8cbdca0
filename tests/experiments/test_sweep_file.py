from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from temporl.errors import BadInput
from temporl.experiments.sweep_file import read_sweep, shard, sweep_from_data

SWEEP = """
name = "skips"
agents = ["q", "t-q"]
environments = ["temporl/ZigZag-v0", "FrozenLake-v1"]
seeds = 3
episodes = 20

[options]
epsilon = [0.1, "log"]

[options.t-q]
max_skip = [2, 4, 7]
"""
DATA = {
    "name": "skips",
    "agents": ["q", "t-q"],
    "environments": ["temporl/ZigZag-v0"],
    "seeds": 2,
    "episodes": 5,
}


def test_every_combination_is_there_once(tmp_path):
    (tmp_path / "sweep.toml").write_text(SWEEP)
    sweep = read_sweep(tmp_path / "sweep.toml")
    combinations = Counter(
        (
            config.agent_name,
            config.environment.name,
            config.agent.epsilon,
            getattr(config.agent, "max_skip", None),
        )
        for config in sweep.configs
    )
    assert len(combinations) == 2 * 2 * (1 + 3)
    assert set(combinations.values()) == {1}
    runs = sweep.runs(tmp_path)
    assert len(runs) == 3 * len(combinations)
    assert len({run.folder for run in runs}) == len(runs)
    assert {run.folder.parents[1] for run in runs} == {tmp_path / "skips"}


def test_a_list_is_a_choice_and_a_list_of_lists_a_choice_of_tuples():
    data = DATA | {
        "agents": ["dqn"],
        "environments": ["CartPole-v1"],
        "episodes": None,
        "steps": 100,
        "options": {"hidden": [[8], [16, 16]], "batch_size": 4},
    }
    sweep = sweep_from_data({key: value for key, value in data.items() if value is not None})
    assert [config.agent.hidden for config in sweep.configs] == [(8,), (16, 16)]
    assert {config.agent.batch_size for config in sweep.configs} == {4}


def test_the_same_configuration_twice_is_one():
    assert len(sweep_from_data(DATA | {"options": {"alpha": [0.5, 0.5]}}).configs) == 2


def test_shards_are_disjoint_and_together_everything():
    runs = sweep_from_data(DATA | {"seeds": 11}).runs(Path("out"))
    folders = sorted(run.folder for run in runs)
    for count in (1, 2, 3, 7, 100):
        parts = [shard(runs, f"{number}/{count}") for number in range(1, count + 1)]
        assert sorted(run.folder for part in parts for run in part) == folders
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert shard(runs, None) == runs


def test_shards_that_are_none():
    for part in ("", "0/2", "3/2", "1", "1/0", "-1/2", "a/b", "1/2/3", "\u0661/2"):
        with pytest.raises(BadInput, match=r"^shard: "):
            shard([], part)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "../elsewhere"}, "name"),
        ({"name": 3}, "name"),
        ({"agents": "q"}, "agents"),
        ({"agents": []}, "agents"),
        ({"agents": ["nobody"]}, "agent"),
        ({"environments": ["Nowhere-v0"]}, "env"),
        ({"environments": [1]}, "environments"),
        ({"seeds": 2.5}, "seeds"),
        ({"seeds": True}, "seeds"),
        ({"seeds": 10**12}, "options"),
        ({"steps": 5}, "episodes"),
        ({"episodes": 10**12}, "episodes"),
        ({"driver": "car"}, "driver"),
        ({"colour": "red"}, "field"),
        ({"options": []}, "options"),
        ({"options": {"t-q": 3}}, "options.t-q"),
        ({"options": {"colour": "red"}}, "colour"),
        ({"options": {"alpha": []}}, "options"),
        ({"options": {"alpha": "much"}}, "alpha"),
        ({"options": {"t-q": {"max_skip": 10**9}}}, "max_skip"),
        ({"options": {"gamma": [0.5] * 2_000_000}}, "options"),
        ({"env_options": {"colour": 1}}, "env"),
    ],
)
def test_what_cannot_be_is_named(change, field):
    with pytest.raises(BadInput) as caught:
        sweep_from_data(DATA | change)
    assert caught.value.field == field
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"=", b"\xff", b"name = ", b"a" * 2_000_000, b"[[" * 5000])
def test_files_that_are_no_toml(content, tmp_path):
    (tmp_path / "sweep.toml").write_bytes(content)
    with pytest.raises(BadInput) as caught:
        read_sweep(tmp_path / "sweep.toml")
    assert caught.value.field == "file"
    with pytest.raises(BadInput, match="no such file"):
        read_sweep(tmp_path / "nothing.toml")


VALUES = st.recursive(
    st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.dates()
    | st.sampled_from(["q", "t-q", "FrozenLake-v1", "linear", "all"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
OPTIONS = ["alpha", "gamma", "epsilon", "max_skip", "skips", "t-q", "mu", "tie_tolerance", "q"]


@settings(max_examples=300)
@given(st.data())
def test_anything_is_a_sweep_or_refused_in_one_line(data):
    sweep = dict(DATA)
    fields = [*DATA, "steps", "options", "env_options", "driver", "step_limit", "evaluate_every"]
    for field in data.draw(st.lists(st.sampled_from(fields), max_size=2)):
        sweep[field] = data.draw(VALUES)
    options = data.draw(st.dictionaries(st.sampled_from(OPTIONS), VALUES, max_size=2))
    if "options" not in sweep:
        sweep["options"] = options
    complaint = ""
    try:
        assert sweep_from_data(sweep).configs
    except BadInput as error:
        complaint = str(error)
    assert "\n" not in complaint
