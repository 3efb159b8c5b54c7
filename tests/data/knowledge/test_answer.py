"""Answers in quotations, each with its source; and none where nothing is said."""

from __future__ import annotations

import pytest

from data.knowledge.answer import NOTHING, answered
from data.knowledge.base import Base
from data.knowledge.dualrag import retrieve
from data.knowledge.words import sentences_of


def test_every_sentence_of_an_answer_stands_word_for_word_in_the_source_that_it_cites(base: Base) -> None:
    answer = answered(base, retrieve(base, "What does backscatter below -20 dB mean?"))
    assert answer.said
    for quote in answer.quotes:
        assert quote.text in sentences_of(answer.sources[quote.source - 1].text)
    assert (answer.quotes[0].text, answer.sources[0].id) == (
        "Values far below −20 dB mean that almost nothing returns, as from calm water or radar shadow.",
        "backscatter-coefficient",
    )


def test_a_number_is_answered_by_the_fact(base: Base) -> None:
    answer = answered(base, retrieve(base, "What is the span of the Airbus A380?"))
    assert "Airbus A380: span 79.75 m." in [each.text for each in answer.quotes]


def test_a_comparison_quotes_both_sides(base: Base) -> None:
    answer = answered(base, retrieve(base, "Compare the span of the Airbus A380 and the Boeing 747-8"))
    assert {each.id for each in answer.sources} >= {"airbus-a380", "boeing-747-8"}


def test_a_question_s_adjective_is_answered_by_the_measure_of_each_side(base: Base) -> None:
    answer = answered(base, retrieve(base, "Is the A380 longer than the 747-8?"))
    assert {"Airbus A380: length 72.72 m.", "Boeing 747-8: length 76.25 m."} <= {
        each.text for each in answer.quotes
    }


@pytest.mark.parametrize(
    "question",
    ["What is the capital of Australia?", "How do I bake sourdough bread?", "Who is the king of Sweden?"],
)
def test_it_is_said_that_nothing_is_said(base: Base, question: str) -> None:
    answer = answered(base, retrieve(base, question))
    assert (answer.in_words(), answer.quotes, answer.sources) == (NOTHING, (), ())
    assert answer.missing
