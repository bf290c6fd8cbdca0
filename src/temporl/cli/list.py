"""`temporl list agents|environments|experiments`."""

from __future__ import annotations

from temporl.agents import AGENTS, agent_summary
from temporl.errors import BadInput, unknown_name

KINDS = ("agents", "environments", "experiments")


def run(words: list[str]) -> int:
    """Print one of the lists."""
    if words in (["-h"], ["--help"]):
        print(f"usage: temporl list {'|'.join(KINDS)}")
        return 0
    if len(words) != 1:
        raise BadInput("list", " ".join(words), f"allowed: one of {', '.join(KINDS)}")
    if words[0] not in KINDS:
        raise unknown_name("list", words[0], KINDS)
    {"agents": _agents, "environments": _environments, "experiments": _experiments}[words[0]]()
    return 0


def _agents() -> None:
    for name in AGENTS:
        print(f"{name:<8} {agent_summary(name)}")
    print("module:Class  an agent of another package")


def _environments() -> None:
    import gymnasium as gym  # what one list needs, the others do not wait for

    from temporl.environments.images import register_atari
    from temporl.environments.registry import WORLDS

    for name in WORLDS:
        print(f"{name:<36} a gridworld of the paper")
    print(f"{'PATH.txt':<36} a map of your own: S start, G goal, X pit, # wall, . floor")
    register_atari()
    for name, spec in sorted(gym.registry.items()):
        if not name.startswith("temporl/"):
            print(f"{name:<36} {spec.entry_point}")


def _experiments() -> None:
    from temporl.experiments import EXPERIMENTS

    for experiment in EXPERIMENTS.values():
        size = f"{len(experiment.cells)} cells x {experiment.seeds} seeds"
        print(f"{experiment.name:<24} {size:<22} {experiment.title}")
