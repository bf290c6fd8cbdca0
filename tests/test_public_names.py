"""What the library promises: the names it exports, each with a word about itself."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import temporl

MODULES = ["temporl"] + [
    module.name
    for module in pkgutil.walk_packages(temporl.__path__, "temporl.")
    if not module.name.endswith("__main__")
]


def test_everything_promised_is_there_once():
    for name in MODULES:
        module = importlib.import_module(name)
        promised = getattr(module, "__all__", [])
        assert len(set(promised)) == len(promised), name
        assert [public for public in promised if not hasattr(module, public)] == [], name


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


def test_every_module_and_every_public_thing_says_what_it_is():
    silent = [name for name in MODULES if not importlib.import_module(name).__doc__]
    for name in set(temporl.__all__) - {"AGENTS", "__version__"}:
        thing = getattr(temporl, name)
        silent += [] if inspect.getdoc(thing) else [name]
        methods = inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) else []
        for method, function in methods:
            if not method.startswith("_") and function.__module__.startswith("temporl"):
                silent += [] if inspect.getdoc(function) else [f"{name}.{method}"]
    assert silent == []
