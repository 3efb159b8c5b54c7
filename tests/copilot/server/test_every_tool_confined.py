"""What holds for every tool over the web: no argument makes it read a file of the server or of others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from copilot.live import Live
from tests.copilot.server.conftest import owner
from tests.suite.walking import WHOLE, share
from tools.base import Tool
from tools.toolbox import toolbox

WORD = "treasure"


def filled(schema: dict[str, Any], text: str) -> Any:
    """A value of that schema, of that text wherever a text may stand."""
    kinds = schema.get("anyOf", [schema])
    for each in kinds:
        if each.get("type") == "string" and "enum" not in each:
            return text
        if each.get("type") == "array" and each.get("items", {}).get("type") == "string":
            return [text]
    first = kinds[0]
    return first.get("enum", [3])[0] if "enum" in first else [] if first.get("type") == "array" else 3


def calls(tool: Tool, text: str) -> Iterator[dict[str, Any]]:
    """The tool's arguments with the text as each of them in turn, and as all that must be there."""
    properties = tool.schema.get("properties", {})
    needed = {name: filled(properties[name], text) for name in tool.schema.get("required", [])}
    for name, schema in properties.items():
        value = filled(schema, text)
        if value == text or value == [text]:
            yield {**needed, name: value}


@pytest.fixture
def secrets(live: Live, tmp_path: Path) -> list[str]:
    """Files that a visitor must not read: one of the server's, and another owner's upload."""
    theirs = live.engine.uploads(live.engine.owners.issue()[1])
    theirs.mkdir(parents=True)
    files = [tmp_path / "secret.csv", theirs / "secret.csv"]
    for file in files:
        file.write_text(f"name,lon,lat\nhidden {WORD},4.5,51.5\n")
    return [*map(str, files), f"../{theirs.name}/secret.csv"]


@pytest.mark.slow
def test_no_argument_of_any_tool_reveals_a_file(client: TestClient, live: Live, secrets: list[str]) -> None:
    session = live.create(owner(client))
    session.call("db_load", names=["xview1"])
    made = 0
    for first, tool in enumerate(toolbox()):
        for number, text in enumerate(secrets, first):
            for args in share([*calls(tool, text)], number, of=len(secrets)):
                event = session.call(tool.name, **args)
                told = json.dumps([event.text, event.data])
                assert WORD not in told, (tool.name, args)
                for each in secrets:
                    told = told.replace(json.dumps(each)[1:-1], "")
                assert str(live.engine.home) not in told, (tool.name, args)
                made += 1
    assert made > (500 if WHOLE else 170)
    kept = [each for each in (live.engine.home / "sessions").rglob("*") if each.is_file()]
    assert [each.name for each in kept if WORD.encode() in each.read_bytes()] == []
