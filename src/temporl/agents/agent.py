"""The protocol of agents: all that the rest of the library asks of one.

Agents are frozen dataclasses of hyperparameters with pure methods over an explicit state. They own
no environment, no replay, no loop and no file. `Agent` is what all agents have in common,
`NetworkAgent` adds what compiled training needs, and `Behaviour` what a skip policy can be put on
top of. An agent inherits from one of them and so gets the defaults of what it has no need for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from temporl.environments.types import Space
from temporl.errors import BadInput
from temporl.replay.experience import Experience
from temporl.skipping import Commitment, Decision, Skips, consecutive

if TYPE_CHECKING:  # tables are trained without JAX
    from collections.abc import Callable

    import optax
    from jax import Array

    from temporl.replay import Batch

Options = dict[str, Any]
"""Hyperparameters by name, as pure data."""
Params = Any
"""The arrays that a trained policy consists of, as nested tuples."""
State = Any
"""Everything that learning changes: networks, targets, optimisers; any tree of arrays."""
Memory = Any
"""What an agent keeps for the length of an episode; any tree of arrays, `()` for none."""
HeldBy = Literal["decision_cost", "tie_tolerance"]
Metrics = dict[str, "Array"]
"""Scalars of an update for a log, such as losses."""


class Spaces(NamedTuple):
    """What a network must know of an environment."""

    observation_shape: tuple[int, ...]
    observation_count: int | None
    """The number of observations, where they are discrete."""
    actions: int
    """The number of actions, or of components of an action where they are continuous."""
    continuous: bool = False
    """Whether an action is an array with components in [-1, 1], or an index."""

    @property
    def shows_images(self) -> bool:
        """Whether an observation is an image: rows, columns and channels."""
        return len(self.observation_shape) == 3

    @property
    def inputs(self) -> int:
        """The size of a network's input for an observation."""
        return self.observation_count or int(np.prod(self.observation_shape))

    @property
    def observation_dtype(self) -> np.dtype[Any]:
        """How an observation is kept."""
        if self.shows_images:
            return np.dtype(np.uint8)
        return np.dtype(np.float32 if self.observation_count is None else np.int32)

    @property
    def action_shape(self) -> tuple[int, ...]:
        """The shape of a single action."""
        return (self.actions,) if self.continuous else ()

    @property
    def action_dtype(self) -> np.dtype[Any]:
        """How an action is kept."""
        return np.dtype(np.float32 if self.continuous else np.int32)


class Choice(NamedTuple):
    """A decision, the memory after it, and the note that comes back with the decision's samples."""

    decision: Decision
    memory: Memory = ()
    note: Params = ()


class Agent(Protocol):
    """What every agent has, with tables or networks: what trainers, stores and reports ask for."""

    trainer: ClassVar[str]
    """What trains it: `module:name` of a `temporl.training.trainer.Trainer`."""
    continuous: ClassVar[bool] = False
    """Whether its actions are arrays within bounds, rather than discrete."""
    held_by: ClassVar[HeldBy | None] = None
    """The hyperparameter by which a trained policy trades return for fewer decisions, if any does:
    another value of it needs no other training."""

    @property
    def skip_lengths(self) -> Skips:
        """The durations that its greedy policy can choose from."""
        return consecutive(1)

    @classmethod
    def defaults_for(cls, observations: Space) -> Options:  # noqa: ARG003
        """The hyperparameters that differ from the fields' defaults for such observations."""
        return {}

    def check(self, observations: Space, actions: Space, environment: str) -> None:
        """Raise `BadInput` unless the agent can learn from such observations and actions."""
        ...


A = TypeVar("A", bound=Agent)


def held_with(agent: A, option: HeldBy, value: float | str) -> A:
    """The same agent with another value of the option that it is held by."""
    if agent.held_by != option:
        known = "not what this agent weighs decisions by"
        raise BadInput(option, value, f"{known}; allowed: {agent.held_by or 'nothing'}")
    return replace(agent, **{option: value})  # type: ignore[type-var]


