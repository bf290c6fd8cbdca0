"""Imports point one way, from the idea up to the command line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import temporl

ROOT = Path(temporl.__file__).parent
ARCHITECTURE = Path(__file__).parent.parent / "docs" / "architecture.md"
PARTS = re.findall(r"^\| `(\w+)` \|", ARCHITECTURE.read_text(), re.MULTILINE)
HEIGHT = {name: -place for place, name in enumerate(PARTS)}
SOURCES = sorted(path for path in ROOT.rglob("*.py") if path.name != "__main__.py")


def layer_of(module: str) -> str:
    """The first name below the package: its layer. The package itself is above all others."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path) -> set[str]:
    """The library's own modules that a file imports, wherever in the file it does so."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            module = node.module or ""
            names = {f"{module}.{alias.name}" for alias in node.names}
            found |= names if module == "temporl" else {module}
    return {name for name in found if name.split(".")[0] == "temporl"}


def test_every_part_of_the_library_has_its_place():
    assert sorted({layer_of(module_name(path)) for path in SOURCES}) == sorted(PARTS)


def test_no_module_imports_from_above():
    upwards = [
        f"{module_name(path)} imports {imported}"
        for path in SOURCES
        for imported in imported_modules(path)
        if (own := layer_of(module_name(path))) != (other := layer_of(imported))
        and (other not in HEIGHT or HEIGHT[other] >= HEIGHT[own])
    ]
    assert upwards == []


def test_the_idea_needs_neither_environments_nor_networks():
    allowed = {"temporl", "numpy", "jaxtyping", "collections", "itertools", "typing", "__future__"}
    for path in (ROOT / "skipping").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.module.split(".")[0] in allowed
            elif isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed


def test_nothing_reads_a_global_generator():
    """Randomness comes from streams: no `np.random.seed`, `np.random.rand` or module `random`."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert "random" not in {alias.name for alias in node.names}, path
            if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("np.random."):
                allowed = ("np.random.Generator", "np.random.PCG64", "np.random.SeedSequence")
                assert ast.unparse(node).startswith(allowed), path
