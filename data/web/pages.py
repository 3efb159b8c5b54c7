"""Pages as text, links and tables: what a reader would take from them, without what surrounds it."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

from data.web.errors import WebError, WrongKind
from data.web.fetch import Answer, Fetcher
from data.web.read import line, paragraphs
from data.web.urls import host_of
from data.web.wire import MIB

if TYPE_CHECKING:
    import pandas as pd

HTML_KINDS = ("text/html", "application/xhtml+xml")
TEXT_KINDS = ("text/plain", "text/markdown", "application/json", "text/csv")
MAX_PAGE_BYTES = 4 * MIB
MAX_TABLE_CELLS = 200_000
_MAX_SPAN = 200


@dataclass(frozen=True)
class Page:
    """A page as a reader has it."""

    url: str
    title: str
    text: str
    author: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class Link:
    """One link of a page."""

    text: str
    url: str


def read_page(url: str, most_chars: int) -> Page:
    """The page's own text, in paragraphs. Raises WebError.

    Menus, adverts and the like are left out (trafilatura); of a page that is nothing else, all text is read.
    """
    with Fetcher() as fetcher:
        try:
            answer = fetcher.get(url, kinds=(*HTML_KINDS, *TEXT_KINDS), most_bytes=MAX_PAGE_BYTES)
        except WrongKind as error:
            raise WebError(f"{str(error).rstrip('.')}; download_file brings such a file.") from None
    if answer.kind not in HTML_KINDS:
        name = answer.url.split("?", 1)[0].rstrip("/").rpartition("/")[2]
        return Page(answer.url, line(name) or host_of(answer.url), paragraphs(answer.text, most_chars))
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # a page without an article is no event
    tree = _tree(answer)
    title = _title(tree) or host_of(answer.url)
    try:
        found: Any = trafilatura.bare_extraction(
            tree, url=answer.url, include_comments=False, include_tables=True, with_metadata=True
        )
        text = str(found.text or "") if found is not None else ""
        if not text.strip():
            text = trafilatura.html2txt(_tree(answer))
    except (RecursionError, ValueError):
        raise WebError(f"{answer.url[:200]} is built in a way that cannot be read as text.") from None
    about = (line(getattr(found, "author", None)) or None, line(getattr(found, "date", None)) or None)
    return Page(answer.url, title, paragraphs(text, most_chars), *about)


def page_title(url: str) -> tuple[str, str]:
    """(address after redirects, title) of anything that has an address. Raises WebError."""
    with Fetcher() as fetcher, fetcher.stream(url) as found:
        if found.head.kind not in HTML_KINDS:
            return found.head.url, host_of(found.head.url)
        start = b""
        for chunk in found.chunks():
            start += chunk
            if len(start) > 256 * 1024 or b"</title" in start.lower():
                break
    head = Answer(found.head.url, found.head.status, found.head.headers, start)
    return head.url, (_title(_tree(head)) if start.strip() else "") or host_of(head.url)


def page_links(url: str, containing: str | None, most: int) -> tuple[Page, list[Link], int]:
    """(the page without its text, at most `most` links in the page's order, how many there are).

    Each address once, web addresses only; `containing`: those with the word in their text or address.
    Raises WebError.
    """
    answer, tree = _html(url)
    tree.make_links_absolute(answer.url, handle_failures="discard")
    wanted = (containing or "").casefold()
    links: dict[str, Link] = {}
    for anchor in tree.iter("a"):
        target = (anchor.get("href") or "").strip().split("#", 1)[0]
        if not target.lower().startswith(("http://", "https://")) or len(target) > 2000:
            continue
        target = line(target, 2000)
        text = line(anchor.text_content()) or line(anchor.get("title"))
        if wanted in text.casefold() or wanted in target.casefold():
            known = links.get(target)
            if known is None or not known.text:
                links[target] = Link(text, target)
    return Page(answer.url, _title(tree), ""), list(links.values())[:most], len(links)


def page_tables(url: str) -> tuple[Page, list[pd.DataFrame]]:
    """The page's tables of at least two columns or rows, in the page's order. Raises WebError."""
    import lxml.html
    import pandas as pd

    answer, tree = _html(url)
    tables: list[pd.DataFrame] = []
    cells = 0
    for element in tree.iter("table"):
        cells += _bounded_cells(element)
        if cells > MAX_TABLE_CELLS:
            raise WebError(f"The tables of {answer.url[:200]} have over {MAX_TABLE_CELLS:,} cells; too many.")
        if element.find(".//table") is not None:  # a layout's frame: the table in it comes by itself
            continue
        html = lxml.html.tostring(element, encoding="unicode")
        try:
            found = pd.read_html(StringIO(html), flavor="lxml")
        except (ValueError, IndexError, RecursionError):  # no rows
            continue
        tables += [_plain(each) for each in found if each.shape[0] and each.size > 1]
    return Page(answer.url, _title(tree), ""), tables


def _html(url: str) -> tuple[Answer, Any]:
    with Fetcher() as fetcher:
        answer = fetcher.get(url, kinds=HTML_KINDS, most_bytes=MAX_PAGE_BYTES)
    return answer, _tree(answer)


def _tree(answer: Answer) -> Any:
    """The page's elements. Raises WebError for a page without any."""
    import lxml.etree
    import lxml.html

    said = re.search(r"charset=[\"']?([\w-]+)", answer.headers.get("content-type", ""))
    try:
        parser = lxml.html.HTMLParser(encoding=said[1] if said else None)
    except LookupError:
        parser = lxml.html.HTMLParser()
    try:
        return lxml.html.document_fromstring(answer.body, parser=parser)
    except (lxml.etree.ParserError, ValueError):
        raise WebError(f"{answer.url[:200]} is an empty page.") from None


def _title(tree: Any) -> str:
    return line(next((each.text_content() for each in tree.iter("title")), ""))


def _bounded_cells(table: Any) -> int:
    """How many cells the table claims to have; spans that would blow it up are cut."""
    cells = 0
    for cell in table.iter("td", "th"):
        span = 1
        for name in ("colspan", "rowspan"):
            value = (cell.get(name) or "1").strip()
            count = int(value) if value.isascii() and value.isdecimal() and len(value) < 9 else 1
            count = max(1, min(count, _MAX_SPAN))
            if cell.get(name) is not None:
                cell.set(name, str(count))
            span *= count
        cells += span
    return cells


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with one text for each column's name, no name twice, and one kind of value in a column."""
    names: list[str] = []
    columns: list[Any] = list(frame.columns)
    for number, column in enumerate(columns, start=1):
        parts = column if isinstance(column, tuple) else (column,)
        words = list(dict.fromkeys(line(str(each), 80) for each in parts if not _is_filler(each)))
        name = " ".join(words) or f"column {number}"
        names.append(name if name not in names else f"{name} {number}")
    frame = frame.set_axis(names, axis=1)
    for name in frame.columns:
        if not _is_number(frame[name]):
            frame[name] = frame[name].map(lambda value: None if value != value else line(str(value), 1000))
    return frame.reset_index(drop=True)


def _is_filler(value: object) -> bool:
    return isinstance(value, int) or str(value).startswith("Unnamed: ")


def _is_number(column: pd.Series[Any]) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return bool(is_numeric_dtype(column) and not is_bool_dtype(column))
