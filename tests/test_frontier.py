"""Playing one trained policy at many prices."""

from __future__ import annotations

import json

import numpy as np
import pytest

import temporl
from temporl.cli import main
from temporl.errors import BadInput
from temporl.evaluation import Evaluation
from temporl.frontier import Point, Setting, best_point, frontier, sentence, with_return_kept

WORLD = "temporl/ZigZag-v0"


def trained(agent, out, **options):
    run = {"episodes": 1500, "epsilon": "linear", "progress": False, "workers": 1, "out": out}
    return temporl.train(agent, WORLD, **run, **options)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return trained("frugal-q", tmp_path_factory.mktemp("frugal"))


def point(earned, decisions, **setting):
    played = Evaluation(np.array([earned]), np.array([40]), np.array([decisions]))
    return Point(Setting(**setting), 0.1, played)


def test_a_higher_price_never_takes_more_decisions(run):
    points = frontier(run.policy(), WORLD, episodes=2)
    assert points[0].setting.label == "every step"
    assert points[0].decisions == points[0].played.lengths.mean()
    priced = sorted(
        (p for p in points if p.setting.repeat is None), key=lambda p: (p.price, -p.decisions)
    )
    assert len(priced) == 7
    decisions = [p.decisions for p in priced]
    assert decisions == sorted(decisions, reverse=True)
    assert priced[0].earned == points[0].earned == 1.0
    assert priced[0].decisions < points[0].decisions / 2


def test_a_policy_with_another_price_is_the_same_but_for_it(run):
    policy = run.policy()
    assert policy.with_price(0).price == 0
    assert policy.with_price(0.3).price == 0.3
    assert policy.with_price("5%").price == pytest.approx(policy.price)
    assert policy.with_price(0).decide(0).skip == 1
    assert policy.with_price(1e6).decide(0).skip == 7
    assert policy.with_price(0).decide(0).action == policy.decide(0).action
    with pytest.raises(BadInput, match="tie_tolerance"):
        policy.with_tolerance(0.1)


def test_agents_that_value_skips_have_tolerances_and_others_have_neither(tmp_path):
    skipping = trained("t-q", tmp_path).policy()
    labels = [p.setting.label for p in frontier(skipping, WORLD, episodes=1)]
    assert labels[:2] == ["every step", "as trained"]
    assert labels[2].startswith("tolerance")
    assert labels[-3:] == ["repeat 2", "repeat 4", "repeat 8"]
    with pytest.raises(BadInput, match="decision_cost"):
        skipping.with_price(0.1)
    plain = trained("q", tmp_path).policy()
    assert len(frontier(plain, WORLD, episodes=1)) == 5
    with pytest.raises(BadInput, match="policy"):
        with_return_kept(plain, WORLD)


def test_the_best_point_has_the_fewest_decisions_of_those_that_keep_the_return():
    points = [
        point(-100, 100, repeat=1),
        point(-98, 30),
        point(-104, 20, decision_cost=0.2),
        point(-120, 10, decision_cost=1.0),
        point(-90, 5, repeat=8),
    ]
    assert best_point(points) is points[2]
    assert best_point(points, keep_return=1.0) is points[1]
    assert best_point(points, keep_return=0.5) is points[3]
    assert sentence(points) == (
        "At a price of 0.1 it makes 20 % of the decisions and earns 4.0 % less than by deciding at"
        " every step."
    )
    assert sentence(points, 1.0).endswith("earns 2.0 % more than by deciding at every step.")
    trained = Point(Setting(), 0.0, points[1].played)
    assert sentence([points[0], trained]).startswith("As trained it makes 30 % of the decisions")
    assert sentence([points[0], points[3]]).startswith("Nothing but deciding at every step")


def test_return_is_kept_where_that_is_asked_for(run):
    kept = with_return_kept(run.policy(), WORLD, episodes=2)
    outcome = temporl.evaluate(kept, WORLD, 2)
    assert outcome.returns.mean() == 1.0
    assert outcome.decisions.mean() < outcome.lengths.mean() / 2


def test_the_command_prints_a_table_a_sentence_and_a_picture(run, capsys):
    assert main(["frontier", str(run.path), "--episodes", "2"]) == 0
    printed = capsys.readouterr().out
    assert "every step" in printed
    assert "% of the decisions" in printed
    assert (run.path / "frontier.png").stat().st_size > 10_000
    assert main(["frontier", str(run.path), "--episodes", "2", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert {"price", "return", "steps", "decisions"} <= points[0].keys()
    assert points[0]["return"]["mean"] == 1.0
    assert main(["evaluate", str(run.path), "--decision-cost", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["decisions"]["mean"] == points[0]["steps"]["mean"]
    assert main(["evaluate", str(run.path), "--tie-tolerance", "0.1"]) == 2
    assert "tie_tolerance" in capsys.readouterr().err
