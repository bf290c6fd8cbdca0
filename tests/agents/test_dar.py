"""Dynamic action repetition: an output for every pair of an action and a repeat."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.agents.small import PLANE, drawn, small
from tests.replay.quick import quick

from temporl.agents.agent import Spaces
from temporl.replay import Batch
from temporl.skipping import Connection


def with_best_output(agent, spaces, output):
    """Networks whose best output is a given one, whatever is seen."""
    layers = agent.draw(np.random.default_rng(0), spaces)
    last = layers[-1]
    bias = np.zeros_like(last.bias)
    bias[output] = 100.0
    return (*layers[:-1], last._replace(bias=bias))


@pytest.mark.parametrize(("actions", "fine", "coarse"), [(1, 1, 10), (3, 1, 2), (7, 3, 8)])
def test_every_pair_of_an_action_and_a_repeat_is_an_output(actions, fine, coarse):
    agent, spaces = small("dar", fine_skip=fine, max_skip=coarse), Spaces((2,), None, actions)
    networks = agent.draw(np.random.default_rng(0), spaces)
    outputs = networks[-1].bias.size
    assert outputs == 2 * actions
    found = [
        agent.greedy(with_best_output(agent, spaces, output), np.zeros(2, np.float32), ()).decision
        for output in range(outputs)
    ]
    assert sorted((int(a), int(s)) for a, s in found) == sorted(
        (action, skip) for action in range(actions) for skip in (fine, coarse)
    )


def test_the_values_shown_are_those_of_the_outputs_that_are_played():
    agent = small("dar")
    for output in range(6):
        networks = with_best_output(agent, PLANE, output)
        action, skip = agent.greedy(networks, np.zeros(2, np.float32), ()).decision
        values = {
            other: agent.skip_values(networks, np.zeros(2, np.float32), other) for other in range(3)
        }
        assert values[int(action)][int(skip)] > 50
        assert sum(value > 50 for both in values.values() for value in both.values()) == 1


def test_a_decision_teaches_the_output_that_was_played_with_the_discount_of_its_length():
    """Targets by hand: the reward, and gamma**repeat times the double-Q value of what follows."""
    agent = small("dar", gamma=0.9, tau=1e-6, learning_rate=0.01)
    random = np.random.default_rng(0)
    networks, lagging = drawn(agent), drawn(agent, seed=1)
    skips = np.array([1, 4, 4, 1, 4, 4])
    ended = np.array([False, False, False, True, True, False])
    batch = Connection(
        observation=random.normal(size=(6, 2)).astype(np.float32),
        action=np.array([0, 1, 2, 0, 1, 2], np.int32),
        skip=skips.astype(np.int32),
        reward=random.normal(size=6).astype(np.float32),
        discount=np.where(ended, 0.0, 0.9**skips).astype(np.float32),
        next_observation=random.normal(size=(6, 2)).astype(np.float32),
    )

    def values(layers, seen):
        first, last = layers
        return np.maximum(seen @ first.weight + first.bias, 0) @ last.weight + last.bias

    best = values(networks, batch.next_observation).argmax(1)
    following = values(lagging, batch.next_observation)[np.arange(6), best]
    targets = batch.reward + np.where(ended, 0.0, 0.9**skips) * following
    output = [0, 3 + 1, 3 + 2, 0, 3 + 1, 3 + 2]
    played = values(networks, batch.observation)[np.arange(6), output]
    state = agent.init(networks)._replace(target=jax.tree.map(jnp.asarray, lagging))
    state, metrics = quick(agent.update)(
        state, Batch(None, jax.tree.map(jnp.asarray, batch)), jax.random.key(0)
    )
    assert float(metrics["mean_target"]) == pytest.approx(targets.mean(), abs=1e-5)
    assert float(metrics["behaviour_loss"]) == pytest.approx(np.mean((played - targets) ** 2), 1e-4)
    errors = np.zeros(6)
    np.add.at(errors, output, played - targets)
    moved = np.asarray(state.network[-1].bias) - networks[-1].bias
    np.testing.assert_allclose(moved, -0.01 * np.sign(errors), atol=1e-6)
    assert (errors != 0).sum() == 3


def test_it_learns_from_whole_decisions_and_not_from_single_steps():
    learns_from = small("dar", gamma=0.8).learns_from
    assert (learns_from.connections, learns_from.transitions) == ("decision", False)
    assert learns_from.skips == (1, 4)
