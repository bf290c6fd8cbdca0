"""`temporl COMMAND ...`: finds the command, and turns errors into one line and an exit code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import FrameType

from temporl.errors import BadInput, TemporlError, unknown_name
from temporl.version import __version__

COMMANDS = {
    "train": "train an agent on an environment",
    "evaluate": "play greedy episodes with a trained policy",
    "frontier": "play a trained policy at many prices of a decision: return against decisions",
    "sweep": "run agents x environments x options x seeds from a file",
    "resume": "resume interrupted runs",
    "verify": "check the files of runs against their manifests",
    "reproduce": "run an experiment of the paper and print our values beside the published ones",
    "report": "make one HTML page about all runs in a folder",
    "watch": "record an episode as a video that shows every decision",
    "tune": "search for good hyperparameters",
    "list": "list agents, environments or experiments",
}

HELP = f"""temporl {__version__}: agents that learn when to act

usage: temporl COMMAND ...

{chr(10).join(f"  {name:<10} {text}" for name, text in COMMANDS.items())}

'temporl COMMAND --help' lists the options of a command.
"""

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGTERM, _terminate)
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module that registers an environment may lie in this folder
    try:
        return _run(words)
    except BadInput as error:
        print(f"temporl: {error}", file=sys.stderr)
        return BAD_INPUT
    except TemporlError as error:
        print(f"temporl: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("temporl: interrupted; run the same command again to resume", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone, as `temporl list environments | head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(HELP, end="")
        return DONE
    if words[0] == "--version":
        print(__version__)
        return DONE
    if words[0] not in COMMANDS:
        raise unknown_name("command", words[0], COMMANDS)
    command: Callable[[list[str]], int] = import_module(f"temporl.cli.{words[0]}").run
    return command(words[1:])


def _terminate(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
