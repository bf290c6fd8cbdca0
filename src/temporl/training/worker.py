"""A worker process: reads runs as lines of JSON, executes them, answers with lines of JSON.

Runs are pure data and results are files, so nothing else needs to cross between processes.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from types import FrameType
from typing import IO, Any

from temporl.training.runs import PlannedRun, execute, failure_reason


def answer(channel: IO[str], message: dict[str, Any]) -> None:
    """Send one line."""
    channel.write(json.dumps(message) + "\n")
    channel.flush()


def leave(number: int, _frame: FrameType | None) -> None:
    """Leave in good order: what is half written is removed on the way out."""
    raise SystemExit(128 + number)


def main() -> None:
    """Work until there is nothing left to read."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides
    signal.signal(signal.SIGTERM, leave)
    # What an environment prints must not mix with the answers.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        run = PlannedRun.from_data(json.loads(line))
        try:
            steps = execute(run, lambda report: answer(channel, {"report": report}))
        except Exception as error:  # an environment may raise anything; the other runs go on
            answer(channel, {"failed": failure_reason(error)})
        else:
            answer(channel, {"finished": steps})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # nothing is left to be put in order


if __name__ == "__main__":
    main()
