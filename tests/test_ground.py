"""The rules that hold for the whole repository: who may import whom, how long things get, what is pinned."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pages", "copilot", "tools", "state", "data")
MAY_IMPORT = {
    "state": {"state"},
    "data": {"data"},
    "tools": {"tools", "state", "data"},
    "copilot": {"copilot", "tools", "state", "data"},
    "pages": set(PACKAGES),
}
REQUIREMENTS = (
    "requirements.txt",
    "requirements-nodeps.txt",
    "requirements-torch.txt",
    "requirements-torch-nodeps.txt",
)
STREAMLIT = {"streamlit", "streamlit_folium"}


def modules(*packages: str) -> list[Path]:
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def own_code() -> list[Path]:
    return [*modules(*PACKAGES, "scripts"), *ROOT.glob("*.py")]


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported_roots(tree: ast.Module, package: str) -> Iterator[str]:
    """The first part of every imported name, wherever in the module the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield package if node.level else (node.module or "").split(".")[0]


def imports_beyond(package: str, allowed: set[str], among: set[str]) -> list[tuple[str, str]]:
    return [
        (name_of(path), root)
        for path in modules(package)
        for root in imported_roots(parse(path), package)
        if root in among and root not in allowed
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_one_way(package: str):
    assert imports_beyond(package, MAY_IMPORT[package], {*PACKAGES, "app", "tests"}) == []


@pytest.mark.parametrize("package", ["copilot", "tools", "state", "data"])
def test_only_pages_import_streamlit(package: str):
    assert imports_beyond(package, set(), STREAMLIT) == []


def test_ultralytics_is_imported_by_the_models_only():
    found = [name_of(p) for p in own_code() if "ultralytics" in imported_roots(parse(p), "")]
    assert [name for name in found if not name.startswith("data/models/")] == []


def test_no_module_is_longer_than_500_lines():
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in own_code()}
    assert {name: length for name, length in lengths.items() if length > 500} == {}


def test_no_function_is_longer_than_70_lines():
    lengths = {
        f"{name_of(path)}:{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in own_code()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in lengths.items() if length > 70} == {}


def test_requests_are_matched_by_their_letters_in_mentions_alone():
    mentions = ROOT / "copilot" / "language" / "mentions"
    others = [each for each in modules("copilot/language") if mentions not in each.parents]
    found = [
        f"{name_of(path)}:{node.lineno}: {node.args[0].value}"
        for path in others
        for node in ast.walk(parse(path))
        if is_pattern(node) and WORD_IN_PATTERN.search(UNREAD_IN_PATTERN.sub(" ", node.args[0].value))
    ]
    assert found == []


def is_pattern(node: ast.AST) -> bool:
    """Whether it is a call such as re.compile("…")."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    )


WORD_IN_PATTERN = re.compile(r"[A-Za-z]{2}")
UNREAD_IN_PATTERN = re.compile(r"\\.|\[[^\]]*\]|\(\?[a-zA-Z]+[:)]")
"""What stands for signs and not for words: escapes, sets, flags."""


def test_every_module_says_what_it_is_for():
    silent = [name_of(p) for p in own_code() if parse(p).body and not ast.get_docstring(parse(p))]
    assert silent == []


def makefile_targets() -> list[str]:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    return [match[1] for line in lines if (match := re.match(r"([a-z][\w-]*):(?!=)", line))]


def test_make_lists_every_target_with_a_line_of_help():
    shown = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    listed = re.findall(r"^  make (\S+)  +\S", shown.stdout, flags=re.MULTILINE)
    assert listed == makefile_targets()


def test_every_target_is_declared_as_a_command_and_not_as_a_file():
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert phony is not None
    assert sorted(phony[1].split()) == sorted(makefile_targets())


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_every_requirement_names_one_exact_version(name: str):
    lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    loose = [
        line for line in lines if line and not re.fullmatch(r"[\w.\-]+(\[[\w,]+\])?==[\w.+!]+( ?;.*)?", line)
    ]
    assert loose == []


def test_no_requirement_stands_twice():
    text = "\n".join((ROOT / name).read_text() for name in REQUIREMENTS)
    names = [
        re.sub(r"[-_.]+", "-", name).lower() for name in re.findall(r"^([\w.\-]+)", text, flags=re.MULTILINE)
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_browser_packages_are_pinned_and_locked_to_the_same_versions():
    wanted = json.loads((ROOT / "package.json").read_text())["dependencies"]
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted


def test_the_lock_file_has_a_hash_for_each_package_and_names_no_host():
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    parts = {name: part for name, part in locked.items() if name}
    assert [name for name, part in parts.items() if not part["integrity"].startswith("sha512-")] == []
    hosts = {part.get("resolved", "https://registry.npmjs.org/").split("/")[2] for part in parts.values()}
    assert hosts == {"registry.npmjs.org"}


@pytest.mark.parametrize("script", ["scripts/setup.sh", ".ci/run"])
def test_scripts_stop_at_the_first_failure_and_can_be_run(script: str):
    path = ROOT / script
    assert "\nset -euo pipefail\n" in path.read_text()
    assert path.stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True).stderr == ""


def test_setup_says_which_parts_there_are_when_asked_for_another():
    answer = subprocess.run(["scripts/setup.sh", "kitchen"], cwd=ROOT, capture_output=True, text=True)
    assert (answer.returncode, answer.stderr) == (
        1,
        "setup: knows no part 'kitchen'; the parts are python, assets, torch, browser, postgres, gdal.\n",
    )
