"""HTML pages as text, title and links. Nothing in them is run, fetched or shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.documents.errors import DocumentError
from data.documents.text import decoded, read_bytes, tidy

MAX_HTML_BYTES = 20_000_000
MAX_LINKS = 2_000
_NOT_TEXT = ("script", "style", "noscript", "template", "svg", "iframe", "object", "embed", "head")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.I)
_ENCODING = re.compile(rb"<meta[^>]{0,300}charset\s*+=\s*+(?:[\"']\s*+)?([\w-]{2,30})", re.I)
_LINES = re.compile(r"\n\s*\n\s*")


@dataclass(frozen=True)
class Page:
    """What an HTML page holds."""

    title: str | None
    text: str
    links: tuple[tuple[str, str], ...]
    """(words, address) as written in the page."""
    language: str | None = None


def read_html(path: Path, *, main: bool = True) -> Page:
    """A page from a file; see `page_of`. Raises DocumentError for what is too large."""
    return page_of(read_bytes(path, MAX_HTML_BYTES), main=main)


def page_of(content: bytes | str, *, main: bool = True) -> Page:
    """A page's title, links and text: its main part by trafilatura, or all that a reader sees.

    Without a main part all of it is taken. Scripts, styles and what the page hides are left out.
    """
    from bs4 import BeautifulSoup

    source = content if isinstance(content, str) else _as_text(content)
    try:
        soup = BeautifulSoup(source, "lxml")
    except (RecursionError, AssertionError, ValueError) as error:
        raise DocumentError("The page is nested too deep or broken and cannot be read.") from error
    title = _line(soup.title.get_text()) if soup.title else None
    language = soup.html.get("lang") if soup.html else None
    links = tuple(
        (_line(each.get_text()), str(each["href"]).strip()[:2_000])
        for each in soup.find_all("a", href=True, limit=MAX_LINKS)
    )
    _strip(soup)
    text = _main_part(str(soup)) if main else ""
    if not text:
        text = _LINES.sub("\n\n", tidy(soup.get_text("\n", strip=True))).strip()
    return Page(title or None, text, links, str(language)[:20] if language else None)


def _as_text(content: bytes) -> str:
    """By the page's own word for its encoding, unless its bytes are UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        said = _ENCODING.search(content[:4096])
        try:
            return content.decode(said[1].decode("ascii")) if said else decoded(content).text
        except (LookupError, UnicodeDecodeError):
            return decoded(content).text


def _strip(soup: Any) -> None:
    from bs4 import Comment

    for each in soup.find_all(_NOT_TEXT):
        each.decompose()
    for each in soup.find_all(lambda tag: tag.has_attr("hidden") or _HIDDEN.search(tag.get("style") or "")):
        if not each.decomposed:
            each.decompose()
    for each in soup.find_all(string=lambda text: isinstance(text, Comment)):
        each.extract()


def _main_part(source: str) -> str:
    from trafilatura import extract

    try:
        return tidy(
            extract(source, include_comments=False, include_tables=True, favor_recall=True) or ""
        ).strip()
    except Exception:
        # Pages in the wild make it fail in many ways; then all of the text is the answer.
        return ""


def _line(text: str) -> str:
    return " ".join(tidy(text).split())[:300]
