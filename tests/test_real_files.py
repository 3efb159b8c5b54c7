"""A test means the same on every machine: what may be given away of what it reads is in the repository."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.real_files import OURS, ROOT

NOT_TO_GIVE_AWAY = {"dota", "joplin", "levir_cd", "planet_ships", "sar_ships", "spacenet"}
"""Folders beside the repository that are under a licence which forbids it, or asks for more than a notice."""


def asked_for() -> Iterator[tuple[str, bool]]:
    """What tests ask `real` for, and whether that is the whole path or only how it begins."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "real" and node.args:
                wanted = node.args[0]
                if isinstance(wanted, ast.Constant):
                    yield str(wanted.value), True
                elif isinstance(wanted, ast.JoinedStr) and isinstance(wanted.values[0], ast.Constant):
                    yield str(wanted.values[0].value), False


def test_what_may_be_given_away_is_in_the_repository() -> None:
    asked = [each for each in asked_for() if each[0].split("/")[0] not in NOT_TO_GIVE_AWAY]
    missing = [path for path, whole in asked if not (OURS / (path if whole else path.split("/")[0])).exists()]
    assert missing == []
    assert len(asked) > 30


def test_what_may_not_be_given_away_is_not_in_the_repository() -> None:
    assert sorted(NOT_TO_GIVE_AWAY & {each.name for each in OURS.iterdir()}) == []
    assert {each.name for each in OURS.iterdir() if each.is_dir()} <= set(_told())


def _told() -> list[str]:
    """The folders whose licence the README tells."""
    text = (Path(OURS) / "README.md").read_text(encoding="utf-8")
    return [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
