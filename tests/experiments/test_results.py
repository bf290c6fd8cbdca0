"""The rows in `docs/results`, made by `make results`, hold what the documentation says of them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def rows(name: str, **wanted: str) -> list[dict[str, str]]:
    found = csv.DictReader((RESULTS / f"{name}.csv").read_text().splitlines())
    return [row for row in found if all(row[key] == value for key, value in wanted.items())]


def pairs(name: str, **wanted: str) -> list[tuple[float, float]]:
    """Ours and published."""
    return [(float(row["value"]), float(row["published"])) for row in rows(name, **wanted)]


def test_every_cell_has_all_its_seeds():
    assert {row["seeds"] for row in rows("gridworlds")} == {"100"}
    assert {row["seeds"] for row in rows("skip-length")} == {"10"}
    assert len(rows("gridworlds", metric="reward_auc")) == 18
    assert len(rows("skip-length", metric="reward_auc")) == 48


def test_t_q_learns_as_fast_as_published_with_as_few_decisions():
    assert all(o >= p - 0.005 for o, p in pairs("gridworlds", agent="t-q", metric="reward_auc"))
    assert all(o <= p + 0.3 for o, p in pairs("gridworlds", agent="t-q", metric="decisions"))


def test_q_is_as_published():
    for row in rows("gridworlds", agent="q", metric="reward_auc"):
        misprinted = (row["environment"], row["schedule"]) == ("bridge", "constant")
        published = 0.992 if misprinted else float(row["published"])
        assert float(row["value"]) == pytest.approx(published, abs=0.015)
    for ours, published in pairs("gridworlds", agent="q", metric="decisions"):
        assert ours == pytest.approx(published, rel=0.05)


def test_speed_ups_are_as_published():
    assert pairs("gridworlds", metric="speedup_to_reward_0.5")[0][0] >= 13
    assert pairs("gridworlds", metric="speedup_to_reward_1.0")[0][0] >= 12


@pytest.mark.parametrize("name", ["gridworlds-skip", "gridworlds-committed"])
def test_other_ways_to_learn_from_connections_are_near_the_published_values(name):
    for ours, published in pairs(name, metric="reward_auc"):
        assert ours == pytest.approx(published, abs=0.015)


@pytest.mark.parametrize("schedule", ["linear", "log", "constant"])
def test_the_best_longest_skip_is_as_good_as_published(schedule):
    ours, published = zip(
        *pairs("skip-length", schedule=schedule, metric="reward_auc"), strict=True
    )
    assert max(ours) >= max(published)


def test_t_q_explores_twice_as_fast():
    episodes = {row["agent"]: float(row["value"]) for row in rows("exploration")}
    assert 2 * episodes["t-q"] <= min(episodes["q"], episodes["ez-q"])


def measured(environment: str, agent: str, metric: str) -> tuple[float, int]:
    """The best cell of a deep agent: its mean, and over how many seeds."""
    found = rows("featurized", environment=environment, agent=agent, metric=metric)
    values = [(float(row["value"]), int(row["seeds"])) for row in found]
    return min(values) if metric == "decisions" else max(values)


def test_t_dqn_climbs_the_mountain_where_dqn_often_does_not():
    (tempo, seeds), (plain, as_many) = (
        measured("MountainCar", agent, "reward_auc") for agent in ("t-dqn", "dqn")
    )
    assert min(seeds, as_many, measured("MountainCar", "dar", "reward_auc")[1]) >= 10
    assert tempo >= max(0.72, plain + 0.12)
    decisions = measured("MountainCar", "t-dqn", "decisions")[0]
    assert decisions <= 0.5 * measured("MountainCar", "dqn", "decisions")[0]


def test_t_dqn_lands_as_well_as_dqn_with_fewer_decisions():
    (tempo, seeds), (plain, as_many) = (
        measured("LunarLander", agent, "reward_auc") for agent in ("t-dqn", "dqn")
    )
    assert min(seeds, as_many, measured("LunarLander", "dar", "reward_auc")[1]) >= 5
    assert tempo >= max(0.86, plain)
    assert measured("LunarLander", "t-dqn", "decisions")[0] <= (
        0.7 * measured("LunarLander", "dqn", "decisions")[0]
    )


def test_connections_within_skips_are_as_good_as_published():
    ((ours, published),) = pairs("featurized-skip", metric="reward_auc")
    assert ours >= published


def test_every_architecture_and_longest_skip_was_tried_on_mountain_car():
    found = rows("architectures", environment="MountainCar", metric="reward_auc")
    assert len(found) == 15
    assert min(int(row["seeds"]) for row in found) >= 3


def test_t_ddpg_swings_up_as_well_as_ddpg_with_fewer_decisions():
    (plain,) = rows("pendulum", agent="ddpg", metric="reward_auc")
    assert float(plain["value"]) >= 0.91
    found = rows("pendulum", agent="t-ddpg", metric="reward_auc")
    assert [row["max_skip"] for row in found] == ["2", "4", "6", "8", "10", "14", "20"]
    assert min(int(row["seeds"]) for row in (plain, *found)) >= 5
    assert min(float(row["value"]) for row in found) >= max(0.89, float(plain["value"]) - 0.02)
    for row in rows("pendulum", agent="t-ddpg", metric="final_decisions"):
        assert float(row["value"]) <= (0.6 if int(row["max_skip"]) >= 4 else 0.9) * 200


def test_figar_is_better_than_the_script_of_the_paper_and_t_ddpg_better_with_long_skips():
    found = pairs("pendulum", agent="figar", metric="reward_auc")
    assert len(found) == 7
    assert min(int(row["seeds"]) for row in rows("pendulum", agent="figar")) >= 5
    assert all(ours > published + 0.1 for ours, published in found)
    tempo = pairs("pendulum", agent="t-ddpg", metric="reward_auc")
    assert all(t[0] > f[0] for t, f in zip(tempo[-3:], found[-3:], strict=True))


def test_t_td3_climbs_with_few_decisions_where_td3_stands_still():
    world = {"environment": "MountainCarContinuous"}
    found = {row["agent"]: row for row in rows("continuous", metric="reward_auc", **world)}
    assert min(int(found[agent]["seeds"]) for agent in ("td3", "t-td3")) >= 5
    assert abs(float(found["td3"]["value"])) < 0.01
    assert float(found["t-td3"]["value"]) > 0.2
    (decisions,) = rows("continuous", agent="t-td3", metric="final_decisions", **world)
    assert float(decisions["value"]) <= 120


def test_minatar_was_tried_with_every_agent_that_the_documentation_speaks_of():
    found = rows("minatar", metric="final_return")
    tried = {(row["agent"], row["environment"]): row for row in found}
    games = {game for _, game in tried}
    assert len(games) == 5
    for agent in ("dqn", "t-dqn"):
        assert {game for name, game in tried if name == agent} == games
    for agent in ("dar", "ez-dqn"):
        assert len([game for name, game in tried if name == agent]) >= 2
    assert min(int(row["seeds"]) for row in found) >= 3
    for row in rows("minatar", agent="t-dqn", metric="steps_per_decision"):
        assert float(row["value"]) > 1.4


def test_t_dqn_crosses_the_road_as_well_as_dqn_with_a_tenth_of_the_decisions():
    returns = {row["agent"]: float(row["value"]) for row in rows("atari", metric="final_return")}
    assert returns["t-dqn"] >= returns["dqn"] >= 20
    (lasting,) = rows("atari", agent="t-dqn", metric="steps_per_decision")
    assert float(lasting["value"]) > 9
