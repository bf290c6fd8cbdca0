"""What the library promises: the names it exports, each with a word about itself."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import temporl

PACKAGES = ["temporl"] + [
    module.name for module in pkgutil.walk_packages(temporl.__path__, "temporl.") if module.ispkg
]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(temporl.__path__, "temporl.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", PACKAGES)
def test_everything_promised_is_there_and_sorted(name):
    package = importlib.import_module(name)
    promised = getattr(package, "__all__", [])
    assert len(set(promised)) == len(promised)
    for public in promised:
        assert hasattr(package, public)


def test_the_public_names():
    assert set(temporl.__all__) == {
        "AGENTS",
        "Agent",
        "BadInput",
        "Commitment",
        "Connection",
        "DamagedFile",
        "Decision",
        "EnvironmentSpec",
        "Evaluation",
        "GridMap",
        "GridWorld",
        "Policy",
        "Run",
        "RunFailed",
        "Step",
        "TemporlError",
        "__version__",
        "connections",
        "evaluate",
        "load",
        "make_agent",
        "register_worlds",
        "train",
    }
    imported = {
        name
        for name, value in vars(temporl).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert imported <= {*temporl.__all__, "TYPE_CHECKING"}  # the names are imported when used


@pytest.mark.parametrize("name", [n for n in temporl.__all__ if n not in ("AGENTS", "__version__")])
def test_every_public_thing_says_what_it_is(name):
    thing = getattr(temporl, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        for method, function in inspect.getmembers(thing, inspect.isfunction):
            if not method.startswith("_") and function.__module__.startswith("temporl"):
                assert inspect.getdoc(function), f"{name}.{method}"


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_is(name):
    assert importlib.import_module(name).__doc__
