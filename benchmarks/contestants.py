"""The contestants of the races: programs that train when they are told to.

    python benchmarks/contestants.py device featurized t-dqn 0 1 2

A contestant writes a line when it is ready to train, and how long it compiled for that. Then it
reads numbers of steps, trains so many, and answers how many steps took how long, and how much
memory it has held at most. All learn from the first batch on, with one update of every network
after every step, and on images after every fourth.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import gymnasium as gym


@dataclass(frozen=True)
class Setting:
    """What everybody trains on."""

    environment: str
    batch: int
    warm_up: int
    """Steps of a seed before the clock starts: its first batch is there, and its memory in use."""
    options: dict[str, Any] = field(default_factory=dict)
    """What our agents need for it."""
    steps: int = 1_000_000
    """The budget, and so the size of the replay memory."""


SETTINGS = {
    "featurized": Setting("MountainCar-v0", batch=64, warm_up=500),
    "continuous": Setting(
        "Pendulum-v1", batch=256, warm_up=300, options={"warm_up": 256}, steps=100_000
    ),
    "pixels": Setting("ALE/Freeway-v5", batch=32, warm_up=100, steps=50_000),
}

Train = Callable[[int], tuple[int, float]]
"""Trains for a number of steps: how many those were over all seeds, and the seconds they took."""
Contestant = tuple[Train, float]
"""How it trains, and the seconds it took to compile."""


def device(setting: str, agent: str, *seeds: str) -> Contestant:
    """Ours where the environment is compiled as well: one seed after another."""
    import jax
    import numpy as np

    from temporl.agents import make_agent
    from temporl.agents.policy import agent_spaces
    from temporl.environments.device import device_twin
    from temporl.training.device import DeviceTraining
    from temporl.training.learner import Learner

    about = SETTINGS[setting]
    world = device_twin(about.environment, {}, None)
    assert world is not None
    spaces = agent_spaces(world.observation_space, world.action_space)
    made = make_agent(agent, batch_size=about.batch, buffer_size=about.steps, **about.options)
    spare = about.steps // world.step_limit + 1
    training = DeviceTraining(Learner(made, spaces, about.steps, spare), world)

    def train_seed(seed: int, steps: int) -> float:
        key = jax.random.key(seed)
        play = training.begin(training.learner.draw(seed), key)
        play = jax.block_until_ready(training.advance(play, key, np.int32(about.warm_up)))
        began = time.perf_counter()
        jax.block_until_ready(training.advance(play, key, np.int32(about.warm_up + steps)))
        return time.perf_counter() - began

    def train(steps: int) -> tuple[int, float]:
        return steps * len(seeds), sum(train_seed(int(seed), steps) for seed in seeds)

    began = time.perf_counter()
    key = jax.random.key(0)
    play = training.begin(training.learner.draw(0), key)
    for _ in range(2):  # what training returns may have other types than what it began with
        play = training.advance(play, key, np.int32(0))
    jax.block_until_ready(play)
    return train, time.perf_counter() - began


class Enough(Exception):
    """Two steps are played."""


class TwoSteps(gym.Wrapper[Any, Any, Any, Any]):
    """An environment that ends the program which plays it: by the third step, all is compiled."""

    played = 0

    def step(self, action: Any) -> Any:
        """Play the first two steps."""
        if self.played == 2:
            raise Enough
        self.played += 1
        return super().step(action)


def host(setting: str, agent: str) -> Contestant:
    """Ours on Gymnasium's environment, one seed."""
    from temporl.agents import make_agent
    from temporl.agents.policy import NetworkPolicy, agent_spaces
    from temporl.environments import EnvironmentSpec
    from temporl.environments.images import stack_of
    from temporl.runs.train import defaults_for
    from temporl.training.host import train_on_host
    from temporl.training.learner import EvaluationPoint, EvaluationSchedule, Learner
    from temporl.training.trainer import Task
    from temporl.training.trees import TreeCheckpointer

    about = SETTINGS[setting]
    spec = EnvironmentSpec(about.environment)
    world = spec.make()
    options = defaults_for(agent, world)
    if options:
        options = options | {"learning_starts": about.warm_up}
    options = options | {"batch_size": about.batch, "buffer_size": about.steps} | about.options
    made = make_agent(agent, **options)
    policy = NetworkPolicy(made, None, world.observation_space, world.action_space)
    spaces, stack = agent_spaces(world.observation_space, world.action_space), stack_of(world)
    learner = Learner(made, spaces, about.steps, spare=None if stack == 1 else 100, stack=stack)

    def points(world: gym.Env[Any, Any]) -> Iterator[EvaluationPoint]:
        task, never = Task(spec, seed=0), EvaluationSchedule(about.steps, 0)
        return train_on_host(learner, policy, world, task, never, TreeCheckpointer())

    began = time.perf_counter()
    with suppress(Enough):
        next(points(TwoSteps(spec.make())))
    compiling = time.perf_counter() - began
    going_on = points(world)
    reached = 0

    def train(_steps: int) -> tuple[int, float]:
        """As far as the driver goes by itself, a hundredth of the budget."""
        nonlocal reached
        before, began = reached, time.perf_counter()
        reached = next(going_on).step
        return reached - before, time.perf_counter() - began

    return train, compiling


