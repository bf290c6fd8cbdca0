"""What `temporl watch` and `temporl frontier` left beside the runs: videos and pictures."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path

from temporl.errors import DamagedFile
from temporl.report.page.groups import Group, Scene
from temporl.runs.files import read_bytes
from temporl.types import Record

KINDS = {".mp4": "video/mp4", ".webm": "video/webm", ".gif": "image/gif"}
FRONTIER, PNG, MOST_PICTURE = "frontier.png", b"\x89PNG\r\n", 2_000_000
ROOM = 8_000_000
"""How many bytes of video a page holds at most."""


def recordings(scenes: Sequence[Scene]) -> dict[str, list[Record]]:
    """The recorded episodes, by the folder of the configuration.

    Those for which no room is left are only named.
    """
    room, found = ROOM, dict[str, list[Record]]()
    for group in (group for scene in scenes for group in scene.groups):
        episodes = found[str(group.folder)] = []
        for path in sorted(group.folder.glob("*/*")) + sorted(group.folder.glob("*")):
            data = path.with_suffix(".json")
            if path.suffix in KINDS and data.is_file():
                source, size = None, 4 * path.stat().st_size // 3
                if size <= room:
                    room -= size
                    text = base64.b64encode(path.read_bytes()).decode()
                    source = f"data:{KINDS[path.suffix]};base64,{text}"
                shown = {"name": path.name, "source": source, "is_video": path.suffix != ".gif"}
                episodes.append(_episode(data) | shown)
    return found


def frontiers(groups: Sequence[Group]) -> list[tuple[str, str]]:
    """The pictures that `temporl frontier` left beside the runs, each with its agent's label."""
    found = []
    for group in groups:
        try:
            picture = read_bytes(group.folder / FRONTIER, MOST_PICTURE)
        except FileNotFoundError:
            continue
        if picture.startswith(PNG):
            source = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
            found.append((group.label, source))
    return found


def _episode(data: Path) -> Record:
    try:
        episode: Record = json.loads(data.read_text())
        return {name: episode[name] for name in ("rewards", "decisions", "frames_per_second")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(f"{data}: not the data of a recording: {error!r}") from error
