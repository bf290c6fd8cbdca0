"""Videos: what they show, and when."""

from __future__ import annotations

import json
import os
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image, ImageColor, ImageSequence

import temporl
from temporl.cli import main
from temporl.environments import EnvironmentSpec
from temporl.report.recording import record_episode, write_recording
from temporl.report.recording.overlay import PANEL, Film, contact_sheet, key_states

COLOUR = "#cc78bc"
WORLD = EnvironmentSpec("temporl/ZigZag-v0")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    return temporl.train("t-q", WORLD.name, episodes=500, out=out, progress=False)


@pytest.fixture(scope="module")
def recording(run):
    return record_episode(run.policy(), WORLD)


def read_video(path, size):
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", path]
    raw = subprocess.run(
        [*command, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True, check=True
    )
    return list(np.frombuffer(raw.stdout, np.uint8).reshape(-1, size[1], size[0], 3))


def read_gif(path):
    with Image.open(path) as film:
        return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(film)]


def is_marked(frame):
    """Whether the picture has the frame of a decision around it."""
    colour = np.array(ImageColor.getrgb(COLOUR))
    edge = np.concatenate([frame[3, 40:600], frame[frame.shape[0] - PANEL - 4, 40:600]])
    return bool(np.abs(edge.astype(int) - colour).mean() < 20)


def test_it_is_the_episode_that_is_evaluated(run, recording):
    outcome = temporl.evaluate(run.policy(), WORLD, episodes=1)
    assert sum(recording.rewards) == outcome.returns[0]
    assert len(recording.rewards) == outcome.lengths[0]
    assert len(recording.decisions) == outcome.decisions[0]
    assert len(recording.frames) == outcome.lengths[0] + 1
    assert sum(decision.played for decision in recording.decisions) == outcome.lengths[0]
    for decision in recording.decisions:
        assert max(decision.values.values()) == decision.values[decision.skip]


@pytest.mark.parametrize("kind", ["mp4", "webm", "gif"])
def test_marks_are_decisions_and_frame_k_shows_step_k(recording, tmp_path, kind):
    video, notes, _ = write_recording(recording, tmp_path / f"episode.{kind}", "t-q", COLOUR)
    film = Film(recording, "t-q", COLOUR)
    frames = read_gif(video) if kind == "gif" else read_video(video, film.size)
    assert len(frames) == len(recording.rewards) + 1
    steps = [decision["step"] for decision in json.loads(notes.read_text())["decisions"]]
    assert [step for step, frame in enumerate(frames) if is_marked(frame)] == steps
    drawn = np.stack([np.asarray(film.draw(step)).astype(int) for step in range(len(frames))])
    for step, frame in enumerate(frames):
        distances = np.abs(drawn - frame).mean(axis=(1, 2, 3))
        assert distances.argmin() == step


def test_the_contact_sheet_shows_the_states_of_decisions(recording):
    assert key_states(recording) == recording.decisions
    sheet = np.asarray(contact_sheet(recording, "t-q", COLOUR))
    assert sheet.shape[1] == 4 * 316 + 16
    picture = recording.frame(recording.decisions[1].step).convert("RGB").resize((300, 180))
    shown = sheet[48 + 4 : 48 + 176, 316 + 16 + 4 : 316 + 16 + 296]
    assert np.abs(shown.astype(int) - np.asarray(picture)[4:176, 4:296]).max() == 0


def test_an_agent_that_decides_at_every_step_has_a_mark_on_every_frame(tmp_path):
    run = temporl.train("q", WORLD.name, episodes=900, out=tmp_path, progress=False)
    recording = record_episode(run.policy(), WORLD)
    film = Film(recording, "q", COLOUR)
    marks = [is_marked(np.asarray(film.draw(step))) for step in range(film.steps + 1)]
    assert marks == [True] * film.steps + [False]


def test_the_command_writes_three_files_beside_the_run(run, recording, capsys, monkeypatch):
    for device in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        monkeypatch.setitem(os.environ, device, "dummy")
    assert main(["watch", str(run.path)]) == 0
    decisions, steps = len(recording.decisions), len(recording.rewards)
    assert f"{decisions} decisions in {steps} steps, return 1\n" in capsys.readouterr().out
    assert {path.suffix for path in run.path.glob("videos/*")} == {".mp4", ".json", ".png"}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--out", "episode.avi"], "allowed: a name that ends with .mp4, .webm, .gif"),
        (["--fps", "0"], "fps: 0"),
        (["--episode", "-1"], "episode: -1"),
    ],
)
def test_bad_input_is_refused_before_anything_is_played(run, words, reason, capsys):
    assert main(["watch", str(run.path), *words]) == 2
    assert reason in capsys.readouterr().err


class Idle:
    """Decides for the first action, always."""

    def decide(self, observation):
        return temporl.Decision(0, 1)


def test_an_environment_without_pictures_is_refused():
    with pytest.raises(temporl.BadInput, match="gymnax/Catch-bsuite"):
        record_episode(Idle(), EnvironmentSpec("gymnax/Catch-bsuite"))