def stable_baselines3(algorithm: str, threads: str) -> Contestant:
    """Stable-Baselines3's DQN or DDPG."""
    import stable_baselines3 as peers
    import torch

    torch.set_num_threads(int(threads))
    return (dqn if algorithm == "DQN" else ddpg)(getattr(peers, algorithm))


def sbx() -> Contestant:
    """Stable-Baselines3's DQN in JAX."""
    from sbx import DQN

    return dqn(DQN)


def usual(about: Setting, learning_starts: int) -> dict[str, Any]:
    """What every model of Stable-Baselines3 is set to here."""
    return {
        "buffer_size": about.steps,
        "learning_starts": learning_starts,
        "batch_size": about.batch,
        "gamma": 0.99,
        "gradient_steps": 1,
        "seed": 0,
        "device": "cpu",
    }


def dqn(kind: Any) -> Contestant:
    """A DQN with the interface of Stable-Baselines3, set to what ours does."""
    about = SETTINGS["featurized"]
    model = kind(
        "MlpPolicy",
        about.environment,
        learning_rate=1e-3,
        tau=0.01,
        train_freq=1,
        target_update_interval=1,
        exploration_initial_eps=0.1,
        exploration_final_eps=0.1,
        policy_kwargs={"net_arch": [50, 50]},
        **usual(about, learning_starts=about.batch),
    )
    return learning(model), 0.0


def stable_baselines3_on_pixels(threads: str) -> Contestant:
    """Stable-Baselines3's DQN on Atari, with its own wrappers and memory."""
    import torch
    from stable_baselines3 import DQN
    from stable_baselines3.common.env_util import make_atari_env
    from stable_baselines3.common.vec_env import VecFrameStack

    from temporl.environments.images import register_atari

    register_atari()
    torch.set_num_threads(int(threads))
    about = SETTINGS["pixels"]
    # Its wrappers ask for the game's own frame-skip to be off, as ours do.
    world = make_atari_env(about.environment, seed=0, env_kwargs={"frameskip": 1})
    model = DQN(
        "CnnPolicy",
        VecFrameStack(world, 4),
        learning_rate=1e-4,
        tau=1.0,
        train_freq=4,
        target_update_interval=2_000,
        max_grad_norm=40.0,
        optimize_memory_usage=True,
        replay_buffer_kwargs={"handle_timeout_termination": False},
        **usual(about, learning_starts=about.warm_up),
    )
    return learning(model), 0.0


def ddpg(kind: Any) -> Contestant:
    """The same for DDPG."""
    import numpy as np
    from stable_baselines3.common.noise import NormalActionNoise

    about = SETTINGS["continuous"]
    model = kind(
        "MlpPolicy",
        about.environment,
        learning_rate=1e-3,
        tau=0.005,
        train_freq=1,
        action_noise=NormalActionNoise(np.zeros(1), 0.1 * np.ones(1)),
        policy_kwargs={"net_arch": [400, 300]},
        **usual(about, learning_starts=about.batch),
    )
    model.learn(about.warm_up)
    return learning(model), 0.0


def learning(model: Any) -> Train:
    """How a model of Stable-Baselines3 trains."""

    def train(steps: int) -> tuple[int, float]:
        began = time.perf_counter()
        model.learn(steps, reset_num_timesteps=False)
        return steps, time.perf_counter() - began

    return train


