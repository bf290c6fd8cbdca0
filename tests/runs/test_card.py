"""The card that lies in a policy's folder."""

from __future__ import annotations

import re
import shlex

import pytest

import temporl
from temporl.cli import main


@pytest.mark.parametrize(
    ("agent", "env", "options"),
    [
        ("t-q", "temporl/ZigZag-v0", {"episodes": 60, "max_skip": 4, "epsilon": "log"}),
        ("q", "FrozenLake-v1", {"episodes": 40, "env_options": {"is_slippery": False}}),
        ("t-dqn", "CartPole-v1", {"steps": 200, "hidden": (8, 8), "max_skip": 3}),
    ],
)
def test_the_command_on_the_card_makes_the_same_run_again(tmp_path, agent, env, options):
    run = temporl.train(agent, env, out=tmp_path / "first", seed=3, progress=False, **options)
    card = (run.path / "seed-3" / "policy" / "README.md").read_text()
    assert card.startswith(f"# {agent} on ")
    assert f"- environment: `{env}`" in card
    assert f"trained with temporl {temporl.__version__}" in card
    command = re.search(r"```\n(temporl train .*?)```", card, flags=re.DOTALL).group(1)
    words = shlex.split(command.replace("\\\n", " "))
    assert main([*words[1:], "--out", str(tmp_path / "again")]) == 0
    (again,) = (tmp_path / "again").glob("*/*/seed-3")
    assert again.parent.name == run.path.name
    for name in ("policy/arrays.safetensors", "config.json"):
        assert (again / name).read_bytes() == (run.path / "seed-3" / name).read_bytes()


def test_the_scores_are_those_of_the_last_evaluations(tmp_path):
    run = temporl.train("t-q", "temporl/Cliff-v0", episodes=500, out=tmp_path, progress=False)
    card = (run.path / "seed-0" / "policy" / "README.md").read_text()
    late = run.evaluations().to_pandas().tail(50)
    assert f"return {late['return'].mean():.4g}, {late['decisions'].mean():.4g} decisions" in card


def test_a_run_without_evaluations_says_so(tmp_path):
    run = temporl.train(
        "q", "temporl/Cliff-v0", episodes=5, evaluate_every=0, out=tmp_path, progress=False
    )
    card = (run.path / "seed-0" / "policy" / "README.md").read_text()
    assert "not evaluated while it was trained" in card
