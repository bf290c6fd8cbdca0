"""`temporl train AGENT --env ENV ...`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, TypeVar

import numpy as np
import tyro

from temporl.agents import AGENTS, agent_class, agent_options, agent_summary, make_agent
from temporl.cli.parsing import key_values, parse
from temporl.environments import EnvironmentSpec, GridWorld
from temporl.errors import BadInput
from temporl.results.config import Driver
from temporl.training import Run, train, usual_options
from temporl.training.checkpoints import MINUTES
from temporl.training.log import Log
from temporl.wording import number_of

A = TypeVar("A")


@dataclass(frozen=True)
class Arguments:
    """What every agent's training takes."""

    env: str
    """A Gymnasium id, 'module:id', or the path of a text file with a map."""
    env_options: Annotated[tuple[str, ...], tyro.conf.arg(metavar="KEY=VALUE ...")] = ()
    """What to make the environment with, as in slip=0.2."""
    episodes: int | None = None
    """Episodes to train for: tabular agents only, 10,000 unless given."""
    steps: int | None = None
    """Environment steps to train for; deep agents take 100,000 unless given."""
    step_limit: int | None = None
    """Steps after which an episode is cut; required where the environment has no limit."""
    seeds: int = 1
    """How many seeds to train."""
    seed: int = 0
    """The first of them."""
    evaluate_every: int | None = None
    """One greedy episode after so many episodes (tabular agents; each unless given) or steps (deep
    agents; 200 times in all unless given); 0 for never."""
    evaluation_starts: int | None = None
    """Evaluate a deep agent from the same so many starts each time, before the first step too;
    unless given, in one episode from a new start."""
    driver: Driver | None = None
    """Who steps the environment for a deep agent: 'device' where it is compiled, 'host' for any
    Gymnasium environment; the fastest possible unless given."""
    log: Log | None = None
    """Write a log for TensorBoard or for Weights & Biases (offline) beside the runs, with the extra
    of that name."""
    workers: int | None = None
    """Processes to use; one for each core unless given."""
    checkpoint_minutes: float = MINUTES
    """Minutes between two checkpoints of a run."""
    out: Path = Path("runs")
    """The results folder."""


@dataclass(frozen=True)
class Command(Generic[A]):
    """The arguments of training, and the agent's own."""

    arguments: Arguments
    agent: A


def run(words: list[str]) -> int:
    """Train, and say where the result is and how good it is."""
    if not words or words[0] in ("-h", "--help"):
        print("usage: temporl train AGENT --env ENV ...\n")
        for name in AGENTS:
            print(f"  {name:<6} {agent_summary(name)}")
        print("\n'temporl train AGENT --help' lists the options of each.")
        return 0
    name = words[0]
    if name.startswith("-"):
        raise BadInput("agent", name, "the agent comes first, as in 'temporl train t-q --env ...'")
    kind = agent_class(name)
    command = _parsed(name, kind, words[1:])
    arguments = command.arguments
    finished = train(
        name,
        arguments.env,
        episodes=arguments.episodes,
        steps=arguments.steps,
        seeds=arguments.seeds,
        seed=arguments.seed,
        env_options=key_values(arguments.env_options, "env_options"),
        step_limit=arguments.step_limit,
        evaluate_every=arguments.evaluate_every,
        evaluation_starts=arguments.evaluation_starts,
        driver=arguments.driver,
        log=arguments.log,
        out=arguments.out,
        workers=arguments.workers,
        checkpoint_minutes=arguments.checkpoint_minutes,
        **agent_options(command.agent, every=True),
    )
    _print_summary(finished)
    return 0


def _parsed(name: str, kind: type[A], words: list[str]) -> Command[A]:
    """What the words say; where the environment shows images, the rest is as that wants it."""
    command, wanted = f"temporl train {name}", Command[kind]  # type: ignore[valid-type]
    read: Command[A] = parse(wanted, words, command, agent_summary(name))
    given = read.arguments
    options = key_values(given.env_options, "env_options")
    spec = EnvironmentSpec.given(given.env, options, given.step_limit)
    usual = usual_options(name, spec.make)
    if not usual:
        return read
    default = Command(given, make_agent(name, **usual))
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
    world = environment.make().unwrapped
    picture = finished.path / "policy.png"
    title = f"{finished.config.agent_name} on {environment.label}"
    if isinstance(world, GridWorld):
        from temporl.report.figures import policy_picture  # drawing takes long to import

        policy_picture(finished.policy(), world.map, picture, title)
    elif environment.name == "MountainCar-v0":
        from temporl.report.figures import mountain_car_picture

        mountain_car_picture(finished.policy(), picture, title)
    elif environment.name == "Pendulum-v1":
        from temporl.report.figures import pendulum_picture

        pendulum_picture(finished.policy(), picture, title)
    else:
        return
    print(f"when it decides: {picture}")
