"""Scripts outside the package can be imported, and they call the library as it is."""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = [
    path for folder in ("benchmarks", "docs") for path in sorted(ROOT.glob(f"{folder}/*.py"))
]
NOTEBOOKS = sorted(ROOT.glob("examples/*.ipynb"))


def sources(path: Path) -> Iterator[ast.Module]:
    """The code of a script or a notebook, and code for other processes in its strings."""
    text = path.read_text()
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    whole = ast.parse(text)
    yield whole
    for node in ast.walk(whole):
        said = str(node.value) if isinstance(node, ast.Constant) else ""
        if "temporl" in said and "import" in said:
            try:
                yield ast.parse(said)
            except SyntaxError:
                continue  # prose


def is_ours(module: str | None) -> bool:
    return (module or "").split(".")[0] == "temporl"


def imported(code: ast.Module) -> dict[str, Any]:
    """What some code imports from the library, wherever in it, by the names it is given there."""
    found: dict[str, Any] = {}
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            for alias in filter(lambda alias: is_ours(alias.name), node.names):
                module = import_module(alias.name)
                found[alias.asname or "temporl"] = (
                    module if alias.asname else sys.modules["temporl"]
                )
        elif isinstance(node, ast.ImportFrom) and is_ours(node.module):
            for alias in node.names:
                found[alias.asname or alias.name] = attribute(
                    import_module(node.module), alias.name
                )
    return found


def attribute(module: ModuleType, name: str) -> Any:
    """A name of a module, or a module in a package."""
    if hasattr(module, name):
        return getattr(module, name)
    try:
        return import_module(f"{module.__name__}.{name}")
    except ImportError:
        raise AssertionError(f"{module.__name__} has no {name}") from None


def known(node: ast.expr, names: dict[str, Any]) -> Any:
    """What an expression stands for, if it is a name from the library or one in its modules."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(
        module := known(node.value, names), ModuleType
    ):
        return attribute(module, node.attr)
    return None


def require_callable(call: ast.Call, function: Any) -> None:
    """Raise unless a function takes such arguments; of those behind stars, nothing is known."""
    positional = [a for a in call.args if not isinstance(a, ast.Starred)]
    named = {k.arg: None for k in call.keywords if k.arg is not None}
    stars = len(positional) < len(call.args) or len(named) < len(call.keywords)
    signature = inspect.signature(function)
    bind = signature.bind_partial if stars else signature.bind
    try:
        bind(*(None for _ in positional), **named)
    except TypeError as error:
        raise AssertionError(f"{ast.unparse(call)}: {error}") from None


def require_same_parameters(kind: ast.ClassDef, base: Any) -> None:
    """Raise unless the methods of a class take what those of its base take."""
    for method in kind.body:
        replaced = isinstance(method, ast.FunctionDef) and getattr(base, method.name, None)
        if inspect.isfunction(replaced) and not method.name.startswith("_"):
            taken = [argument.arg for argument in (*method.args.args, *method.args.kwonlyargs)]
            wanted = list(inspect.signature(replaced).parameters)
            assert taken == wanted, f"{kind.name}.{method.name} takes {taken}, not {wanted}"


@pytest.mark.parametrize("path", [*SCRIPTS, *NOTEBOOKS], ids=lambda path: path.name)
def test_scripts_use_the_library_as_it_is(path):
    for code in sources(path):
        names = imported(code)
        for node in ast.walk(code):
            if isinstance(node, ast.Attribute):
                known(node, names)
            if isinstance(node, ast.Call) and callable(function := known(node.func, names)):
                require_callable(node, function)
            if isinstance(node, ast.ClassDef):
                for base in node.bases:
                    require_same_parameters(node, known(base, names))


@pytest.mark.parametrize(
    "wrong",
    [
        "from temporl.runs.workers import SCREEN_THREADS",
        "from temporl.training import deep as x; x.Tick",
        "CODE = 'import temporl\\nfrom temporl.tabular.training import train_tabular'",
        "from temporl.training.trainer import Task as T; T(spec)",
        "from temporl.training.trainer import Task; Task(spec, seed=0, seeds=1)",
        "from temporl.agents.dqn import DQN\nclass X(DQN):\n def act(self, key): pass",
        "def f():\n from temporl.agents.images import image_options\n image_options(*a, x=1)",
    ],
)
def test_what_is_not_there_is_found(wrong, tmp_path):
    path = tmp_path / "script.py"
    path.write_text(wrong)
    with pytest.raises(AssertionError):
        test_scripts_use_the_library_as_it_is(path)


def test_a_fresh_process_can_import_all_scripts(tmp_path):
    code = "import " + ", ".join(path.stem for path in SCRIPTS)
    places = os.pathsep.join(map(str, (ROOT / "benchmarks", ROOT / "docs", ROOT)))
    environment = os.environ | {"PYTHONPATH": places}
    command = [sys.executable, "-c", code]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=120)
