"""Entities and relations: names in texts, what entries state, and what is read out of documents."""

from __future__ import annotations

from data.knowledge.graph import (
    Link,
    Linker,
    phrases_of,
    read_entities,
    read_relations,
)
from data.knowledge.model import Entity, Passage
from data.knowledge.shelf import Shelf

KNOWN = [Entity("sar", "SAR", ("SAR", "synthetic aperture radar")), Entity("radar", "Radar", ("Radar",))]


def passage(number: int, text: str) -> Passage:
    return Passage(f"k#{number}", text, "T", "t.pdf")


def test_the_longest_name_is_linked_and_plurals_are_the_same_name() -> None:
    assert Linker(KNOWN).links("Synthetic aperture radars and a radar.") == [
        Link(("sar",), 0, 3),
        Link(("radar",), 5, 6),
    ]


def test_a_name_of_one_letter_or_of_empty_words_is_none() -> None:
    assert Linker([Entity("n", "N", ("N", "the of"))]).links("N is the of") == []


def test_phrases_run_between_empty_words_and_marks() -> None:
    assert phrases_of("The pulse repetition frequency (PRF) of the sensor, in hertz.") == [
        "pulse repetition frequency",
        "PRF",
        "sensor",
        "hertz",
    ]


def test_an_entry_s_own_passage_comes_first_and_then_those_that_name_it(shelf: Shelf) -> None:
    speckle = shelf.entities[shelf.entity_rows["speckle"]]
    ids = [shelf.passages[row].id for row in speckle.passages]
    assert (ids[0], set(ids)) == ("speckle", {"speckle", "lee-filter", "synthetic-aperture-radar"})


def test_a_stated_relation_leads_to_both_its_ends(shelf: Shelf) -> None:
    found = {
        each.searched: tuple(shelf.passages[row].id for row in each.passages) for each in shelf.relations
    }
    assert found == {
        "Backscatter coefficient measured by Synthetic aperture radar": (
            "backscatter-coefficient",
            "synthetic-aperture-radar",
        ),
        "Backscatter coefficient depends on incidence angle": ("backscatter-coefficient",),
        "Synthetic aperture radar suffers from Speckle": ("synthetic-aperture-radar", "speckle"),
        "Speckle reduced by Lee filter": ("speckle", "lee-filter"),
        "Airbus A380 looks like Boeing 747-8": ("airbus-a380", "boeing-747-8"),
    }


def test_documents_have_entities_by_links_and_by_phrases_that_come_back() -> None:
    passages = [
        passage(1, "SAR needs a Doppler centroid. The Doppler centroid drifts."),
        passage(2, "A Doppler centroid is estimated. Another remark."),
    ]
    entities = read_entities(passages, Linker(KNOWN), {"sar": "SAR", "radar": "Radar"})
    assert [(each.id, each.name, each.passages) for each in entities] == [
        ("sar", "SAR", (0,)),
        ("phrase:doppler centroid", "Doppler centroid", (0, 1)),
    ]
    relations = read_relations(passages, entities)
    assert [(each.searched, each.passages) for each in relations] == [("SAR needs a Doppler centroid", (0,))]
