"""Files of foreign tools and tasks, right and wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from copilot.workflows.foreign.reading import (
    ForeignError,
    ForeignTask,
    ForeignTool,
    KnownTask,
    read_known,
    read_tasks,
    read_tools,
)


def written(path: Path, *values: Any) -> Path:
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    return path


def test_tools_are_read_with_the_names_of_their_arguments(tmp_path: Path) -> None:
    listed = [
        {"name": "a", "description": "Does a", "arguments": [{"name": "path", "type": "str"}]},
        {"name": "b", "parameters": {"type": "object", "properties": {"size": {}, "unit": {}}}},
        {"name": "c", "arguments": ["text"]},
    ]
    assert read_tools(written(tmp_path / "t.json", listed)) == (
        ForeignTool("a", "Does a", ("path",)),
        ForeignTool("b", "", ("size", "unit")),
        ForeignTool("c", "", ("text",)),
    )


def test_tools_under_a_key_are_read_too(tmp_path: Path) -> None:
    assert read_tools(written(tmp_path / "t.json", {"tools": [{"name": "a"}]})) == (ForeignTool("a"),)


def test_tasks_are_read_with_what_is_known_of_them(tmp_path: Path) -> None:
    path = written(
        tmp_path / "t.jsonl",
        {"id": 7, "question": "Where?"},
        {"id": "b", "question": "When?", "domain": "Sea", "complexity": "Simple", "tools": ["a"]},
    )
    assert read_tasks(path) == (ForeignTask(7, "Where?"), ForeignTask("b", "When?", "Sea", "Simple"))


def test_known_tasks_keep_their_tools_in_order(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", {"id": "a", "question": "Where?", "tools": ["z", "b"]})
    assert read_known(path) == (KnownTask(ForeignTask("a", "Where?"), ("z", "b")),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no list of tools"),
        ('{"a": 1}', "holds no list of tools"),
        ('[{"description": "x"}]', "tool 1 has no name"),
        ('["a"]', "tool 1 has no name"),
        ('[{"name": "a"}, {"name": "a"}]', "names the tool 'a' twice"),
        ('[{"name": "a", "description": 3}]', "the description of 'a' is no text"),
    ],
)
def test_a_wrong_list_of_tools_is_told_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "tools.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ForeignError, match=said) as told:
        read_tools(path)
    assert str(told.value).startswith(str(path)) and str(told.value).endswith(".")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no task"),
        ('{"id": "1", "question": "a"}\n{', "line 2 is not JSON"),
        ("[1]", "line 1 is no JSON object"),
        ('{"question": "a"}', "line 1 has no id"),
        ('{"id": true, "question": "a"}', "line 1 has no id"),
        ('{"id": "1", "question": " "}', "line 1 asks nothing"),
    ],
)
def test_a_wrong_file_of_tasks_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ForeignError, match=said):
        read_tasks(path)


def test_a_known_task_without_tools_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ForeignError, match="line 1: the names of the tools are missing"):
        read_known(written(tmp_path / "t.jsonl", {"id": "1", "question": "a"}))


def test_a_missing_or_binary_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ForeignError, match="cannot be read: No such file"):
        read_tools(tmp_path / "none.json")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(ForeignError, match="is not UTF-8 text"):
        read_tasks(tmp_path / "binary")
