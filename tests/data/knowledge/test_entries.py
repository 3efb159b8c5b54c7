"""Entries out of YAML, and what the lint says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.knowledge.entries import entries_in, lint, read_entries
from data.knowledge.errors import KnowledgeError
from data.knowledge.model import Entry, Fact, Source

FILE = Path(__file__).parent / "entries.yaml"
SOURCE = (Source("A book", "Somebody", 2001),)


def entry(**changes: object) -> Entry:
    given = {
        "id": "one-thing",
        "title": "One thing",
        "kind": "concept",
        "text": "It is. It is so.",
        "sources": SOURCE,
    }
    return Entry(**{**given, "file": "f.yaml", **changes})  # type: ignore[arg-type]


def test_a_name_without_its_maker_is_one_too_but_a_number_alone_is_none() -> None:
    made = (Fact("maker", "Boeing"),)
    assert entry(title="Boeing 747-8", facts=made).names == ("Boeing 747-8", "747-8")
    assert entry(title="Boeing 707", facts=made).names == ("Boeing 707",)


def test_an_entry_is_read_with_all_that_it_says() -> None:
    found = {each.id: each for each in entries_in(FILE)}["airbus-a380"]
    assert found == Entry(
        id="airbus-a380",
        title="Airbus A380",
        kind="aircraft",
        text="The Airbus A380 is a double-deck airliner with four engines, built in Toulouse. "
        "It first flew on 27 April 2005.",
        sources=(Source("A380 Aircraft Characteristics", "Airbus", 2020),),
        aliases=("A380",),
        facts=(Fact("length_m", "72.72", "", 1), Fact("span", "79.75", "m", 1)),
        relations=(("looks_like", "boeing-747-8"),),
        file="entries.yaml",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id: x", "f.yaml is no list of entries."),
        ("- id: x\n  colour: red", "f.yaml, x: there is no 'colour' in an entry."),
        ("- id: x\n  title: X\n  kind: concept\n  text: It is.", "f.yaml, x: 'sources' is missing."),
        ("- [", "f.yaml is no YAML: "),
    ],
)
def test_what_is_no_entry_is_refused_by_file_and_name(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "f.yaml").write_text(text)
    with pytest.raises(KnowledgeError, match=r"^.*$") as error:
        read_entries(tmp_path)
    assert str(error.value).startswith(said)


def test_nothing_is_run_out_of_a_yaml_file(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_text("- !!python/object/apply:os.system ['true']")
    with pytest.raises(KnowledgeError, match="no YAML"):
        read_entries(tmp_path)


def test_the_lint_finds_nothing_wrong_with_good_entries() -> None:
    assert lint(entries_in(FILE)) == []


def test_the_lint_says_each_thing_that_is_wrong() -> None:
    wrong = [
        entry(id="Two Things"),
        entry(title="Another", kind="colour"),
        entry(id="c", title="C", text="One sentence."),
        entry(id="d", title="D", facts=(Fact("length", "3", "m", 2),)),
        entry(
            id="e", title="E", relations=(("part_of", "no-such-entry"), ("is", "plain words"), ("is", "e"))
        ),
        entry(id="g", title="C", sources=(Source("Old", "", 12),)),
    ]
    assert lint(wrong) == [
        "f.yaml, c: another entry is titled 'C' too.",
        "f.yaml, g: another entry is titled 'C' too.",
        "f.yaml, Two Things: the id is not kebab-case.",
        "f.yaml, one-thing: there is no kind 'colour'; there are concept, sensor, platform, band, "
        "product, level, index, correction, measure, method, phenomenon, dataset, class, disaster, "
        "aircraft, ship, tool.",
        "f.yaml, c: the text has 1 sentences, not 2 to 8.",
        "f.yaml, d: the fact 'length' names source 2 of 1.",
        "f.yaml, e: part_of leads to 'no-such-entry', which is no entry's id.",
        "f.yaml, e: it is related to itself (is).",
        "f.yaml, g: no source is of the year 12.",
    ]
