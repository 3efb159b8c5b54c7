"""The file of a benchmark: what is written is read again, with a header and without."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from copilot.bench.build.stamp import Stamp
from copilot.bench.build.taskfile import Header, UnreadableTasks, read_header, read_tasks, write_tasks
from copilot.bench.task import GoldCall, Task

STAMP = Stamp(1, "a", "b", "c", "d", "2024-01-15", "all", "", "", 2, 0)
HEADER = Header(STAMP, {"tasks": 2})
TASKS = [
    Task("one", "i", "ui-web", "Öffne", (GoldCall("open_page", {"name": "data"}),), "Done.", {"a": 1}),
    Task(
        "two",
        "i",
        "information",
        "How many?",
        (GoldCall("db_count"),),
        "2 images.",
        {},
        setup=(GoldCall("db_load", {"names": ["fmow"]}),),
        also=((GoldCall("map_state"),),),
        needs=("network",),
        version="v",
    ),
]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "tasks.jsonl.gz"
    write_tasks(path, HEADER, TASKS)
    assert list(read_tasks(path)) == TASKS
    assert read_header(path) == HEADER
    assert [each.name for each in path.parent.iterdir()] == ["tasks.jsonl.gz"]


def test_the_same_tasks_are_the_same_bytes_wherever_they_are_written(tmp_path: Path) -> None:
    for name in ("one.gz", "two.gz"):
        write_tasks(tmp_path / name, HEADER, TASKS)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "'{path}' is a folder; name a file in it, such as '{path}/tasks.jsonl.gz'."),
        ("file/tasks.jsonl", "'{path}' cannot be written: File exists."),
    ],
)
def test_a_place_that_cannot_be_written_to_is_told_before_a_task_is_made(
    tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / name
    with pytest.raises(ValueError) as wrong:
        write_tasks(path, HEADER, [])
    assert str(wrong.value) == said.format(path=path)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_any_gzip_reader_sees_one_file_of_json_lines(tmp_path: Path) -> None:
    write_tasks(tmp_path / "t.gz", HEADER, TASKS)
    with gzip.open(tmp_path / "t.gz", "rt", encoding="utf-8") as lines:
        assert [next(iter(json.loads(line))) for line in lines] == ["report", "also", "also"]


def test_a_name_without_gz_is_a_file_of_plain_lines(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_tasks(path, HEADER, TASKS)
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(first) == {"stamp": STAMP.to_json(), "report": {"tasks": 2}}
    assert [json.loads(line) for line in lines] == json.loads(json.dumps([t.to_json() for t in TASKS]))
    assert (read_header(path), list(read_tasks(path))) == (HEADER, TASKS)
    assert [each.name for each in tmp_path.iterdir()] == ["tasks.jsonl"]


def _line(**changed: Any) -> bytes:
    """The line of a task in which something was changed."""
    return json.dumps({**TASKS[0].to_json(), **changed}).encode()


def test_a_task_written_by_hand_needs_only_what_every_task_has(tmp_path: Path) -> None:
    path = tmp_path / "hand.jsonl"
    line = {"id": "one", "intent": "i", "category": "ui-web", "request": "Öffne", "reply": "Done."}
    line |= {"calls": [{"tool": "open_page", "args": {"name": "data"}}], "state": {"a": 1}}
    path.write_text(json.dumps(line), encoding="utf-8")
    assert list(read_tasks(path)) == TASKS[:1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "'{path}' cannot be read: No such file or directory."),
        (b"caf\xe9\xff", "'{path}' cannot be read: it is no text."),
        (gzip.compress(b"text" * 900, mtime=0)[:40], "'{path}' cannot be read: it is damaged."),
        (b'{"id": "x"}', "Line 1 of '{path}' is no task of the benchmark: it has no 'intent'."),
        (_line(hint="x"), "Line 1 of '{path}' is no task of the benchmark: no task has a 'hint'."),
        (
            _line(request=3),
            "Line 1 of '{path}' is no task of the benchmark: its 'request' should be a valid string.",
        ),
        (
            _line(calls=[{"tool": "zoom_map", "args": "9"}]),
            "Line 1 of '{path}' is no task of the benchmark: "
            "its 'calls.0.args' should be a valid dictionary.",
        ),
        (b'{"stamp": 3, "report": {}}', "The stamp in line 1 of '{path}' is none of this version's."),
        (b'{"stamp": {"form": 1}}', "The stamp in line 1 of '{path}' is none of this version's."),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_a_sentence(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    path = tmp_path / "t.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnreadableTasks) as wrong:
        read_header(path)
        list(read_tasks(path))
    assert str(wrong.value) == said.format(path=path)


def test_plain_json_lines_without_a_header_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(json.dumps(task.to_json()) for task in TASKS) + "\n\n", encoding="utf-8")
    assert list(read_tasks(path)) == TASKS
    assert read_header(path) is None


@pytest.mark.parametrize("text", ["{", "[]", '{"id": "x"}', '{"id": NaN}', "\x1f\x8bbroken"])
def test_what_holds_no_tasks_is_told_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "no.jsonl"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UnreadableTasks, match=r"no task of the benchmark|cannot be read"):
        list(read_tasks(path))


def test_a_build_that_is_cut_short_leaves_no_file(tmp_path: Path) -> None:
    def cut() -> object:
        yield TASKS[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_tasks(tmp_path / "t.gz", HEADER, cut())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
