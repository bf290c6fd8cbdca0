"""A recording on disk: the video, its data beside it, and the contact sheet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import Image

from temporl.errors import BadInput
from temporl.report.recording.episode import Recording
from temporl.report.recording.overlay import Film, contact_sheet

ENCODING = {
    ".mp4": ("libx264", ["-crf", "18", "-preset", "veryfast", "-movflags", "+faststart"]),
    ".webm": ("libvpx-vp9", ["-crf", "24", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "6"]),
}
KINDS = (*ENCODING, ".gif")


def check_video_path(path: Path) -> None:
    """Raise now rather than after the episode if such a file cannot be written."""
    if path.suffix not in KINDS:
        raise BadInput("out", str(path), f"allowed: a name that ends with {', '.join(KINDS)}")
    if path.suffix in ENCODING and find_spec("imageio_ffmpeg") is None:
        raise BadInput("out", str(path), "install what encodes it: pip install -e '.[video]'")


def write_recording(recording: Recording, path: Path, title: str, colour: str) -> list[Path]:
    """Write the video, its data (`.json`) and the contact sheet (`.png`); returns their paths."""
    check_video_path(path)
    film = Film(recording, title, colour)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".gif":
            _write_gif(film, path)
        else:
            _write_video(film, path)
        data, sheet = path.with_suffix(".json"), path.with_suffix(".png")
        data.write_text(json.dumps(recording.to_data()) + "\n")
        contact_sheet(recording, title, colour).save(sheet)
    except OSError as error:
        raise BadInput("out", str(path), f"it cannot be written: {error}") from error
    return [path, data, sheet]


def _frames(film: Film) -> Iterator[Image.Image]:
    return (film.draw(step) for step in range(film.steps + 1))


def _write_video(film: Film, path: Path) -> None:
    import imageio_ffmpeg  # only videos need it

    codec, options = ENCODING[path.suffix]
    writer = imageio_ffmpeg.write_frames(
        str(path),
        film.size,
        fps=film.recording.frames_per_second,
        codec=codec,
        quality=None,
        output_params=options,
        macro_block_size=2,
        ffmpeg_log_level="error",
    )
    writer.send(None)
    for frame in _frames(film):
        writer.send(np.ascontiguousarray(frame))
    writer.close()


def _write_gif(film: Film, path: Path) -> None:
    first, *others = (frame.quantize(64) for frame in _frames(film))
    pause = 1000 // film.recording.frames_per_second
    # Frames that look alike must not be merged: frame k shows step k.
    first.save(path, save_all=True, append_images=others, duration=pause, loop=0, optimize=False)
