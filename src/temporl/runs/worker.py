"""A worker process: reads runs as lines of JSON, executes them, answers with lines of JSON.

Runs are pure data and results are files, so nothing else needs to cross between processes.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from contextlib import suppress
from typing import IO

from temporl.runs.interruption import Interrupted, Interruption, interruptible
from temporl.runs.plan import PlannedRun, execute, failure_reason


def answer(channel: IO[str], message: dict[str, object]) -> None:
    """Send one line."""
    channel.write(json.dumps(message) + "\n")
    channel.flush()


def listen(lines: queue.SimpleQueue[str | None], interruption: Interruption) -> None:
    """Pass on what comes in; when the pipe is closed, the run is to be interrupted."""
    for line in sys.stdin:
        lines.put(line)
    lines.put(None)
    if not interruption.requested:
        os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Work until there is nothing left to read."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides
    # What an environment prints must not mix with the answers.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    with interruptible() as interruption, suppress(BrokenPipeError):
        threading.Thread(target=listen, args=(lines, interruption), daemon=True).start()
        answer(channel, {"ready": True})
        while not interruption.requested and (line := lines.get()) is not None:
            try:
                work(line, channel, interruption)
            except Interrupted:
                break
    # Nothing is left to be put in order, and what a library does on its way out takes time.
    os._exit(128 + signal.SIGTERM if interruption.requested else 0)


def work(order: str, channel: IO[str], interruption: Interruption) -> None:
    """Execute one run, and answer how it went; also if the order itself cannot be read."""
    try:
        run = PlannedRun.from_data(json.loads(order))
        execute(run, lambda report: answer(channel, {"report": report}), interruption)
    except Exception as error:  # an environment may raise anything; the other runs go on
        answer(channel, {"failed": failure_reason(error)})
    else:
        answer(channel, {"finished": True})


if __name__ == "__main__":
    main()
