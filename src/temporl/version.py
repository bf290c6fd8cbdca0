"""The library's version, read once."""

from importlib.metadata import version

__version__ = version("temporl")
