"""One update, beside the same in plain NumPy."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.agents.small import PLANE, SMALL, drawn, small
from tests.replay.quick import quick

from temporl.replay import Batch
from temporl.skipping import Connection

KEY = jax.random.key(0)

RATE, TAU, GAMMA = 0.01, 0.2, 0.9


def transitions(seed, count=16, skips=(1,)):
    random = np.random.default_rng(seed)
    skip = random.choice(skips, count)
    return Connection(
        observation=random.normal(size=(count, 2)).astype(np.float32),
        action=random.integers(3, size=count).astype(np.int32),
        skip=skip.astype(np.int32),
        reward=random.normal(size=count).astype(np.float32),
        discount=np.where(random.random(count) < 0.2, 0.0, GAMMA**skip).astype(np.float32),
        next_observation=random.normal(size=(count, 2)).astype(np.float32),
    )


class PlainDQN:
    """Double DQN with one hidden layer: gradients by hand, Adam as in its paper, float64."""

    def __init__(self, layers, target):
        self.parts = [np.asarray(part, np.float64) for layer in layers for part in layer]
        self.target = [np.asarray(part, np.float64) for layer in target for part in layer]
        self.first = [np.zeros_like(part) for part in self.parts]
        self.second = [np.zeros_like(part) for part in self.parts]
        self.time = 0

    @staticmethod
    def values(parts, seen):
        weight, bias, head, head_bias = parts
        features = np.maximum(seen @ weight + bias, 0.0)
        return features, features @ head + head_bias

    def value(self, seen):
        best = self.values(self.parts, seen)[1].argmax(axis=1)
        return self.values(self.target, seen)[1][np.arange(len(seen)), best]

    def update(self, batch):
        targets = batch.reward + batch.discount * self.value(batch.next_observation)
        features, values = self.values(self.parts, batch.observation)
        rows = np.arange(len(targets))
        errors = np.zeros_like(values)
        errors[rows, batch.action] = values[rows, batch.action] - targets
        slope = 2.0 * errors / len(targets)
        back = slope @ self.parts[2].T * (features > 0)
        gradients = [batch.observation.T @ back, back.sum(0), features.T @ slope, slope.sum(0)]
        self.time += 1
        for number, gradient in enumerate(gradients):
            self.first[number] = 0.9 * self.first[number] + 0.1 * gradient
            self.second[number] = 0.999 * self.second[number] + 0.001 * gradient**2
            first = self.first[number] / (1 - 0.9**self.time)
            second = self.second[number] / (1 - 0.999**self.time)
            self.parts[number] = self.parts[number] - RATE * first / (np.sqrt(second) + 1e-8)
        self.target = [
            (1 - TAU) * lagging + TAU * part
            for lagging, part in zip(self.target, self.parts, strict=True)
        ]
        return (errors**2).sum() / len(targets)


@cache
def behaviour():
    agent = small("dqn", learning_rate=RATE, tau=TAU, gamma=GAMMA)
    return agent, quick(agent.update)


def begun(agent):
    """A state whose target is another network, so that the two cannot be taken for one another."""
    target = jax.tree.map(jnp.asarray, drawn(agent, seed=1))
    return agent.init(drawn(agent))._replace(target=target)


def test_the_value_of_a_state_is_that_of_double_q_learning():
    agent, _ = behaviour()
    state, seen = begun(agent), transitions(0, count=200).observation
    values = np.asarray(agent.value(state, jnp.asarray(seen)))
    plain = PlainDQN(state.network, state.target)
    np.testing.assert_allclose(values, plain.value(seen), atol=1e-5)
    own = plain.values(plain.parts, seen)[1].max(axis=1)
    lagging = plain.values(plain.target, seen)[1].max(axis=1)
    assert np.abs(values - own).max() > 0.1
    assert np.abs(values - lagging).max() > 0.01


def test_updates_are_those_of_plain_numpy():
    agent, update = behaviour()
    state = begun(agent)
    plain = PlainDQN(state.network, state.target)
    for number in range(3):
        batch = transitions(number)
        expected = plain.update(batch)
        state, metrics = update(state, Batch(jax.tree.map(jnp.asarray, batch), None), KEY)
        assert float(metrics["behaviour_loss"]) == pytest.approx(expected, rel=1e-4)
        for part, wanted in zip(jax.tree.leaves(state.network), plain.parts, strict=True):
            np.testing.assert_allclose(part, wanted, atol=1e-4)
        for part, wanted in zip(jax.tree.leaves(state.target), plain.target, strict=True):
            np.testing.assert_allclose(part, wanted, atol=1e-4)
    moved = np.abs(np.asarray(state.network[0].weight) - drawn(agent)[0].weight)
    assert moved.max() > RATE


@pytest.mark.parametrize("architecture", ["concat", "context"])
def test_the_behaviour_of_a_tempo_agent_learns_as_if_it_were_alone(architecture):
    agent, update = behaviour()
    options = {"learning_rate": RATE, "tau": TAU, "gamma": GAMMA}
    tempo = small(f"t-dqn-{architecture}", **options)
    alone = agent.init(drawn(agent))
    state = tempo.init(drawn(tempo))._replace(behaviour=alone)
    batch = jax.tree.map(jnp.asarray, Batch(transitions(0), transitions(1, skips=range(1, 6))))
    together, _ = quick(tempo.update)(state, batch, KEY)
    alone, _ = update(alone, Batch(batch.transitions, None), KEY)
    for one, other in zip(
        jax.tree.leaves(together.behaviour.network), jax.tree.leaves(alone.network), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("architecture", ["concat", "context", "shared"])
def test_the_skip_policy_learns_from_the_value_of_the_behaviour(architecture):
    """Its loss by hand: (Q(s, j | a) - (r + discount * V(s')))**2, V the behaviour's double-Q."""
    agent = small(f"t-dqn-{architecture}", gamma=GAMMA)
    networks = drawn(agent)
    target = jax.tree.map(jnp.asarray, drawn(agent, seed=1).behaviour)
    state = agent.init(networks)
    state = state._replace(behaviour=state.behaviour._replace(target=target))
    batch = transitions(2, skips=range(1, 6))
    plain = PlainDQN(networks.behaviour, target)
    targets = batch.reward + batch.discount * plain.value(batch.next_observation)
    values = agent.values_of_skips(networks, batch.observation, batch.action)
    played = values[np.arange(16), batch.skip - 1]
    _, metrics = quick(agent.learn_skips)(state, Batch(None, jax.tree.map(jnp.asarray, batch)), KEY)
    assert float(metrics["skip_loss"]) == pytest.approx(np.mean((played - targets) ** 2), rel=1e-4)


@pytest.mark.parametrize("name", SMALL)
def test_learning_begins_with_the_networks_that_were_drawn(name):
    agent = small(name)
    networks = drawn(agent)
    policy = agent.params(agent.init(networks))
    assert jax.tree.structure(policy) == jax.tree.structure(networks)
    for one, other in zip(jax.tree.leaves(policy), jax.tree.leaves(networks), strict=True):
        assert np.array_equal(one, other)
    other_seed = agent.draw(np.random.default_rng(1), PLANE)
    for one, other in zip(jax.tree.leaves(policy), jax.tree.leaves(other_seed), strict=True):
        assert not np.array_equal(one, other)
