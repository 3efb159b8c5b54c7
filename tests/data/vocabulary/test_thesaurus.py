"""Words and sentences find the classes they mean."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.vocabulary import CLASS_NAMES, Term, find, mentions
from data.vocabulary.words import spelled
from tests.suite.walking import walks

VEHICLES = Term("vehicles", "group", ("xview1", "fair1m"), scene=False)


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("lorries", "trucks"), ("aeroplanes", "airplanes"), ("planes", "airplanes"), ("jets", "airplanes"),
        ("choppers", "helicopters"), ("ships", "vessels"), ("anything that floats", "vessels"),
        ("automobiles", "cars"), ("homes", "houses"), ("structures", "buildings"),
        ("golf courses", "golf_course"),
        ("soccer pitch", "Football Field"), ("Stadiums", "stadium"), ("wind turbines", "wind_farm"),
        ("solar panels", "solar_farm"), ("pine woods", "Coniferous forest"),
        ("destroyed houses", "destroyed"),
        ("tanker", "tankers"), ("container ship", "Container Ship"), ("tugs", "Tugboat"),
        ("dredgers", "Engineering Ship"), ("737s", "Boeing737"), ("Boeing 737", "Boeing737"),
        ("vehicels", "vehicles"), ("helicoptrs", "helicopters"), ("SWIMMING_POOL", "swimming_pool"),
        ("Urban fabric", "Urban fabric"), ("vessels", "vessels"), ("power stations", "energy"),
        ("harbours", "ports"), ("farmland", "agriculture"), ("nuclear power plants", "nuclear_powerplant"),
    ],
)  # fmt: skip
def test_a_word_means_its_class_or_group_first(phrase: str, name: str) -> None:
    assert find(phrase)[0].name == name


@pytest.mark.parametrize(
    "phrase", ["A320s", "", "  ", "Pittsburgh", "places", "show", "plans", "<b>", "zebras"]
)
def test_a_word_that_fits_no_class_means_nothing(phrase: str) -> None:
    assert find(phrase) == []


@walks("name", sorted({name for names in CLASS_NAMES.values() for name in names}))
def test_every_published_class_is_found_by_its_own_name(name: str) -> None:
    assert spelled(name) in [spelled(term.name) for term in find(name)]


def test_a_sentence_gives_its_class_words_with_their_places() -> None:
    text = "Plot the fair1m images around Pittsburgh with vehicles and planes"
    assert [(span.text, span.terms[0].name, text[span.start : span.end]) for span in mentions(text)] == [
        ("vehicles", "vehicles", "vehicles"),
        ("planes", "airplanes", "planes"),
    ]


def test_the_longest_phrase_wins_and_keeps_the_commas_of_a_published_name() -> None:
    spans = mentions("fishing boats, golf cources and Beaches, dunes, sands")
    assert [(span.text, span.terms[0].name) for span in spans] == [
        ("fishing boats", "fishing vessels"),
        ("golf cources", "golf_course"),
        ("Beaches, dunes, sands", "Beaches, dunes, sands"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "images of the train split",
        "crop the image",
        "sort by place",
        "show the places on a plot",
        "share a graph of the patch",
        "near Harcourt",
    ],
)
def test_verbs_and_split_names_are_no_class_words(text: str) -> None:
    assert mentions(text) == []


def test_a_term_names_the_data_sets_that_have_it() -> None:
    assert find("vehicles") == [VEHICLES]


@given(st.text(max_size=80))
def test_spans_lie_in_order_in_the_text_and_never_overlap(text: str) -> None:
    spans = mentions(text)
    assert [text[span.start : span.end] for span in spans] == [span.text for span in spans]
    assert all(left.end <= right.start for left, right in itertools.pairwise(spans))
