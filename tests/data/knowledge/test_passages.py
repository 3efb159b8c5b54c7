"""Entries and documents cut into passages."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from data.knowledge.entries import entries_in
from data.knowledge.passages import WORDS, Part, cut, documents_of, markdown_parts, passage_of

ENTRIES = {each.id: each for each in entries_in(Path(__file__).parent / "entries.yaml")}
TITLES = {each.id: each.title.partition(" (")[0] for each in ENTRIES.values()}


def test_an_entry_is_one_passage_with_a_line_for_each_fact_and_relation() -> None:
    passage = passage_of(ENTRIES["airbus-a380"], TITLES)
    assert passage.text.split("\n")[1:] == [
        "Airbus A380: length 72.72 m.",
        "Airbus A380: span 79.75 m.",
        "Airbus A380 looks like Boeing 747-8.",
    ]
    assert (passage.id, passage.cited, passage.sources) == (
        "airbus-a380",
        "Airbus A380",
        ("Airbus, 2020, A380 Aircraft Characteristics",),
    )


def test_markdown_is_parted_by_its_headings_and_links_become_their_words() -> None:
    text = "Before.\n# One\nA [link](http://x.y) and\nmore.\n\n```\n# no heading\n```\n## Two\n- a\n- b\n"
    assert markdown_parts(text) == [
        Part("Before."),
        Part("A link and more.\n\n\n# no heading\n", heading="One"),
        Part("- a\n- b", heading="Two"),
    ]


def test_a_passage_never_runs_over_a_page() -> None:
    parts = [Part("One. Two.", page=1), Part("Three.", page=2), Part("Four.", page=3)]
    found = cut(parts, key="k", title="T", document="t.pdf")
    assert [(each.id, each.text, each.page, each.cited) for each in found] == [
        ("k#1", "One.\nTwo.", 1, "t.pdf, p. 1"),
        ("k#2", "Three.", 2, "t.pdf, p. 2"),
        ("k#3", "Four.", 3, "t.pdf, p. 3"),
    ]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=8))
def test_every_word_is_in_one_passage_and_none_is_too_long(lengths: list[int]) -> None:
    sentences = [
        " ".join(f"W{at}x{word}" for word in range(length)) + "." for at, length in enumerate(lengths)
    ]
    found = cut([Part(" ".join(sentences))], key="k", title="", document="d")
    assert " ".join(each.text for each in found).split() == " ".join(sentences).split()
    assert max(len(each.text.split()) for each in found) <= WORDS


def test_each_tool_of_the_reference_is_a_passage_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "tools.md").write_text(
        "# Tools\n\n### `pan_map` **S**\n\nMove the map.\n\n### `zoom_map`\n\nZoom.\n"
    )
    found = [(each.title, each.heading, each.text) for each in documents_of(tmp_path)]
    assert found == [
        ("Azimuth: Tools", "pan_map S", "Move the map."),
        ("Azimuth: Tools", "zoom_map", "Zoom."),
    ]
