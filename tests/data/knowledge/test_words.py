"""Texts as words: folding, plural endings, sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.knowledge.words import content_stems, sentences_of, stem, words_of


def test_signs_and_accents_are_folded() -> None:
    assert words_of("σ⁰ of the Île, Sentinel-2 at 0.5 m²") == "σ0 of the ile sentinel 2 at 0.5 m2".split()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("bodies", "body"),
        ("ships", "ship"),
        ("classes", "classe"),
        ("gas", "gas"),
        ("status", "status"),
        ("tornadoes", "tornado"),
    ],
)
def test_a_plural_loses_its_ending(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_a_question_s_empty_words_are_left_out() -> None:
    assert content_stems("What does the word speckle mean in radar images?") == [
        "word",
        "speckl",
        "radar",
        "imag",
    ]


def test_inflections_have_one_root() -> None:
    assert set(content_stems("correct corrects corrected correcting corrections")) == {"correct"}


def test_an_adjective_of_measure_is_what_it_measures() -> None:
    assert content_stems("Is it longer, wider or heavier?") == content_stems("length, width or weight")


def test_a_sentence_does_not_end_at_an_abbreviation_or_inside_a_number() -> None:
    text = (
        "Filters, e.g. Lee's, smooth by 0.5 dB. S. Quegan et al. (2001) used three. "
        "Each has 60 m. fMoW has one!\nA line"
    )
    assert sentences_of(text) == [
        "Filters, e.g. Lee's, smooth by 0.5 dB.",
        "S. Quegan et al. (2001) used three.",
        "Each has 60 m.",
        "fMoW has one!",
        "A line",
    ]


@given(st.text(alphabet="aB .!?\n1é", max_size=200))
def test_no_word_is_lost_between_sentences(text: str) -> None:
    assert [word for each in sentences_of(text) for word in words_of(each)] == words_of(text)
