"""A trained agent in use: NumPy alone, the same decisions, and nothing silently accepted."""

from __future__ import annotations

import timeit

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from tests.agents.small import SMALL, drawn, small
from tests.replay.quick import quick

from temporl.agents import make_agent
from temporl.agents.agent import Spaces
from temporl.agents.policy import NetworkPolicy, agent_spaces
from temporl.errors import BadInput

EVERY_AGENT = pytest.mark.parametrize("name", SMALL)
PLANE = Box(-5.0, 5.0, (2,), np.float32)


def policy(name, observations=PLANE, actions=None, **options):
    actions = Discrete(3) if actions is None else actions
    agent = small(name, **options)
    return NetworkPolicy(
        agent, drawn(agent, agent_spaces(observations, actions)), observations, actions
    )


@EVERY_AGENT
def test_decisions_are_those_of_the_compiled_agent(name):
    trained = policy(name)
    seen = np.random.default_rng(0).normal(size=(300, 2)).astype(np.float32)

    def greedy(observation):
        action, skip = trained.agent.greedy(trained.params, observation, ()).decision
        return jnp.stack([jnp.int32(action), jnp.int32(skip)])

    compiled = np.asarray(quick(jax.vmap(greedy))(seen))
    decided = [trained.decide(observation) for observation in seen]
    assert decided == [tuple(row) for row in compiled.tolist()]
    assert all(type(number) is int for number in decided[0])
    assert len(set(decided)) > 1


@EVERY_AGENT
def test_discrete_observations_and_actions_may_start_anywhere(name):
    trained = policy(name, Discrete(5, start=2), Discrete(3, start=-1))
    plain = policy(name, Discrete(5), Discrete(3))
    for number in range(5):
        action, skip = plain.decide(number)
        assert trained.decide(np.int64(number + 2)) == (action - 1, skip)
        assert trained.skip_values(number + 2, action - 1) == plain.skip_values(number, action)


NOT_TWO_NUMBERS = ([0.0], [0.0] * 3, [[0.0, 0.0]], 0.0, [0.0, np.nan], [np.inf, 0.0])


@pytest.mark.parametrize(
    ("observations", "observation"),
    [*((PLANE, seen) for seen in NOT_TWO_NUMBERS), *((Discrete(5), n) for n in (-1, 5, 2.5, [1]))],
    ids=str,
)
def test_observations_that_cannot_be_are_refused(observations, observation):
    with pytest.raises(BadInput) as refused:
        policy("t-dqn-concat", observations).decide(np.array(observation))
    assert refused.value.field == "observation"


def test_actions_that_cannot_be_are_refused():
    with pytest.raises(BadInput) as refused:
        policy("t-dqn-concat").skip_values(np.zeros(2), 3)
    assert refused.value.field == "action"


@EVERY_AGENT
def test_the_decision_is_the_best_of_the_values_that_are_shown(name):
    trained = policy(name)
    for observation in np.random.default_rng(1).normal(size=(30, 2)):
        action, skip = trained.decide(observation)
        values = trained.skip_values(observation)
        assert values == trained.skip_values(observation, action)
        assert max(values, key=values.get) == skip
        of_actions = trained.action_values(observation)
        assert of_actions.shape == (3,)
        assert of_actions.argmax() == action
        if name == "dar":  # the value of an action is that of the better of its repeats
            others = [trained.skip_values(observation, other) for other in range(3)]
            assert of_actions.tolist() == [max(both.values()) for both in others]


@pytest.mark.parametrize("name", ["dqn", "t-dqn", "dar", "ez-dqn"])
def test_a_decision_takes_less_than_100_microseconds(name):
    """With the networks of the paper; the best of many tries, because the machine may be busy."""
    agent = make_agent(name)
    trained = NetworkPolicy(agent, drawn(agent, Spaces((2,), None, 3)), PLANE, Discrete(3))
    observation = np.zeros(2, np.float32)
    seconds = min(timeit.repeat(lambda: trained.decide(observation), number=20, repeat=50)) / 20
    assert seconds < 100e-6


@pytest.mark.parametrize(
    ("observations", "actions", "field"),
    [
        (PLANE, Box(-1, 1, (1,), np.float32), "action space"),
        (PLANE, gym.spaces.MultiDiscrete([2, 2]), "action space"),
        (Box(0, 1, (3, 3), np.float32), Discrete(2), "observation space"),
        (gym.spaces.Tuple([Discrete(2), Discrete(2)]), Discrete(2), "observation space"),
        (gym.spaces.Dict({"a": Discrete(2)}), Discrete(2), "observation space"),
    ],
    ids=["continuous", "several actions", "image", "tuple", "dictionary"],
)
def test_spaces_that_these_agents_cannot_learn_from_are_refused(observations, actions, field):
    with pytest.raises(BadInput, match="'probe'") as refused:
        make_agent("dqn").check(observations, actions, "probe")
    assert refused.value.field == field


def test_what_an_agent_knows_of_an_environment():
    assert agent_spaces(PLANE, Discrete(3)) == ((2,), None, 3, False)
    assert agent_spaces(Discrete(7, start=3), Discrete(2)) == ((), 7, 2, False)
    assert agent_spaces(PLANE, Discrete(3)).inputs == 2
    assert agent_spaces(Discrete(7), Discrete(2)).inputs == 7
