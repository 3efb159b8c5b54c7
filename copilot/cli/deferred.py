"""Libraries loaded when first used: importing the tools names them, listing the tools needs none of them."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec

HEAVY = ("pandas", "duckdb", "pyproj", "h3")
"""A third of the time in which `copilot tools` would otherwise start."""


def defer(*names: str) -> None:
    """Let `import name` give a module that loads at its first attribute. For a process of one thread."""
    for name in names:
        spec = None if name in sys.modules else find_spec(name)
        if spec is None or spec.loader is None:
            continue
        spec.loader = LazyLoader(spec.loader)
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
