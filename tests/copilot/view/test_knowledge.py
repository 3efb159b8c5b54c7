"""The knowledge base as the page shows it: source cards, a page with its passage, and what is explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from copilot.view.cards import Card, address, cards_of
from copilot.view.knowledge import cards_html, explained, listed, opened, opened_html
from data.knowledge.base import Base, Seen
from data.knowledge.index import DIMENSIONS, Floats
from data.knowledge.own import Document
from data.knowledge.passages import Part, cut
from data.knowledge.shelf import made
from state.log import Event
from tools.base import World
from tools.toolbox import toolbox

PARTS = [Part("The gain is three.", 1), Part("The offset is <b>seven</b>.", 2), Part("That is all.", 3)]
PASSAGES = cut(PARTS, key="a", title="manual", document="manual.pdf")


def _encode(texts: Sequence[str]) -> Floats:
    return np.full((len(texts), DIMENSIONS), DIMENSIONS**-0.5, dtype=np.float32)


def base(keep: Sequence[bool] | None = None) -> Base:
    """A manual of three pages, of which some may be seen."""
    shelf = made("ann", PASSAGES, (), (), _encode)
    return Base((Seen(shelf, None if keep is None else np.array(keep)),), _encode)


def event(tool: str, text: str, ok: bool = True, **data: object) -> Event:
    return Event(1, 1, "call", "2026-11-28T06:00:00Z", tool=tool, text=text, ok=ok, data=data)


def test_a_passage_opens_on_its_page_between_its_neighbours() -> None:
    shown = opened(base(), "a#2")
    assert shown is not None
    assert (shown.pieces, shown.before, shown.after) == (
        (("The offset is <b>seven</b>.", True),),
        "a#1",
        "a#3",
    )
    assert "<h3>manual.pdf, p. 2</h3>" in opened_html(shown)
    assert "<b>seven" not in opened_html(shown)


def test_a_passage_that_may_not_be_seen_does_not_open() -> None:
    assert opened(base([True, False, True]), "a#2") is None
    assert opened(base(), "b#1") is None


def test_the_cards_are_those_of_the_last_answer() -> None:
    source = {"n": 1, "id": "a#2", "cited": "manual.pdf, p. 2", "text": "The offset\nis seven."}
    calls = [event("docs_rag", "…", sources=[source]), event("zoom_map", "The zoom level is now 9.")]
    assert cards_of(calls) == [Card(1, "a#2", "manual.pdf, p. 2", "The offset is seven.")]
    assert cards_of([replace(calls[0], ok=False)]) == []


def test_a_card_leads_to_its_passage_and_is_never_markup() -> None:
    card = Card(1, "a#2", "<script>.pdf", "'><script>")
    assert address("a#2", "s1") == "/knowledge?session=s1&passage=a%232"
    assert "<script" not in cards_html([card], "s1")


def test_a_tool_is_explained_by_what_it_does_and_a_number_by_its_call() -> None:
    nowhere = cast(World, None)  # neither is looked up in the knowledge base
    said = explained(nowhere, toolbox(), [], "zoom_map")
    assert said.lines[0].startswith("zoom_map: ")
    calls = [event("db_count", "There are 1,412 images."), event("db_count", "There are 412 images.")]
    assert explained(nowhere, toolbox(), calls, "412").lines == ("db_count(): There are 412 images.",)


@pytest.mark.parametrize(
    ("shared", "said"),
    [((), "only you see it"), (("bob",), "you and bob see it"), (("everybody",), "everybody sees it")],
)
def test_who_sees_a_document_is_said(shared: tuple[str, ...], said: str) -> None:
    document = Document("a", "manual.pdf", 3, 3, "2026-11-28", "", shared)
    assert listed(document) == f"3 pages, 3 passages · added 2026-11-28 · {said}"
