"""The command line: parse, call, print.

Start with `main.py`, which finds the command; every other module but `parsing.py` and `machines.py`
is one command: a dataclass of its arguments and a function `run`.
"""

from temporl.cli.main import main

__all__ = ["main"]
