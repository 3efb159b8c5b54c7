"""Takes the messages out of the sources: calls of t, tn and later in Python, t and tn in the scripts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_javascript

from copilot.messages import FOLDER

ROOT = FOLDER.parents[1]
FOLDERS = ("pages", "copilot")
Found = tuple[str | tuple[str, str], str]
"""A message, or the two English forms of one for a count, and the file that it is in."""


class Unreadable(Exception):
    """A call whose text is not written where it stands: nobody could translate it."""


def template() -> Catalog:
    """Every message of the sources, with the files that say it."""
    made = Catalog(project="Azimuth", charset="utf-8", fuzzy=False)
    for said, place in sorted(_all(), key=lambda each: each[1]):
        made.add(said, locations=[(place, 0)])
    return made


def _all() -> Iterator[Found]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            for said in of_python(path.read_text(encoding="utf-8"), place):
                yield said, place
    for path in sorted((ROOT / "assets").glob("*.js")):
        for said in of_script(path):
            yield said, path.relative_to(ROOT).as_posix()


def of_python(source: str, place: str) -> Iterator[str | tuple[str, str]]:
    """The messages of a Python source. Raises Unreadable for an f-string or a sum."""
    if "copilot.messages" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id in ("t", "later") and node.args:
            if (text := _text(node.args[0], place)) is not None:
                yield text
        elif node.func.id == "tn" and len(node.args) == 3:
            one, many = (_text(each, place) for each in node.args[:2])
            if one is not None and many is not None:
                yield one, many


def _text(node: ast.expr, place: str) -> str | None:
    if isinstance(node, ast.JoinedStr | ast.BinOp):
        raise Unreadable(f"{place}:{node.lineno}: the text of t is put together; name its parts in braces")
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def of_script(path: Path) -> Iterator[str | tuple[str, str]]:
    """The messages of one of the page's scripts."""
    with path.open("rb") as file:
        for _, name, said, _ in extract_javascript(file, {"t": None, "tn": None}, [], {"encoding": "utf-8"}):
            found: Any = said
            texts = [found] if isinstance(found, str) else [each for each in found if each]
            if name == "tn" and len(texts) >= 2:
                yield texts[0], texts[1]
            elif name == "t" and texts:
                yield texts[0]
