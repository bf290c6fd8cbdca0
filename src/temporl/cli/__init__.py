"""The command line: parse, call, print."""

from temporl.cli.main import main

__all__ = ["main"]
