"""The parts of agents with continuous actions, beside the same written out."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.agents.small import CONTINUOUS, small
from tests.replay.quick import quick

from temporl.agents.agent import Spaces
from temporl.networks.actor_critic import critic_value
from temporl.replay import Batch
from temporl.skipping import Connection

SPACES = Spaces((3,), None, 2, continuous=True)
SEEN = np.array([0.3, -0.2, 0.9], np.float32)
KEY = jax.random.key(0)


@cache
def drawn(agent):
    return agent.draw(np.random.default_rng(0), SPACES)


def batch(count=32, skip=1):
    random = np.random.default_rng(1)
    numbers = [random.normal(size=(count, 3)), random.uniform(-1, 1, (count, 2))]
    ends = [random.normal(size=count), np.full(count, 0.9), random.normal(size=(count, 3))]
    seen, action, reward, discount, after = (
        jnp.asarray(array, jnp.float32) for array in numbers + ends
    )
    return Connection(seen, action, jnp.full(count, skip), reward, discount, after)


def plain_network(layers, inputs, last=lambda x: x):
    """A network on rows, in double precision."""
    values = np.asarray(inputs, np.float64)
    for number, layer in enumerate(layers):
        weight, bias = (np.asarray(part, np.float64) for part in layer)
        values = values @ weight + bias
        values = np.maximum(values, 0) if number < len(layers) - 1 else last(values)
    return values


@pytest.mark.parametrize("name", ["ddpg", "td3", "sac"])
def test_actor_and_critics_are_networks_like_any(name):
    agent = small(name)
    networks, step = drawn(agent), batch()
    actions = plain_network(networks.actor, step.observation, np.tanh)[:, :2]
    if name == "sac":
        actions = np.tanh(plain_network(networks.actor, step.observation)[:, :2])
    np.testing.assert_allclose(agent.best_action(networks, step.observation), actions, atol=1e-5)
    joined = np.concatenate([step.observation, step.action], axis=1)
    for critic in networks.critics:
        values = plain_network(critic, joined)[:, 0]
        found = critic_value(critic, step.observation, step.action)
        np.testing.assert_allclose(found, values, atol=1e-5)
    assert len(networks.critics) == (1 if name == "ddpg" else 2)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_until_the_first_update_everything_is_random(name):
    agent = small(name)
    state = agent.init(drawn(agent))
    keys = jax.random.split(KEY, 4000)
    decide = quick(
        jax.vmap(
            lambda key: agent.decide(state, jnp.asarray(SEEN), (), key, jnp.float32(0.5)).decision
        )
    )
    actions, skips = (np.asarray(part) for part in decide(keys))
    assert actions.min() < -0.99
    assert actions.max() > 0.99
    assert abs(actions.mean()) < 0.05
    assert actions.std() == pytest.approx(3**-0.5, abs=0.02)
    longest = 1 if name in ("ddpg", "td3", "sac") else 5
    shares = np.bincount(np.broadcast_to(skips, 4000), minlength=longest + 1)[1:] / 4000
    assert shares == pytest.approx([1 / longest] * longest, abs=0.04)


@pytest.mark.parametrize("name", ["ddpg", "td3"])
def test_then_noise_is_added_to_the_actors_action(name):
    agent = small(name, noise=0.05)
    state = agent.init(drawn(agent))._replace(updates=jnp.int32(1))
    keys = jax.random.split(KEY, 4000)
    act = quick(jax.vmap(lambda key: agent.act(state, SEEN, key, jnp.float32(0.5))))
    actions = np.asarray(act(keys))
    assert actions.mean(axis=0) == pytest.approx(agent.best_action(drawn(agent), SEEN), abs=0.01)
    assert actions.std(axis=0) == pytest.approx([0.05, 0.05], abs=0.005)


def test_sac_knows_the_density_of_what_it_draws():
    agent = small("sac")
    networks = drawn(agent)
    seen = jnp.asarray(np.random.default_rng(2).normal(size=(500, 3)), jnp.float32)
    action, density = (np.asarray(x) for x in agent.drawn_action(networks.actor, seen, KEY))
    outputs = plain_network(networks.actor, seen)
    mean, deviation = outputs[:, :2], np.exp(outputs[:, 2:])
    before = np.arctanh(action.astype(np.float64))
    normal = np.exp(-0.5 * ((before - mean) / deviation) ** 2) / deviation / np.sqrt(2 * np.pi)
    expected = np.log(normal / (1 - action.astype(np.float64) ** 2)).sum(axis=1)
    np.testing.assert_allclose(density, expected, atol=0.02)


def test_sac_turns_warmer_where_it_is_too_certain_and_cooler_where_not():
    agent = small("sac")
    for deviation, warmer in ((-4.0, True), (-0.3, False)):
        networks = drawn(agent)
        *first, last = networks.actor
        flat = last._replace(
            weight=last.weight * 0, bias=np.array([0, 0, deviation, deviation], np.float32)
        )
        state = agent.init(networks._replace(actor=(*first, flat)))
        after, _ = quick(agent.update)(state, Batch(batch(), None), KEY)
        assert (float(after.temperature.logarithm) > 0) == warmer


def moved(before, after):
    return any(
        not np.array_equal(a, b)
        for a, b in zip(jax.tree.leaves(before), jax.tree.leaves(after), strict=True)
    )


def test_the_actor_of_td3_waits_for_its_critics():
    agent = small("td3", actor_every=3)
    state, update = agent.init(drawn(agent)), quick(agent.update)
    changes = []
    for _ in range(6):
        after, _ = update(state, Batch(batch(), None), KEY)
        parts = [(one.networks.critics, one.networks.actor, one.targets) for one in (state, after)]
        changes.append(tuple(moved(*part) for part in zip(*parts, strict=True)))
        state = after
    assert changes == [(True, False, False), (True, False, False), (True, True, True)] * 2


def test_both_critics_of_td3_learn_from_the_lesser_target():
    agent = small("td3", target_noise=0.0, learning_rate=1e-4)
    state, step = agent.init(drawn(agent)), batch()
    action = np.tanh(plain_network(state.targets.actor, step.next_observation))
    joined = np.concatenate([step.next_observation, action], axis=1)
    least = np.min([plain_network(c, joined)[:, 0] for c in state.targets.critics], axis=0)
    goals = np.asarray(step.reward) + 0.9 * least
    played = np.concatenate([step.observation, step.action], axis=1)
    loss = sum(
        ((plain_network(c, played)[:, 0] - goals) ** 2).mean() for c in state.networks.critics
    )
    _, metrics = quick(agent.update)(state, Batch(step, None), KEY)
    assert float(metrics["behaviour_loss"]) == pytest.approx(loss, rel=1e-4)
    assert float(metrics["mean_target"]) == pytest.approx(goals.mean(), rel=1e-4)


# FiGAR: the released script sampled an inverted distribution, took k repeats in training for k + 1
# in evaluation, and sampled when it was evaluated.


@pytest.mark.parametrize("best", range(5))
def test_the_most_probable_repeat_is_played_in_training_and_evaluation_alike(best):
    agent = small("figar", epsilon=0.0)
    networks = drawn(agent)
    *first, last = networks.actor.repeat
    bias = last.bias.copy()
    bias[best] = 20.0
    actor = networks.actor._replace(repeat=(*first, last._replace(bias=bias)))
    networks = networks._replace(actor=actor)
    assert agent.greedy(networks, SEEN, ()).decision.skip == best + 1
    chances = agent.proposal(actor, SEEN)[-5:]
    assert chances.sum() == pytest.approx(1.0)
    assert chances[best] > 0.99
    state = agent.init(networks)._replace(updates=jnp.int32(1))
    for number in range(5):
        choice = agent.decide(state, SEEN, (), jax.random.key(number), jnp.float32(0.5))
        assert int(choice.decision.skip) == best + 1


def test_the_critic_of_figar_is_told_the_repeat_that_was_played():
    agent = small("figar", learning_rate=1e-4)
    state = agent.init(drawn(agent))
    losses = {}
    for skip in (1, 4):
        step = batch(skip=skip)
        certainty = np.eye(5)[np.full(32, skip - 1)]
        proposal = agent.proposal(state.targets.actor, step.next_observation)
        after = np.concatenate([step.next_observation, proposal], axis=1)
        goals = np.asarray(step.reward) + 0.9 * plain_network(state.targets.critics[0], after)[:, 0]
        played = np.concatenate([step.observation, step.action, certainty], axis=1)
        values = plain_network(state.networks.critics[0], played)[:, 0]
        _, metrics = quick(agent.update)(state, Batch(None, step), KEY)
        losses[skip] = float(metrics["behaviour_loss"])
        assert losses[skip] == pytest.approx(((values - goals) ** 2).mean(), rel=1e-4)
    assert losses[1] != losses[4]
