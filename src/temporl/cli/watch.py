"""`temporl watch RUN`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import tyro

from temporl.cli.evaluate import environment_of
from temporl.cli.parsing import Trust, parse
from temporl.errors import require_at_least
from temporl.frontier import Setting
from temporl.report.figures.style import agent_colour
from temporl.report.recording import record_episode, write_recording
from temporl.report.recording.files import check_video_path
from temporl.runs.store import read_config
from temporl.runs.train import choose_seed, load
from temporl.wording import number_of


@dataclass(frozen=True)
class Arguments:
    """Record an episode of a trained policy as a video that shows every decision."""

    run: tyro.conf.Positional[Path]
    """The folder of a run, or of one seed of it; of several seeds, the first is watched."""
    out: Path | None = None
    """The video: .mp4, .webm or .gif; default: an .mp4 in 'videos' beside the seeds."""
    episode: int = 0
    """Number of the episode, counted from 0, among those that 'temporl evaluate' plays."""
    env: str | None = None
    """The environment; default: the one that the policy was trained in."""
    trust: Trust = False
    seed: int = 0
    """The seed of the episodes."""
    decision_cost: float | str | None = None
    """Price of a decision to play at, for frugal agents, as in 0.1 or 5%. Default: the one that the
    policy was trained with."""
    fps: int | None = None
    """Steps per second; default: the environment's own rate, but at most 15."""


def run(words: list[str]) -> int:
    """Record one greedy episode, and print where the video is."""
    arguments = parse(Arguments, words, "temporl watch")
    require_at_least("episode", arguments.episode, 0)
    require_at_least("fps", arguments.fps, 1)
    folder = choose_seed(arguments.run)
    name = f"{folder.name}-episode-{arguments.episode}.mp4"
    path = arguments.out or folder.parent / "videos" / name
    check_video_path(path)
    for device in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        os.environ.setdefault(device, "dummy")  # no window is opened and no sound played
    environment = environment_of(arguments.env, folder, arguments.trust)
    recording = record_episode(
        Setting(arguments.decision_cost).policy(load(folder, trust=arguments.trust)),
        environment,
        seed=arguments.seed,
        episode=arguments.episode,
        frames_per_second=arguments.fps,
    )
    agent = str(read_config(folder)["agent"])
    title = f"{agent} on {environment.label}"
    video, _, sheet = write_recording(recording, path, title, agent_colour(agent))
    earned, steps = sum(recording.rewards), len(recording.rewards)
    decided = number_of(len(recording.decisions), "decision")
    print(f"{title}: {decided} in {number_of(steps, 'step')}, return {earned:.4g}")
    print(f"video: {video}")
    print(f"states in which it decided: {sheet}")
    return 0
