"""The knowledge base as the page shows it: source cards, a passage on its page, and "explain this"."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from copilot.messages import t
from copilot.view.cards import MOST_CARDS, Card, address, excerpt
from copilot.view.catalogue import arguments_of, example_of
from copilot.view.transcript import call_text
from data.knowledge.answer import answered
from data.knowledge.base import Base
from data.knowledge.dualrag import retrieve
from data.knowledge.model import BUILT_IN, Passage
from data.knowledge.own import EVERYBODY, Document
from state.log import Event
from tools.base import World
from tools.knowledge.shared import Scope, asked, base_of, owner_of, people_of
from tools.phrases import number_of
from tools.toolbox import Toolbox

LONGEST_EXPLAINED = 200
"""Characters of what "explain this" is asked of."""
_NUMBER = re.compile(r"[-−+]?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Opened:
    """A passage on the page that it stands on."""

    passage: Passage
    pieces: tuple[tuple[str, bool], ...]
    """All texts of that page or heading in their order; True for the passage's own."""
    before: str | None
    """The id of the first passage of the page or heading before."""
    after: str | None


def opened(base: Base, passage_id: str) -> Opened | None:
    """A passage that may be seen, with what stands around it; None where there is none of that id."""
    for seen in base.shelves:
        row = seen.shelf.rows.get(passage_id)
        if row is None or not seen.may(row):
            continue
        passage = seen.shelf.passages[row]
        if passage.document == BUILT_IN:
            return Opened(passage, ((passage.text, True),), None, None)
        key = passage_id.partition("#")[0]
        whole = [each for each in seen.shelf.passages if each.id.partition("#")[0] == key]
        places = list(dict.fromkeys((each.page, each.heading) for each in whole))
        at = places.index((passage.page, passage.heading))
        first = {(each.page, each.heading): each.id for each in reversed(whole)}
        here = [each for each in whole if (each.page, each.heading) == places[at]]
        return Opened(
            passage,
            tuple((each.text, each.id == passage_id) for each in here),
            first[places[at - 1]] if at else None,
            first[places[at + 1]] if at + 1 < len(places) else None,
        )
    return None


def opened_html(shown: Opened) -> str:
    """A page with the passage marked, as markup; every value is escaped."""
    passage = shown.passage
    texts = "".join(
        f"<{'mark' if own else 'p'} class='az-passage'>{_lines(text)}</{'mark' if own else 'p'}>"
        for text, own in shown.pieces
    )
    about = [t("Licence: {licence}", licence=passage.licence)] if passage.licence else []
    sources = "".join(f"<li>{html.escape(each)}</li>" for each in passage.sources)
    listed = f"<h4>{t('Sources')}</h4><ul class='az-sources'>{sources}</ul>" if sources else ""
    note = f"<p class='az-muted'>{html.escape(' · '.join(about))}</p>" if about else ""
    head = f"<h3>{html.escape(passage.cited)}</h3>"
    return f"<section class='az-record az-opened'>{head}{texts}{listed}{note}</section>"


def _lines(text: str) -> str:
    return "<br>".join(html.escape(each) for each in text.splitlines())


def cards_html(cards: Sequence[Card], session: str) -> str:
    """Source cards as markup with links; every value is escaped."""
    return f"<div class='az-cards'>{''.join(_card_html(each, session) for each in cards)}</div>"


def _card_html(card: Card, session: str) -> str:
    where = html.escape(address(card.passage, session), quote=True)
    said = f"<span>{html.escape(card.cited)}</span><small>{html.escape(card.excerpt)}</small>"
    return f"<a class='az-source' href='{where}' target='_self'><b>{card.n}</b> {said}</a>"


@dataclass(frozen=True)
class Found:
    """What the knowledge base says to a question, and what it holds besides."""

    answer: str
    said: bool
    cards: tuple[Card, ...]
    """Of the answer's sources."""
    others: tuple[Card, ...]
    """Of the passages that were found and are not quoted."""


def found(world: World, question: str, scope: Scope = "all") -> Found:
    """Ask the knowledge base as the session's owner sees it. Raises ToolError, as the tools do."""
    base = base_of(world, scope)
    guidance = retrieve(base, asked(question))
    answer = answered(base, guidance)
    quoted = {each.id for each in answer.sources}
    rest = [each.passage for each in guidance.guides if each.passage.id not in quoted]
    return Found(
        answer.in_words(),
        answer.said,
        tuple(_of_passage(n, each) for n, each in enumerate(answer.sources, start=1)),
        tuple(
            _of_passage(n, each) for n, each in enumerate(rest[:MOST_CARDS], start=len(answer.sources) + 1)
        ),
    )


def _of_passage(n: int, passage: Passage) -> Card:
    return Card(n, passage.id, passage.cited, excerpt(passage.text))


@dataclass(frozen=True)
class Explained:
    """What is known of something that shows."""

    of: str
    lines: tuple[str, ...]
    cards: tuple[Card, ...] = ()


def explained(world: World, toolbox: Toolbox, events: Sequence[Event], text: str) -> Explained:
    """What something that shows is.

    A tool is explained by what it does, a number by the calls that told it, all else by what the knowledge
    base says of it. Raises ToolError, as the tools do.
    """
    of = " ".join(text.split())[:LONGEST_EXPLAINED]
    name = of.strip("`.,:;()").casefold()
    if tool := next((each for each in toolbox if each.name == name), None):
        example = example_of(tool)
        rows = (f"{each.name}: {each.about}" for each in arguments_of(tool) if each.about)
        return Explained(
            of,
            (
                f"{tool.name}: {tool.summary}",
                *rows,
                *([t("Example: {example}", example=example)] if example else []),
            ),
        )
    if _NUMBER.fullmatch(of.strip(" .,:;()%")):
        calls = _telling(events, of.strip(" .,:;()%"))
        if calls:
            return Explained(of, tuple(f"{call_text(each.tool, each.args)}: {each.text}" for each in calls))
    said = found(world, of)
    return Explained(of, (said.answer,), said.cards or said.others[:3])


def _telling(events: Sequence[Event], number: str) -> list[Event]:
    """The newest calls in whose observation a number stands, at most three."""
    stands = re.compile(rf"(?<![\d.,]){re.escape(number)}(?![\d]|[.,]\d)")
    told = [each for each in events if each.kind == "call" and each.ok and stands.search(each.text)]
    return told[::-1][:3]


def scopes() -> dict[Scope, str]:
    """Where can be searched, in people's words."""
    return {
        "all": t("everything"),
        "mine": t("my documents"),
        "entries": t("what is built in"),
        "azimuth": t("Azimuth's manual"),
    }


def documents_of(world: World) -> tuple[list[Document], list[Document]]:
    """(the owner's own documents, those that others share with them)."""
    if world.knowledge is None:
        return [], []
    owner = owner_of(world)
    every = people_of(world).documents(owner)
    return [each for each in every if each.owner == owner], [each for each in every if each.owner != owner]


def listed(document: Document) -> str:
    """How long a document is, and who sees it; markup, every value escaped."""
    pages = f"{number_of(document.pages, 'page')}, " if document.pages is not None else ""
    others = [each for each in document.shared if each != EVERYBODY]
    seen = (
        t("everybody sees it")
        if EVERYBODY in document.shared
        else t("you and {others} see it", others=", ".join(others))
        if others
        else t("only you see it")
    )
    licence = f" · {document.licence}" if document.licence else ""
    said = f"{pages}{number_of(document.passages, 'passage')} · added {document.added} · {seen}{licence}"
    return html.escape(said)
