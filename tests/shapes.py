"""While the tests run, arrays are checked against the shapes in annotations.

jaxtyping's own import hook wraps all functions of a package: those that numba compiles as well,
which it could not compile then, and those of every step, which takes time. This one wraps the
functions that have shapes in their annotations, and checks nothing but these.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType
from typing import Any

from beartype import beartype
from jaxtyping import jaxtyped

PACKAGE = "temporl"
CHECK = "__import__('tests.shapes').shapes.checked"


def check_shapes() -> None:
    """Have all modules of the library that are imported from now on checked."""
    sys.meta_path.insert(0, CheckingFinder())


def checked(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Check the arguments of these names, and what is returned if "return" is among them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        whole = function.__annotations__
        function.__annotations__ = {name: whole[name] for name in names}
        try:
            wrapper: Callable[..., Any] = jaxtyped(function, typechecker=beartype)
        finally:
            function.__annotations__ = whole
        wrapper.__annotations__ = whole
        return wrapper

    return decorate


class CheckingFinder(MetaPathFinder):
    """Finds the modules of the library where others find them, and has them checked."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] != PACKAGE:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next(filter(None, specs), None)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = CheckingLoader(spec.loader.name, spec.loader.path)
        return spec


class CheckingLoader(SourceFileLoader):
    """Compiles a module with the checks in it, and keeps nothing of that on disk."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), path)
        for function, names in functions_with_shapes(tree):
            decorator = ast.parse(f"{CHECK}{(*names,)}", mode="eval").body
            # The innermost: what other decorators make of a function has no annotations.
            function.decorator_list.append(ast.copy_location(decorator, function))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


def functions_with_shapes(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, list[str]]]:
    """Functions that numba does not compile, and which of their annotations have shapes."""
    shapes = {
        name.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "jaxtyping"
        for name in node.names
    }

    def has_shape(annotation: ast.AST | None) -> bool:
        parts = ast.walk(annotation) if annotation is not None else ()
        return any(isinstance(part, ast.Name) and part.id in shapes for part in parts)

    for node in tree.body:
        if isinstance(node, ast.Assign) and has_shape(node.value):  # another name for a shape
            shapes |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or is_compiled(node):
            continue
        arguments = [part for part in ast.walk(node.args) if isinstance(part, ast.arg)]
        names = [argument.arg for argument in arguments if has_shape(argument.annotation)]
        if has_shape(node.returns):
            names.append("return")
        if names:
            yield node, names


def is_compiled(function: ast.FunctionDef) -> bool:
    """Whether numba compiles a function."""
    decorators = function.decorator_list
    return any(isinstance(node, ast.Name) and node.id == "compiled" for node in decorators)
