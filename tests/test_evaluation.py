from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from tests.worlds import TableWorld, grid, limited

import temporl
from temporl.errors import BadInput
from temporl.evaluation import Evaluation, evaluate, make_environment, play_episode
from temporl.skipping import Decision

UP, RIGHT, DOWN, LEFT = range(4)


class Script:
    """A policy that answers with the decisions it was given, and remembers what it saw."""

    def __init__(self, *decisions: tuple[int, int]) -> None:
        self.decisions, self.seen = [Decision(*d) for d in decisions], []

    def decide(self, observation) -> Decision:
        self.seen.append(observation)
        return self.decisions[(len(self.seen) - 1) % len(self.decisions)]


def test_decisions_are_counted_and_played_for_their_length():
    script = Script((DOWN, 4), (RIGHT, 5), (UP, 3), (RIGHT, 4), (DOWN, 4))
    assert play_episode(script, gym.make("temporl/ZigZag-v0"), seed=0) == (1.0, 20, 5)
    assert script.seen == [0, 40, 45, 15, 19]


def test_a_skip_cut_short_counts_as_one_decision():
    assert play_episode(Script((RIGHT, 7)), gym.make("temporl/Cliff-v0"), seed=0) == (-1.0, 2, 1)


def test_a_time_limit_cuts_a_skip_short():
    assert play_episode(Script((UP, 7)), grid("S.G", 10), seed=0) == (0.0, 10, 2)


def test_a_limit_can_be_given():
    assert play_episode(Script((UP, 7)), grid("S.G", 100), seed=0, step_limit=8) == (0.0, 8, 2)


def test_decisions_can_be_taken_again_earlier_than_the_policy_wants():
    script = Script((DOWN, 4), (DOWN, 2), (RIGHT, 5), (RIGHT, 2))
    played = play_episode(script, gym.make("temporl/ZigZag-v0"), seed=0, step_limit=7, max_skip=2)
    assert played == (0.0, 7, 4)
    assert script.seen == [0, 20, 40, 42]
    with pytest.raises(BadInput, match="max_skip"):
        evaluate(script, "temporl/ZigZag-v0", max_skip=0)


def test_a_summary_by_hand():
    outcome = Evaluation(np.array([1.0, -1.0]), np.array([10, 20]), np.array([4, 4]))
    assert outcome.summary() == {
        "episodes": 2,
        "return": {"mean": 0.0, "std": 1.0, "min": -1.0, "max": 1.0},
        "steps": {"mean": 15.0, "std": 5.0, "min": 10.0, "max": 20.0},
        "decisions": {"mean": 4.0, "std": 0.0, "min": 4.0, "max": 4.0},
    }


def lottery() -> gym.Env:
    """One step with a random reward."""
    row = [(0.1, 0, float(prize), True) for prize in range(10)]
    return limited(TableWorld([[row]]), 5)


def test_an_episode_does_not_depend_on_those_before_it():
    policy = Script((0, 1))
    long = evaluate(policy, lottery, episodes=30, seed=4).returns
    assert evaluate(policy, lottery, episodes=5, seed=4).returns.tolist() == long[:5].tolist()
    assert len(set(long)) > 3
    assert evaluate(policy, lottery, episodes=30, seed=5).returns.tolist() != long.tolist()


def test_an_environment_used_before_gives_the_same_episodes():
    policy, used = Script((0, 1)), lottery()
    first = evaluate(policy, used, episodes=10).returns
    assert evaluate(policy, used, episodes=10).returns.tolist() == first.tolist()


@pytest.mark.parametrize("episodes", [0, -1])
def test_at_least_one_episode_is_played(episodes):
    with pytest.raises(BadInput) as caught:
        evaluate(Script((0, 1)), lottery, episodes=episodes)
    assert caught.value.field == "episodes"


def test_environments_can_be_given_in_four_ways(tmp_path):
    path = tmp_path / "map.txt"
    path.write_text("S.G")
    given = grid("S.G")
    assert make_environment(given) is given
    ways = ("temporl/Cliff-v0", str(path), temporl.EnvironmentSpec("temporl/Cliff-v0"), lottery)
    for way in ways:
        assert isinstance(make_environment(way), gym.Env)


class Closing(gym.Wrapper):
    closed = 0

    def close(self):
        Closing.closed += 1
        super().close()


def test_only_environments_made_here_are_closed():
    own = Closing(lottery())
    evaluate(Script((0, 1)), own, episodes=1)
    assert Closing.closed == 0
    evaluate(Script((0, 1)), lambda: Closing(lottery()), episodes=1)
    assert Closing.closed == 1


def test_an_environment_without_a_limit_needs_one():
    endless = TableWorld([[[(1.0, 0, 0.0, False)]]])
    with pytest.raises(BadInput) as caught:
        evaluate(Script((0, 1)), endless, episodes=1)
    assert caught.value.field == "step_limit"
    assert evaluate(Script((0, 1)), endless, episodes=1, step_limit=7).lengths.tolist() == [7]
