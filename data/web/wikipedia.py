"""Wikipedia through the MediaWiki Action API: https://www.mediawiki.org/wiki/API:Main_page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

from data.web.errors import WebError
from data.web.fetch import Fetcher
from data.web.read import JSON_KINDS, finite, items, line, paragraphs, part, whole
from data.web.services import WIKIPEDIA


@dataclass(frozen=True)
class Article:
    """An article, or of a search its title and the place where the words stand."""

    title: str
    url: str
    text: str
    words: int | None = None
    lon: float | None = None
    lat: float | None = None
    revision: int | None = None


def search(words: str, language: str, most: int) -> tuple[list[Article], int]:
    """(articles, best first, how many there are in all). Raises WebError."""
    found = _ask(language, {"list": "search", "srsearch": words, "srlimit": most})
    articles = []
    for each in items(part(found, "query", "search")):
        title = line(each.get("title"))
        text = line(unescape(re.sub(r"<[^<>]*>", "", str(each.get("snippet") or ""))))
        if title:
            articles.append(Article(title, _address(language, title), text, whole(each.get("wordcount"))))
    total = whole(part(found, "query", "searchinfo", "totalhits"))
    return articles[:most], len(articles) if total is None else total


def article(title: str, language: str, most_chars: int, *, only_lead: bool) -> Article:
    """An article by its title, redirects followed; its text without markup. Raises WebError."""
    lead: dict[str, str | int] = {"exintro": 1} if only_lead else {}
    found = _ask(
        language,
        {
            "prop": "extracts|info|coordinates",
            "titles": title,
            "redirects": 1,
            "explaintext": 1,
            "inprop": "url",
            **lead,
        },
    )
    page = next(iter(items(part(found, "query", "pages"))), None)
    if page is None or page.get("missing") or page.get("invalid"):
        raise WebError(f"Wikipedia ({language}) has no article {title[:100]!r}; wikipedia_search finds some.")
    name = line(page.get("title"))
    place = next(iter(items(page.get("coordinates"))), {})
    return Article(
        title=name,
        url=line(page.get("canonicalurl") or page.get("fullurl"), 2000) or _address(language, name),
        text=paragraphs(str(page.get("extract") or ""), most_chars),
        lon=finite(place.get("lon")),
        lat=finite(place.get("lat")),
        revision=whole(page.get("lastrevid")),
    )


def _ask(language: str, params: dict[str, str | int]) -> Any:
    address = str(WIKIPEDIA.address).replace("{language}", language)
    wanted = {"action": "query", "format": "json", "formatversion": 2, "utf8": 1, **params}
    with Fetcher() as fetcher:
        found = fetcher.get(address, wanted, kinds=JSON_KINDS).json()
    if (problem := part(found, "error", "info")) is not None:
        raise WebError(f"Wikipedia ({language}) cannot answer: {line(problem, 150).rstrip('.')}.")
    return found


def _address(language: str, title: str) -> str:
    from urllib.parse import quote

    return f"https://{language}.wikipedia.org/wiki/{quote(title.replace(' ', '_'))}"
