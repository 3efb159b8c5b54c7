"""arXiv's Atom API: papers by words, and one paper by its number.

https://info.arxiv.org/help/api/user-manual.html; the feed is parsed with defusedxml.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any, Literal

from data.web.errors import WebError
from data.web.fetch import Fetcher
from data.web.read import line, whole
from data.web.services import ARXIV
from data.web.urls import host_of

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_OPEN = "{http://a9.com/-/spec/opensearch/1.1/}"
_KINDS = ("application/atom+xml", "application/xml", "text/xml")
_ID = re.compile(
    r"(?<![a-z-])(?:arxiv:)?((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?)", re.IGNORECASE
)
_FIELDED = re.compile(r"\b(?:ti|au|abs|co|jr|cat|rn|id|all):")

Order = Literal["relevance", "newest"]


@dataclass(frozen=True)
class Paper:
    """A paper, as arXiv describes it."""

    id: str
    title: str
    authors: tuple[str, ...]
    published: str
    """YYYY-MM-DD."""
    updated: str
    summary: str
    category: str
    url: str
    pdf: str | None
    doi: str | None
    journal: str | None

    def row(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {**asdict(self), "authors": list(self.authors)}


def search(words: str, order: Order, most: int) -> tuple[list[Paper], int]:
    """(papers, how many there are in all). Raises WebError.

    The words are all looked for, in any field; a query in arXiv's own language (`au:zhu AND ti:radar`) is
    passed on as it is.
    """
    query = words if _FIELDED.search(words) else _all_of(words)
    return _feed(
        {
            "search_query": query,
            "start": 0,
            "max_results": most,
            "sortBy": "relevance" if order == "relevance" else "submittedDate",
            "sortOrder": "descending",
        }
    )


def paper(name: str) -> Paper:
    """The paper of a number (`2406.07089`, `cs/0112017v1`) or of its address. Raises WebError."""
    found = _ID.search(name)
    if found is None:
        raise WebError(f"{name[:80]!r} is no arXiv number; give one such as 2406.07089.")
    papers, _ = _feed({"id_list": found[1], "max_results": 1})
    if not papers:
        raise WebError(f"arXiv has no paper {found[1]}.")
    return papers[0]


def _all_of(words: str) -> str:
    plain = re.sub(r"[^\w\s.-]", " ", words).split()
    return " AND ".join(f"all:{each}" for each in plain[:30]) or "all:none"


def _feed(params: dict[str, str | int | float]) -> tuple[list[Paper], int]:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    address = str(ARXIV.address)
    with Fetcher() as fetcher:
        body = fetcher.get(address, params, kinds=_KINDS).body
    try:
        root = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        raise WebError(f"{host_of(address)} sent something that is no Atom feed.") from None
    papers = [_paper(entry) for entry in root.iter(f"{_ATOM}entry")]
    papers = [each for each in papers if each is not None]
    total = whole(root.findtext(f"{_OPEN}totalResults", "").strip())
    return [each for each in papers if each], len(papers) if total is None else total


def _paper(entry: Any) -> Paper | None:
    """An entry; None for arXiv's way to say that there is none, an entry that is an error."""
    where = line(entry.findtext(f"{_ATOM}id", ""))
    found = _ID.search(where)
    if found is None or "/api/errors" in where:
        return None
    pdf = next((each.get("href") for each in entry.iter(f"{_ATOM}link") if each.get("title") == "pdf"), None)
    primary = entry.find(f"{_ARXIV}primary_category")
    names = [line(each.findtext(f"{_ATOM}name", ""), 100) for each in entry.iter(f"{_ATOM}author")]
    return Paper(
        id=found[1],
        title=line(entry.findtext(f"{_ATOM}title", "")),
        authors=tuple(each for each in names[:100] if each),
        published=line(entry.findtext(f"{_ATOM}published", ""))[:10],
        updated=line(entry.findtext(f"{_ATOM}updated", ""))[:10],
        summary=line(entry.findtext(f"{_ATOM}summary", ""), 5000),
        category=line(primary.get("term")) if primary is not None else "",
        url=where,
        pdf=line(pdf) or None,
        doi=line(entry.findtext(f"{_ARXIV}doi", "")) or None,
        journal=line(entry.findtext(f"{_ARXIV}journal_ref", "")) or None,
    )
