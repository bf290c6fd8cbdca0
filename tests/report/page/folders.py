"""A results folder as users have it: runs, a table, a video, and names that try to be markup."""

from __future__ import annotations

import json
from pathlib import Path

import temporl
from temporl.environments import EnvironmentSpec
from temporl.report.recording import record_episode, write_recording

WORLD = "temporl/ZigZag-v0"
HOSTILE = "<script>document.title='broken in'</script>"


def write_table(folder: Path) -> list[dict[str, object]]:
    """A table with a value that is met, one that is not, and a hostile name."""
    common = {
        "experiment": folder.name,
        "environment": "zigzag",
        "architecture": None,
        "schedule": "linear",
        "metric": "reward_auc",
        "seeds": 2,
    }
    rows = [
        common
        | {"agent": "t-q", "max_skip": 7, "value": 0.9251, "ci_low": 0.92, "ci_high": 0.93}
        | {"published": 0.92},
        common
        | {"agent": HOSTILE, "max_skip": 1, "value": 0.5, "ci_low": 0.49, "ci_high": 0.51}
        | {"published": 0.57},
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.json").write_text(json.dumps(rows))
    return rows


def small_folder(out: Path) -> Path:
    """Two tabular agents with two seeds each, a table, and a recorded episode."""
    for agent, options in (("q", {}), ("t-q", {"max_skip": 7})):
        run = temporl.train(
            agent, WORLD, episodes=400, seeds=2, out=out, progress=False, workers=1, **options
        )
    recording = record_episode(run.policy(), EnvironmentSpec(WORLD))
    write_recording(recording, run.path / "videos" / "seed-0.webm", "t-q", "#cc78bc")
    write_table(out / "gridworlds")
    return out
