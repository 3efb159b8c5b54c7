"""Libraries loaded when first used: importing the tools names them, listing the tools needs none of them."""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

HEAVY = ("pandas", "duckdb", "pyproj", "h3")
"""A third of the time in which `copilot tools` would otherwise start."""


class _Deferred(ModuleType):
    """A module that runs its code when it is first asked for something.

    importlib's LazyLoader would do so already at the next `import` of it, for that asks for `__spec__`.
    """

    def __getattr__(self, name: str) -> Any:
        spec = self.__spec__
        if name.startswith("__") or spec is None or spec.loader is None:
            raise AttributeError(name)
        object.__setattr__(self, "__class__", ModuleType)  # from here on it is an ordinary module
        spec.loader.exec_module(self)
        return getattr(self, name)


def defer(*names: str) -> None:
    """Let `import name` give a module that loads at its first attribute. For a process of one thread."""
    for name in names:
        spec = None if name in sys.modules else find_spec(name)
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            module.__class__ = _Deferred
            sys.modules[name] = module
