"""Names that are imported when they are first used, so that the package is light to import."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def lazy_names(package: str, source: str) -> Callable[[str], object]:
    """A package's `__getattr__` for what its source imports below `if TYPE_CHECKING:`.

    Each of those names is imported when it is first asked for.
    """
    checked = next(x for x in ast.parse(Path(source).read_text()).body if isinstance(x, ast.If))
    imports = [node for node in checked.body if isinstance(node, ast.ImportFrom)]
    places = {alias.name: str(node.module) for node in imports for alias in node.names}

    def find(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(places[name]), name)  # it may be lazy there as well
        vars(import_module(package))[name] = found
        return found

    return find
