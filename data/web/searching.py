"""Web search: a SearXNG of one's own, Tavily with a key, or DuckDuckGo through the `ddgs` library."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from data.web.addresses import reachable
from data.web.errors import WebError
from data.web.fetch import Fetcher
from data.web.read import JSON_KINDS, items, line, part
from data.web.services import SEARXNG, TAVILY, TAVILY_KEY_VARIABLE
from data.web.settings import setting
from data.web.urls import host_of

MAX_TEXT_CHARS = 500
_DDG_HOSTS = ("html.duckduckgo.com", "duckduckgo.com")


@dataclass(frozen=True)
class Hit:
    """One result of a search."""

    title: str
    url: str
    text: str


@dataclass(frozen=True)
class Found:
    """What a search brought, and who was asked."""

    engine: str
    hits: tuple[Hit, ...]


def web_search(query: str, most: int) -> Found:
    """At most `most` results, best first. Raises WebError.

    SearXNG's JSON format (`format=json`, which its settings must allow) where $AZIMUTH_SEARXNG_URL is set,
    else Tavily's search where $AZIMUTH_TAVILY_KEY is, else DuckDuckGo.
    """
    if SEARXNG.address:
        return Found(f"SearXNG at {host_of(SEARXNG.address)}", _searxng(SEARXNG.address, query, most))
    key = setting(TAVILY_KEY_VARIABLE)
    if key and TAVILY.address:
        return Found(f"Tavily at {host_of(TAVILY.address)}", _tavily(TAVILY.address, key, query, most))
    return Found("DuckDuckGo", _duckduckgo(query, most))


def _searxng(address: str, query: str, most: int) -> tuple[Hit, ...]:
    base = address.rstrip("/")
    url = base if base.endswith("/search") else f"{base}/search"
    with Fetcher() as fetcher:
        found = fetcher.get(url, {"q": query, "format": "json"}, kinds=JSON_KINDS).json()
    return _hits(part(found, "results"), "content", most)


def _tavily(address: str, key: str, query: str, most: int) -> tuple[Hit, ...]:
    body = json.dumps({"query": query, "max_results": min(most, 20)}).encode()
    with Fetcher() as fetcher:
        answer = fetcher.post(
            address, body, "application/json", headers={"authorization": f"Bearer {key}"}, kinds=JSON_KINDS
        )
    return _hits(part(answer.json(), "results"), "content", most)


def _duckduckgo(query: str, most: int) -> tuple[Hit, ...]:
    """The library makes its own requests, as a browser does: to DuckDuckGo through `data.web.tunnel`.

    A proxy of the operator's, in the library's own variable, is used as it is.
    """
    from data.web.tunnel import tunnel

    if proxy := setting("DDGS_PROXY"):
        return _by_library(query, most, proxy)
    reachable(_DDG_HOSTS[0], 443)  # says within a second that there is no network
    with tunnel(_DDG_HOSTS) as way:
        try:
            hits = _by_library(query, most, way.address)
        except WebError as error:
            raise (way.problem or error) from None
        if not hits and way.problem is not None:
            raise way.problem
        return hits


def _by_library(query: str, most: int, proxy: str) -> tuple[Hit, ...]:
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException

    try:
        searcher = DDGS(proxy=proxy, timeout=10, verify=setting("SSL_CERT_FILE") or True)
        found = searcher.text(query, backend="duckduckgo", max_results=most)
    except DDGSException as error:
        if "no results" in str(error).lower():
            return ()
        raise WebError(
            "DuckDuckGo did not answer; $AZIMUTH_SEARXNG_URL or $AZIMUTH_TAVILY_KEY sets another engine."
        ) from None
    return _hits(found, "body", most)


def _hits(found: Any, text_key: str, most: int) -> tuple[Hit, ...]:
    """Results with a web address, each address once."""
    hits: dict[str, Hit] = {}
    for each in items(found):
        url = line(each.get("url") or each.get("href"), 2000)
        if url.startswith(("http://", "https://")):
            text = line(each.get(text_key), MAX_TEXT_CHARS)
            hits.setdefault(url, Hit(line(each.get("title")) or host_of(url), url, text))
    return tuple(hits.values())[:most]
