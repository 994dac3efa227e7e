"""Docstrings published as descriptions, even if `python -OO` has removed them."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from typing import Any


@cache
def _docstrings(module: str) -> dict[str, str | None]:
    """Class → its docstring, from the source of a module."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: ast.get_docstring(node) for node in tree.body if isinstance(node, ast.ClassDef)}


class Described:
    """Base of classes whose docstring is published."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if sys.flags.optimize > 1 and cls.__dict__.get("__doc__") is None:
            cls.__doc__ = _docstrings(cls.__module__).get(cls.__name__)