def products(agent: str, samples: str) -> Contestant:
    """The floor: the matrix products of the updates of an agent, and nothing else.

    The samples of a batch are rows or columns. Every product depends on the step before, and what
    a step returns depends on all of its products, so that none is left out or made only once.
    """
    import jax
    import jax.numpy as jnp
    import numpy as np

    random = np.random.default_rng(0)
    rows = samples == "rows"

    def normal(height: int, width: int) -> Any:
        drawn = random.normal(size=(height, width)) / np.sqrt(height)
        return jnp.asarray(drawn if rows else drawn.T, jnp.float32)

    def network(*sizes: int) -> tuple[Any, ...]:
        return tuple(normal(inputs, outputs) for inputs, outputs in pairwise(sizes))

    def apply(weights: tuple[Any, ...], inputs: Any) -> Any:
        for weight in weights:
            inputs = inputs @ weight if rows else weight @ inputs
        return inputs

    def learn(weights: Any, outputs: Callable[[Any], Any], goals: Any) -> tuple[Any, Any]:
        """What a network says, and what its weights are told: forward, and backward."""
        values, backward = jax.vjp(outputs, weights)
        values = values + goals
        return values, backward(values)[0]

    def wide(column: Any) -> Any:
        """One number for every sample, to be added to any outputs."""
        return column.sum(axis=1 if rows else 0, keepdims=True)

    def join(left: Any, right: Any) -> Any:
        return jnp.concatenate([left, right], axis=1 if rows else 0)

    def dqn(networks: Any, inputs: Any) -> tuple[Any, Any]:
        online, target, skip = networks
        start, end, connection_start, connection_end = inputs
        goals = apply(online, end) + apply(target, end)
        values, gradient = learn(online, lambda weights: apply(weights, start), goals)
        bootstrap = apply(online, connection_end) + apply(target, connection_end)
        skips, skip_gradient = learn(
            skip, lambda weights: apply(weights, connection_start), wide(bootstrap)
        )
        return (values, values, skips, bootstrap), (gradient, skip_gradient)

    def ddpg(networks: Any, inputs: Any) -> tuple[Any, Any]:
        actor, critic, skip = networks
        start, end, played, *connection = inputs
        goals = apply(critic, join(end, apply(actor, end)))
        values, gradient = learn(critic, lambda weights: apply(weights, join(start, played)), goals)
        better, actor_gradient = learn(
            actor, lambda weights: apply(critic, join(start, apply(weights, start))), values
        )
        changes, gradients = (values, goals, better), (gradient, actor_gradient)
        if skip is None:
            return changes, gradients
        connection_start, connection_end = connection
        bootstrap = apply(critic, join(connection_end, apply(actor, connection_end)))
        skips, skip_gradient = learn(
            skip, lambda weights: apply(weights, connection_start), wide(bootstrap)
        )
        return (*changes, skips, bootstrap), (*gradients, skip_gradient)

    def step(networks: Any, inputs: Any) -> tuple[Any, Any]:
        changes, gradients = (dqn if agent == "t-dqn" else ddpg)(networks, inputs)
        # Too little to change a number, which nobody but us knows.
        inputs = tuple(old + 1e-12 * wide(new) for old, new in zip(inputs, changes, strict=True))
        return inputs, gradients

    if agent == "t-dqn":
        batch, sizes = SETTINGS["featurized"].batch, (2, 2, 3, 2)
        networks = network(2, 50, 50, 3), network(2, 50, 50, 3), network(3, 50, 50, 10)
    else:
        batch, sizes = SETTINGS["continuous"].batch, (3, 3, 1)
        networks = network(3, 400, 300, 1), network(4, 400, 300, 1), None
        if agent == "t-ddpg":
            networks, sizes = (*networks[:2], network(4, 400, 300, 10)), (*sizes, 4, 3)
    inputs = tuple(normal(batch, size) for size in sizes)

    @jax.jit
    def run(networks: Any, inputs: Any, steps: Any) -> Any:
        nothing = jax.tree.map(jnp.zeros_like, jax.eval_shape(step, networks, inputs)[1])
        begin = jnp.int32(0), inputs, nothing

        def body(carry: Any) -> Any:
            return carry[0] + 1, *step(networks, carry[1])

        return jax.lax.while_loop(lambda carry: carry[0] < steps, body, begin)

    def train(steps: int) -> tuple[int, float]:
        began = time.perf_counter()
        jax.block_until_ready(run(networks, inputs, np.int32(steps)))
        return steps, time.perf_counter() - began

    return train, train(0)[1]


CONTESTANTS: dict[str, Callable[..., Contestant]] = {
    function.__name__: function
    for function in (device, host, stable_baselines3, stable_baselines3_on_pixels, sbx, products)
}


def peak_memory() -> int:
    """The most bytes that this process has had in memory."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main(name: str, arguments: Sequence[str]) -> None:
    """Get ready, then train whenever told to."""
    train, compiling = CONTESTANTS[name](*arguments)
    print(json.dumps({"compiling": compiling}), flush=True)
    for line in sys.stdin:
        steps, seconds = train(int(line))
        answer = {"steps": steps, "seconds": seconds, "memory": peak_memory()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
