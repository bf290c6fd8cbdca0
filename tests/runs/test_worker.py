"""A worker process, spoken to as the process that starts it does: a line in, lines out."""

from __future__ import annotations

import json
import subprocess
import sys

from temporl.agents import make_agent
from temporl.environments import EnvironmentSpec
from temporl.runs.config import RunConfig
from temporl.runs.plan import PlannedRun

CONFIG = RunConfig(make_agent("q"), EnvironmentSpec("temporl/ZigZag-v0"), episodes=5)


def test_an_order_that_cannot_be_read_is_answered_in_one_line_and_the_next_executed(tmp_path):
    order = json.dumps(PlannedRun(CONFIG, 0, tmp_path / "seed-0").to_data())
    unreadable = {
        order[:-1]: "JSONDecodeError: ",
        "\x00": "JSONDecodeError: ",
        "": "JSONDecodeError: ",
        "[]": "TypeError: ",
        "{}": "KeyError: ",
        order.replace('"q"', '"nobody"'): "agent: 'nobody' cannot be used; ",
        order.replace('"q"', '"nowhere:Nobody"'): "agent: 'nowhere:Nobody' cannot be used; ",
        order.replace('"q"', '"json:JSONDecoder"'): "agent: 'json:JSONDecoder' cannot be used; ",
        order.replace('"gamma": 0.99', '"gamma": 2'): "gamma: 2 cannot be used; ",
        order.replace('"gamma": 0.99', '"gamma": "a\\nb"'): "gamma: 'a\\nb' cannot be used; ",
    }
    with subprocess.Popen(
        [sys.executable, "-m", "temporl.runs.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as worker:
        assert json.loads(worker.stdout.readline()) == {"ready": True}
        for line, expected in unreadable.items():
            print(line, file=worker.stdin, flush=True)
            answer = json.loads(worker.stdout.readline())
            assert answer["failed"].startswith(expected), line
            assert "\n" not in answer["failed"]
        print(order, file=worker.stdin, flush=True)
        while "report" in (answer := json.loads(worker.stdout.readline())):
            pass
        assert answer == {"finished": True}
        _, errors = worker.communicate(timeout=60)
    assert errors == ""
    assert (tmp_path / "seed-0/manifest.json").exists()
