"""Every example in a docstring runs and gives what it says."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import temporl

ROOT = Path(temporl.__file__).parent
WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(ROOT.rglob("*.py"))
    if ">>> " in path.read_text()
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_in_docstrings(name, tmp_path):
    module = importlib.import_module(name)
    outcome = doctest.testmod(module, extraglobs={"results": tmp_path})
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_the_package_itself_opens_with_an_example(tmp_path):
    assert doctest.testmod(temporl, extraglobs={"results": tmp_path}).attempted >= 5