class NetworkAgent(Agent, Protocol):
    """An agent whose state is a tree of arrays, and whose methods JAX can compile."""

    trainer: ClassVar[str] = "temporl.training.deep:TRAINER"
    interruptible: ClassVar[bool] = False
    """Whether `interrupt` is called at every step; agents that do not declare it pay nothing."""
    hears_episodes: ClassVar[bool] = False
    """Whether `ended` is called at the end of every episode."""

    @property
    def learns_from(self) -> Experience:
        """What its samples are."""
        ...

    @property
    def exploration_steps(self) -> int | None:
        """Steps over which exploration decreases; None for the whole budget."""
        return None

    def check(self, observations: Space, actions: Space, environment: str) -> None:
        """Raise `BadInput` unless the agent can learn from such observations and actions."""
        from temporl.agents.policy import check_spaces

        check_spaces(observations, actions, environment, continuous=self.continuous)

    def draw(self, random: np.random.Generator, spaces: Spaces) -> Params:
        """Draw the arrays of the policy."""
        ...

    def init(self, params: Params) -> State:
        """The state in which learning begins."""
        ...

    def params(self, state: State) -> Params:
        """The arrays of the policy as they are now."""
        ...

    def memory(self) -> Memory:
        """The memory with which an episode begins."""
        return ()

    def decide(
        self, state: State, observation: Array, memory: Memory, key: Array, progress: Array
    ) -> Choice:
        """A decision in training; `progress` is 0 at its start and 1 at its end."""
        ...

    def greedy(self, params: Params, observation: Array, memory: Memory) -> Choice:
        """The best known decision; NumPy arrays are answered by NumPy, JAX arrays by JAX."""
        ...

    def interrupt(
        self, params: Params, observation: Array, commitment: Commitment, memory: Memory
    ) -> Array:
        """Whether to leave a commitment that is not spent, in training as in evaluation."""
        raise NotImplementedError

    def update(self, state: State, batch: Batch, key: Array) -> tuple[State, Metrics]:
        """Learn from samples; the key is for agents that draw while they learn."""
        ...

    def ended(self, state: State, episode_return: Array, length: Array) -> State:
        """The state after an episode of training that ended with this return and length."""
        raise NotImplementedError

    def action_values(self, params: Params, observation: Array) -> Array:
        """The learned value of every action, where actions are discrete."""
        ...

    def skip_values(self, params: Params, observation: Array, action: Array) -> dict[int, float]:
        """The learned value of every skip for an action."""
        ...

    def behaviour_of(self, params: Params) -> tuple[Behaviour, Params] | None:
        """What picks its actions, with its arrays; None if skips are chosen together with them."""
        return None

    def price(self, params: Params) -> float:
        """What a decision costs it, in reward."""
        return self.learns_from.decision_cost


class Behaviour(NetworkAgent, Protocol):
    """An agent that knows nothing of skips, and that a skip policy can be put on top of."""

    hidden: tuple[int, ...]
    gamma: float
    shares_layers: ClassVar[bool] = False
    """Whether its first layers see the observation alone, so that a skip network can share them."""

    @property
    def optimiser(self) -> optax.GradientTransformation:
        """What turns gradients into changes of the networks."""
        ...

    @property
    def error(self) -> Callable[[Array, Array], Array]:
        """The loss on the difference between values and their targets."""
        ...

    @property
    def exploration(self) -> float | str:
        """The epsilon with which a skip policy on top of it explores by default."""
        return 0.1

    def best_action(self, params: Params, observation: Array) -> Array:
        """The best known action."""
        ...

    def act(self, state: State, observation: Array, key: Array, progress: Array) -> Array:
        """An action in training."""
        ...

    def is_warming_up(self, state: State) -> Array | bool:
        """Whether it still acts at random, before anything is learned."""
        return False

    def value(self, state: State, observation: Array) -> Array:
        """The value of a state: what targets bootstrap from."""
        ...

    def value_of(self, params: Params, observation: Array, action: Array) -> Array:
        """The learned value of an action, a scalar for every row."""
        ...

    def gap(self, state: State, observation: Array, action: Array) -> tuple[Array, Array]:
        """What playing an action costs, V(s) - Q(s, a), and the value of the state, V(s)."""
        ...

    def shared_layers(self, params: Params) -> tuple[Params, ...]:
        """The first layers, which a skip network can share."""
        return ()

    def with_shared_layers(self, state: State, layers: tuple[Params, ...]) -> State:
        """The same state with other first layers."""
        raise NotImplementedError

    def decide(
        self, state: State, observation: Array, memory: Memory, key: Array, progress: Array
    ) -> Choice:
        """Its action in training, for one step."""
        return Choice(Decision(self.act(state, observation, key, progress), np.int32(1)))

    def greedy(self, params: Params, observation: Array, memory: Memory) -> Choice:
        """The best known action, for one step."""
        return Choice(Decision(self.best_action(params, observation), 1))

    def skip_values(self, params: Params, observation: Array, action: Array) -> dict[int, float]:
        """The learned value of the only skip, 1."""
        return {1: float(self.value_of(params, observation, action))}

    def behaviour_of(self, params: Params) -> tuple[Behaviour, Params] | None:
        """This agent, with its arrays."""
        return self, params
