"""One HTML file that holds everything: tables, data, styles and scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from temporl.errors import BadInput
from temporl.report.figures.style import AGENT_COLOURS, OTHER_COLOURS
from temporl.report.page.chosen_skips import chosen_skips, skips_over_training
from temporl.report.page.comparison import read_tables
from temporl.report.page.curves import COLUMNS, group_curves
from temporl.report.page.groups import Group, Scene, differences, find_scenes
from temporl.report.page.recordings import frontiers, recordings
from temporl.report.page.worlds import world_maps
from temporl.types import Record
from temporl.version import __version__

SCRIPTS = ("theme.js", "charts.js", "legend.js", "world.js", "recording.js", "page.js")
MORE_COLOURS = (*OTHER_COLOURS, "#7a5195", "#2f4b7c", "#a05195", "#f95d6a", "#665191", "#488f31")


def write_page(folder: Path, out: Path, *, trusted: bool = False) -> Path:
    """Write the page about all runs below a folder."""
    text = page_text(folder, trusted=trusted)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput("out", str(out), f"it cannot be written: {error.strerror}") from error
    return out


def page_text(folder: Path, *, trusted: bool = False) -> str:
    """The page about all runs below a folder."""
    scenes = find_scenes(folder, trusted=trusted)
    maps, episodes = world_maps(scenes), recordings(scenes)
    shown = [scene_data(scene, maps, episodes) for scene in scenes]
    here = files(__package__)
    scripts = [get_plotlyjs(), *((here / name).read_text() for name in SCRIPTS)]
    templates = Environment(
        loader=PackageLoader("temporl.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template("page.html").render(
        title=folder.resolve().name,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        version=__version__,
        tables=read_tables(folder),
        scenes=shown,
        columns=COLUMNS,
        runs=sum(len(group.seeds) for scene in scenes for group in scene.groups),
        groups=sum(len(scene.groups) for scene in scenes),
        data=embedded([scene["data"] for scene in shown]),
        style=Markup((here / "page.css").read_text()),
        scripts=[Markup(script) for script in scripts],
        hashes=[script_hash(script) for script in scripts],
    )


def scene_data(scene: Scene, maps: dict[str, Record], episodes: dict[str, list[Record]]) -> Record:
    """One environment: what the template writes, and under `data` what scripts draw."""
    drawn = []
    for group, colour in zip(scene.groups, colours(scene.groups), strict=True):
        curves = group_curves(group)
        if curves is not None:
            drawn.append(
                curves
                | {
                    "label": group.label,
                    "colour": colour,
                    "seeds": group.seed_numbers,
                    "skips": chosen_skips(group),
                    "development": skips_over_training(group),
                    "world": maps.get(str(group.folder)),
                    "recordings": episodes[str(group.folder)],
                }
            )
    labels, lines = differences(scene.groups)
    return {
        "title": scene.title,
        "experiment": scene.experiment,
        "groups": drawn,
        "labels": labels,
        "differences": lines,
        "frontiers": frontiers(scene.groups),
        "data": {"title": scene.title, "groups": drawn},
    }


def colours(groups: Sequence[Group]) -> list[str]:
    """A colour for each configuration: the agent's own for the first of its kind."""
    chosen: list[str] = []
    for group in groups:
        own = AGENT_COLOURS.get(group.agent)
        free = [colour for colour in MORE_COLOURS if colour not in chosen]
        if own is not None and own not in chosen:
            chosen.append(own)
        else:
            chosen.append(free[0] if free else MORE_COLOURS[len(chosen) % len(MORE_COLOURS)])
    return chosen


def embedded(data: Any) -> Markup:
    """Data as JSON that can stand inside a page: nothing in it can end or begin an element."""
    return htmlsafe_json_dumps(data, separators=(",", ":"), allow_nan=False)


def script_hash(script: str) -> str:
    """The hash by which a browser knows that a script is the page's own; it runs no other."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
