"""The figures of the bench, on rankings that can be reckoned by hand."""

from __future__ import annotations

from math import log2
from pathlib import Path

import pytest

from data.knowledge.base import Base
from data.knowledge.errors import KnowledgeError
from data.knowledge.measuring import (
    Asked,
    holds,
    measure,
    ndcg_at,
    questions_of,
    recall_at,
    refusals,
    unknown_passages,
)

SETS = sorted((Path(__file__).parents[3] / "benches" / "knowledge").glob("*.jsonl"))


def test_recall_counts_the_gold_passages_among_the_first() -> None:
    assert recall_at(["a", "b", "c"], ["c", "z"], 2) == 0
    assert recall_at(["a", "b", "c"], ["c", "z"], 3) == 0.5
    assert recall_at(["a", "b"], ["a", "b", "c", "d"], 2) == 1


def test_ndcg_discounts_by_the_rank() -> None:
    assert ndcg_at(["x", "a"], ["a"], 10) == 1 / log2(3)
    assert ndcg_at(["a", "b"], ["b", "a"], 10) == 1


def test_a_gold_answer_is_held_with_its_words_and_every_figure() -> None:
    assert holds("The span is 79.75 m [1]", "79.75 m")
    assert not holds("The span is 79.7 m [1]", "79.75 m")
    assert not holds("It is long [1]", "radar shadow")


def test_a_base_is_measured(base: Base) -> None:
    asked = [
        Asked("1", "What is speckle?", "one_hop", ("speckle",), "grainy pattern"),
        Asked("2", "What is the capital of Peru?", "unanswerable", ()),
    ]
    found = measure(base, asked, 5)
    assert (found["recall_at_5"], found["questions"]) == ({"all": 1.0, "one_hop": 1.0}, 1)
    assert refusals(base, asked, 5) == {
        "unanswerable": 1,
        "right_refusals": 1.0,
        "answerable": 1,
        "answered": 1.0,
        "with_gold_answer": 1,
        "answer_held": 1.0,
    }
    assert unknown_passages([Asked("3", "?", "one_hop", ("nothing",))], base) == [
        "3: there is no passage 'nothing'."
    ]


@pytest.mark.parametrize(
    "line", ["{", '{"id": 1}', '{"id": "1", "question": "?", "kind": "one_hop", "passages": []}']
)
def test_a_line_that_is_no_question_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "s.jsonl").write_text(line)
    with pytest.raises(KnowledgeError):
        questions_of(tmp_path / "s.jsonl")


@pytest.mark.parametrize("file", SETS, ids=lambda file: file.name)
def test_a_set_s_questions_are_whole_and_no_two_have_one_id(file: Path) -> None:
    asked = questions_of(file)
    assert len({each.id for each in asked}) == len(asked) > 0
