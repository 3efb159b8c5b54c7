"""An example of the bank is played before it is believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from copilot.language.bank.__main__ import main
from copilot.language.bank.example import BadExample, example_of

MARKER = {"say": "put a pin at 5 east 52 north", "calls": [["draw_marker", {"lon": 5, "lat": 52}]]}
THANKS = {"say": "thank you", "calls": []}


def linted(
    folder: Path, capsys: pytest.CaptureFixture[str], *examples: dict[str, object]
) -> tuple[int, str, str]:
    (path := folder / "some.jsonl").write_text("".join(json.dumps(each) + "\n" for each in examples))
    status = main(["lint", str(path)])
    said = capsys.readouterr()
    return status, said.out, said.err


def example(name: str, *turns: object, **more: object) -> dict[str, object]:
    return {"id": name, "voice": "surveyor, terse", "turns": list(turns), **more}


def test_examples_that_work_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = linted(tmp_path, capsys, example("a-1", MARKER, THANKS), example("a-2", THANKS))
    assert found == (0, "2 examples (1 of several turns), 3 turns, 1 voices, 0 other wordings: 0 wrong\n", "")


def test_a_call_that_fails_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    far = {"say": "a pin at 500 east", "calls": [["draw_marker", {"lon": 500, "lat": 52}]]}
    status, _, wrong = linted(tmp_path, capsys, example("a-1", far))
    assert status == 1 and wrong.startswith("a-1: turn 1: draw_marker: ") and "500" in wrong


def test_a_call_that_does_nothing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again = {"say": "no base map", "calls": [["set_basemap", {"name": "offline"}]]}
    status, _, wrong = linted(tmp_path, capsys, example("a-1", again))
    assert (status, wrong) == (1, "a-1: turn 1: set_basemap changes nothing and brings no answer.\n")


def test_nothing_comes_after_a_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"say": "a pin there", "calls": [["ask_user", {"question": "Where?"}], *MARKER["calls"]]}
    status, _, wrong = linted(tmp_path, capsys, example("a-1", asked))
    assert (status, wrong) == (1, "a-1: turn 1: ask_user ends a turn, and draw_marker comes after it.\n")


def test_what_is_asked_twice_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loud = {**MARKER, "say": str(MARKER["say"]).upper()}
    status, _, wrong = linted(tmp_path, capsys, example("a-1", MARKER), example("a-2", loud))
    assert (status, wrong) == (1, "a-2: the same is asked in a-1.\n")


def test_a_line_that_is_no_example_says_where() -> None:
    with pytest.raises(BadExample, match=r"^a-1: turns\.0\.say: Field required\.$"):
        example_of({"id": "a-1", "voice": "x", "turns": [{"calls": []}]})
