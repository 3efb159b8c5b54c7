"""Other wordings of the bank's turns."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.language.bank.example import EXAMPLES, BadExample, example_of, read_examples
from copilot.language.bank.wording import WORDINGS, Wording, problems_with, read_wordings
from copilot.language.learning.records import Record, reworded

EXAMPLE = example_of({"id": "a-1", "voice": "one", "turns": [{"say": "undo", "calls": [["undo", {}]]}]})


def test_each_wording_of_the_bank_is_of_a_turn_that_is_there_and_new() -> None:
    wordings = list(read_wordings(sorted(WORDINGS.glob("*.jsonl"))))
    assert problems_with(wordings, read_examples(sorted(EXAMPLES.glob("*.jsonl")))) == []


def test_what_is_no_turn_or_said_already_is_a_problem() -> None:
    said = ("undo ", "back", "Back")
    wordings = [Wording(example="a-1", turn=0, voice="b", say=say) for say in said]
    wordings.append(Wording(example="a-1", turn=1, voice="b", say="more"))
    assert problems_with(wordings, [EXAMPLE]) == [
        "a-1/0: 'undo ' is said for it already.",
        "a-1/0: 'Back' is said for it already.",
        "a-1/1: there is no such turn.",
    ]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "w.jsonl").write_text('{"example": "a"}\n')
    with pytest.raises(BadExample, match=r"w\.jsonl, line 1"):
        list(read_wordings([tmp_path / "w.jsonl"]))


def test_records_are_learned_as_others_say_them_too() -> None:
    record = Record("a-1/0", "one", "undo", (("undo", {}),), {})
    known, other = reworded([record], [Wording(example="a-1", turn=0, voice="b", say="back")])
    assert known == record
    assert (other.said, other.voice, other.calls) == ("back", "b", record.calls)
