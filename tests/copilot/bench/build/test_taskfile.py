"""The file of a benchmark: what is written is read again, with a header and without."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

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


def test_any_gzip_reader_sees_one_file_of_json_lines(tmp_path: Path) -> None:
    write_tasks(tmp_path / "t.gz", HEADER, TASKS)
    with gzip.open(tmp_path / "t.gz", "rt", encoding="utf-8") as lines:
        assert [next(iter(json.loads(line))) for line in lines] == ["report", "also", "also"]


def test_plain_json_lines_without_a_header_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(json.dumps(task.to_json()) for task in TASKS) + "\n\n", encoding="utf-8")
    assert list(read_tasks(path)) == TASKS
    assert read_header(path) is None


@pytest.mark.parametrize("text", ["{", "[]", '{"id": "x"}', "\x1f\x8bbroken"])
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
