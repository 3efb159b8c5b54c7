"""`copilot ask`: one turn, and files of requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from copilot.agents import NAMES
from state.codec import digest, from_json
from tests.copilot.cli.conftest import Copilot

RESULT = {"id", "reply", "calls", "state", "state_hash", "outcome", "seconds", "tokens"}


def written(path: Path, *records: Any) -> str:
    path.write_text(
        "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records), encoding="utf-8"
    )
    return str(path)


def test_one_request_is_answered_as_one_json_value(copilot: Copilot) -> None:
    done = copilot.process("ask", "show the fair1m images around Pittsburgh", "--json")
    result = done.json
    assert done.status == 0 and set(result) == RESULT and result["outcome"] == "done"
    assert result["state"]["database"]["loaded"] == ["fair1m"] and result["state"]["database"]["count"] == 2
    assert result["state_hash"] == digest(from_json(result["state"]))
    assert {"tool", "args", "ok", "error"} <= set(result["calls"][0])


def test_a_session_goes_on_where_it_was_left(copilot: Copilot) -> None:
    first = copilot("ask", "show the xview1 images around Pittsburgh", "--json").json
    second = copilot("ask", "now only 2019", "--session", first["id"], "--json").json
    assert second["id"] == first["id"] and second["state"]["database"]["filters"]["start"] == "2019-01-01"


def test_without_json_the_answer_is_on_standard_output_and_the_calls_are_beside_it(copilot: Copilot) -> None:
    done = copilot("ask", "show the fmow images")
    assert done.status == 0 and "5 images" in done.out
    assert "db_load(" in done.err and "session " in done.err and "db_load(" not in done.out


def test_a_question_is_printed_with_its_choices(copilot: Copilot) -> None:
    done = copilot("ask", "show the fmow images in Springfield")
    assert done.status == 0 and "  1. " in done.out and "  2. " in done.out


def test_a_file_of_requests_gives_a_line_for_each_in_a_fresh_session(
    copilot: Copilot, tmp_path: Path
) -> None:
    path = written(
        tmp_path / "requests.jsonl",
        {"id": "a", "query": "show the fair1m images"},
        {"id": 7, "turns": ["show the xview1 images around Pittsburgh", "now only 2019", "undo that"]},
        {"query": "show the fmow images\u2028in France"},
    )
    before = copilot("session", "list", "--json").json
    done = copilot("ask", "--file", path, "--json")
    results = [json.loads(line) for line in done.out.splitlines()]
    assert done.status == 0 and [set(each) for each in results] == [RESULT] * 3
    assert [each["id"] for each in results] == ["a", 7, 3]
    assert [each["state"]["database"]["loaded"] for each in results] == [["fair1m"], ["xview1"], ["fmow"]]
    assert "start" not in results[1]["state"]["database"]["filters"]
    tools = [call["tool"] for call in results[1]["calls"]]
    assert tools[0] == "db_load" and tools[-1] == "undo"  # the calls of every turn
    assert results[2]["state"]["database"]["count"] == 2
    assert copilot("session", "list", "--json").json == before


def test_requests_can_come_from_standard_input(copilot: Copilot) -> None:
    done = copilot("ask", "--file", "-", "--json", stdin='{"id": 1, "query": "show the fmow images"}\n\n')
    assert done.json["id"] == 1 and done.json["state"]["database"]["count"] == 5


def test_words_for_days_are_relative_to_the_day_that_is_given(copilot: Copilot) -> None:
    done = copilot("ask", "show the xview1 images from last year", "--today", "2019-06-15", "--json")
    filters = done.json["state"]["database"]["filters"]
    assert (filters["start"], filters["end"]) == ("2018-01-01", "2018-12-31")


@pytest.mark.parametrize("agent", NAMES)
def test_any_agent_answers_to_the_same_end(copilot: Copilot, agent: str) -> None:
    asked = copilot("ask", "plot the fmow images", "--agent", agent, "--shots", "2", "--json").json
    assert set(asked) == RESULT and (asked["outcome"], asked["tokens"]) == ("done", 0)
    assert [each["kind"] for each in asked["state"]["map"]["layers"]] == ["clusters"]


def test_thoughts_are_beside_the_answer(copilot: Copilot) -> None:
    done = copilot("ask", "show the fmow images", "--agent", "cot")
    assert "  ~ Plan: db_load → " in done.err and "Plan:" not in done.out


def test_an_agent_that_is_not_there_is_told_with_those_that_are(copilot: Copilot) -> None:
    done = copilot("ask", "hello", "--agent", "crew", "--json")
    said = f"There is no agent 'crew'. Agents: {', '.join(NAMES)}."
    assert (done.status, done.json) == (1, {"error": said})


def test_as_many_examples_as_can_be_shown(copilot: Copilot) -> None:
    done = copilot("ask", "hello", "--shots", "11", "--json")
    assert done.status == 2 and "--shots" in done.json["error"]


@pytest.mark.parametrize(
    "line", ['{"id": 1}', "[1]", "not json", '{"turns": []}', '{"turns": "ships"}', '{"query": 5}', "5"]
)
def test_a_line_that_is_no_request_is_named_before_anything_is_answered(
    copilot: Copilot, tmp_path: Path, line: str
) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_text('{"id": 1, "query": "show the fmow images"}\n' + line + "\n", encoding="utf-8")
    done = copilot("ask", "--file", str(path), "--json")
    assert done.status == 1
    assert done.json == {"error": f'Line 2 of {path} is not {{"id", "query"}} or {{"id", "turns": […]}}.'}


def test_a_file_that_cannot_be_read_is_told_in_one_sentence(copilot: Copilot, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x81")
    (tmp_path / "empty").write_text("\n")
    for name, said in (
        ("nowhere", "cannot be read: No such file or directory."),
        ("binary", "is not UTF-8 text; requests are JSON lines in UTF-8."),
        ("empty", "holds no request."),
    ):
        path = tmp_path / name
        assert copilot("ask", "--file", str(path), "--json").json == {"error": f"'{path}' {said}"}


def test_files_that_are_attached_are_in_the_session_before_the_request(
    copilot: Copilot, tmp_path: Path
) -> None:
    points = tmp_path / "points.csv"
    points.write_text("name,lon,lat\na,4.5,51.5\n", encoding="utf-8")
    done = copilot("ask", "show the fmow images", "--attach", str(points), "--json")
    assert done.status == 0 and done.json["state"]["artifacts"][0]["name"] == "points"
    assert done.json["state"]["map"]["layers"][0]["count"] == 1
    broken = copilot("ask", "show the fmow images", "--attach", str(tmp_path / "none.tif"), "--json")
    assert broken.status == 1 and "There is no file or folder" in broken.json["error"]


def test_a_file_that_cannot_be_attached_is_told_and_the_others_are_added(
    copilot: Copilot, tmp_path: Path
) -> None:
    good, lost = tmp_path / "good.csv", tmp_path / "lost.geojson"
    good.write_text("k,v\n1,2\n", encoding="utf-8")
    place = {"type": "Point", "coordinates": [400000, 5100000]}
    feature = {"type": "Feature", "properties": {}, "geometry": place}
    lost.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}), encoding="utf-8")
    done = copilot("ask", "zoom to 5", "--attach", str(lost), "--attach", str(good), "--json")
    [missing] = done.json["not_attached"]
    assert (done.status, missing["file"]) == (0, str(lost))
    assert missing["error"].startswith("'lost.geojson' names no coordinate system")
    assert [each["name"] for each in done.json["state"]["artifacts"]] == ["good"]
    assert f"✗ {lost} was not added: 'lost.geojson' names no" in done.err and "crs, part" in done.err
    alone = copilot("ask", "zoom to 5", "--attach", str(lost), "--json")
    assert alone.status == 1 and alone.json["error"].startswith(f"{lost} was not added: 'lost.geojson' names")
