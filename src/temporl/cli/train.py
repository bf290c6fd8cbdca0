"""`temporl train AGENT --env ENV ...`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from temporl.agents import AGENTS, Agent, agent_class, agent_options, agent_summary, make_agent
from temporl.cli.parsing import EnvOptions, key_values, parse
from temporl.environments import EnvironmentSpec, GridWorld
from temporl.errors import BadInput
from temporl.runs.checkpoints import MINUTES
from temporl.runs.log import Log
from temporl.runs.train import Run, train
from temporl.training.trainer import Driver
from temporl.wording import number_of

A = TypeVar("A", bound=Agent)


@dataclass(frozen=True)
class Arguments:
    """Options of training, the same for every agent."""

    env: str
    """A Gymnasium id, 'module:id', or the path of a text file with a map."""
    env_options: EnvOptions = ()
    episodes: int | None = None
    """Episodes to train for: tabular agents only; default: 10,000."""
    steps: int | None = None
    """Environment steps to train for; default of deep agents: 100,000."""
    step_limit: int | None = None
    """Steps after which an episode is truncated; required where the environment has no limit."""
    seeds: int = 1
    """Number of seeds to train."""
    seed: int = 0
    """The first seed."""
    evaluate_every: int | None = None
    """Episodes (tabular agents) or steps (deep agents) between two greedy evaluations; 0 for none;
    default: 1 episode, or a 200th of the steps."""
    evaluation_starts: int | None = None
    """Number of fixed start states (deep agents): each evaluation plays one episode from each,
    and there is one before training. Default: one episode from a new start each time."""
    driver: Driver | None = None
    """What steps the environment of a deep agent: 'device' (compiled) or 'host' (Gymnasium);
    default: device where the environment is compiled."""
    log: Log | None = None
    """Log for TensorBoard or Weights & Biases (offline) beside the runs; needs that extra."""
    workers: int | None = None
    """Number of processes; default: one for each core."""
    checkpoint_minutes: float = MINUTES
    """Minutes between two checkpoints of a run."""
    out: Path = Path("runs")
    """The results folder."""


@dataclass(frozen=True)
class Command(Generic[A]):
    """The options of training, and the agent's own."""

    training: Arguments
    agent: A


def run(words: list[str]) -> int:
    """Train, and print where the result is and how good it is."""
    if not words or words[0] in ("-h", "--help"):
        print("usage: temporl train AGENT --env ENV ...\n")
        for name in AGENTS:
            print(f"  {name:<6} {agent_summary(name)}")
        print(f"  {'module:Class':<6} an agent of another package")
        print("\n'temporl train AGENT --help' lists the options of each.")
        return 0
    name = words[0]
    if name.startswith("-"):
        raise BadInput("agent", name, "the agent comes first, as in 'temporl train t-q --env ...'")
    kind = agent_class(name)
    command = _parsed(name, kind, words[1:])
    options = vars(command.training)
    options = options | {"env_options": key_values(options["env_options"], "env_options")}
    _print_summary(train(name, **options, **agent_options(command.agent, every=True)))
    return 0


def _parsed(name: str, kind: type[A], words: list[str]) -> Command[A]:
    """The command, with defaults that may depend on the environment's observations."""
    command, wanted = f"temporl train {name}", Command[kind]  # type: ignore[valid-type]
    read: Command[A] = parse(wanted, words, command, agent_summary(name))
    given = read.training
    options = key_values(given.env_options, "env_options")
    spec = EnvironmentSpec.given(given.env, options, given.step_limit)
    defaults = kind.defaults_for(spec.observation_space())
    if not defaults:
        return read
    default = Command(given, make_agent(name, **defaults))
    return parse(wanted, words, command, agent_summary(name), default)


def _print_summary(finished: Run) -> None:
    evaluations = [finished.evaluations(seed) for seed in finished.seeds]
    starts = finished.config.evaluation_starts or 1
    rows = [row for table in evaluations for row in table.to_pylist()[-starts:]]
    if rows:
        columns = ("return", "length", "decisions")
        earned, steps, decisions = (np.mean([row[c] for row in rows]) for c in columns)
        print(
            f"last evaluation, mean of {number_of(len(evaluations), 'seed')}: return {earned:.3g},"
            f" {decisions:.1f} decisions in {steps:.1f} steps"
        )
    print(f"runs: {finished.path}")
    _draw(finished)


def _draw(finished: Run) -> None:
    """A picture of when the agent decides, where there is a way to draw it."""
    environment = finished.config.environment
    picture = finished.path / "policy.png"
    title = f"{finished.config.agent_label} on {environment.label}"
    if environment.is_gridworld and finished.config.trainer.kind == "tabular":
        from temporl.report.figures import policy_picture  # drawing takes long to import

        world = environment.make().unwrapped
        assert isinstance(world, GridWorld)
        policy_picture(finished.policy(), world.map, picture, title, finished.config.agent_label)
    elif environment.name == "MountainCar-v0":
        from temporl.report.figures import mountain_car_picture

        mountain_car_picture(finished.policy(), picture, title)
    elif environment.name == "Pendulum-v1":
        from temporl.report.figures import pendulum_picture

        pendulum_picture(finished.policy(), picture, title)
    else:
        return
    print(f"when it decides: {picture}")
