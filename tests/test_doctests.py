"""Every example in a docstring runs and gives what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import temporl

MODULES = [
    "temporl",
    *(
        module.name
        for module in pkgutil.walk_packages(temporl.__path__, "temporl.")
        if not module.name.endswith("__main__")
    ),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name, tmp_path):
    module = importlib.import_module(name)
    outcome = doctest.testmod(module, extraglobs={"results": tmp_path})
    assert outcome.failed == 0


def test_the_package_itself_opens_with_an_example(tmp_path):
    assert doctest.testmod(temporl, extraglobs={"results": tmp_path}).attempted >= 5
