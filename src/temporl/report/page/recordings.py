"""Recorded episodes for the page: videos that `temporl watch` left beside the runs."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from temporl.errors import DamagedFile
from temporl.report.page.groups import Group
from temporl.types import Record

KINDS = {".mp4": "video/mp4", ".webm": "video/webm", ".gif": "image/gif"}
ROOM = 8_000_000
"""How many bytes of video a page holds at most."""


class Room:
    """What is left of the room for videos on one page."""

    def __init__(self, size: int = ROOM) -> None:
        self.left = size

    def take(self, size: int) -> bool:
        """Whether `size` more bytes still fit; if so, they are taken."""
        if size > self.left:
            return False
        self.left -= size
        return True


def recordings(group: Group, room: Room) -> list[Record]:
    """The recorded episodes of a configuration; those that do not fit are only named."""
    found = []
    for path in sorted(group.folder.glob("*/*")) + sorted(group.folder.glob("*")):
        notes = path.with_suffix(".json")
        if path.suffix in KINDS and notes.is_file():
            found.append(_recording(path, notes, room))
    return found


def _recording(path: Path, notes: Path, room: Room) -> Record:
    try:
        episode: Record = json.loads(notes.read_text())
        known = {name: episode[name] for name in ("rewards", "decisions", "frames_per_second")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(f"{notes}: not the notes of a recording: {error!r}") from error
    size = path.stat().st_size
    source = None
    if room.take(4 * size // 3):
        text = base64.b64encode(path.read_bytes()).decode()
        source = f"data:{KINDS[path.suffix]};base64,{text}"
    return known | {"name": path.name, "source": source, "is_video": path.suffix != ".gif"}
