"""Wikipedia: search for articles, and read one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from state.model import State
from tools.base import Step, World, tool
from tools.phrases import number_of
from tools.web.shared import OUTSIDE, Most, Words, asking, in_words

Language = Annotated[
    str, Field(pattern=r"^[a-z]{2,3}(-[a-z]{2,10})?$", max_length=14, description="Its language: en, de, fr.")
]


@tool("web", external=True)
def wikipedia_search(
    state: State, world: World, *, query: Words, language: Language = "en", limit: Most = 5
) -> Step:
    """Search Wikipedia for articles: title, address and the place where the words stand.

    Example: copilot call wikipedia_search query="Port of Rotterdam" limit=3

    Asked as: search Wikipedia for | is there a Wikipedia article about | find wiki pages on dredging | which
    Wikipedia articles mention this harbour | look for it on Wikipedia | wiki search
    """
    from data.web.wikipedia import search

    wanted = in_words(query, "query")
    with asking():
        found, total = search(wanted, language, limit)
    rows = [{"title": each.title, "url": each.url, "text": each.text, "words": each.words} for each in found]
    data = {"query": wanted, "language": language, "total": total, "count": len(rows), "results": rows}
    if not rows:
        return Step(state, f"Wikipedia ({language}) has no article for {wanted!r}.", data)
    there = f"{number_of(len(rows), 'article')} of {total:,} on Wikipedia ({language}) for {wanted!r}"
    said = "; ".join(f"{each.title!r} <{each.url}>" for each in found)
    return Step(state, f"{there} ({OUTSIDE}): {said}.", data)


@tool("web", external=True)
def wikipedia_page(
    state: State,
    world: World,
    *,
    title: Annotated[str, Field(min_length=1, max_length=255, description="The article's title.")],
    language: Language = "en",
    whole: Annotated[
        bool, Field(description="All of it; else what stands before the first heading.")
    ] = False,
    max_chars: Annotated[int, Field(ge=200, le=50_000, description="At most this much of its text.")] = 4000,
) -> Step:
    """Read a Wikipedia article by its title: its lead or all of it, its address and its coordinates.

    Example: copilot call wikipedia_page title="Port of Rotterdam"

    Asked as: what does Wikipedia say about Suez | the wiki article on Maasvlakte | summary of the Wikipedia
    page | read the Wikipedia entry | tell me about this port from Wikipedia | whole article on dredging
    """
    from data.web.wikipedia import article

    wanted = in_words(title, "title")
    with asking():
        found = article(wanted, language, max_chars, only_lead=not whole)
    at = f" It lies at {found.lat:.4f}, {found.lon:.4f} (lat, lon)." if found.lat is not None else ""
    if found.lon is None:
        at = ""
    said = f"{found.title!r}, {found.url} ({OUTSIDE}): {found.text or 'no text'}{at}"
    return Step(state, said, {**asdict(found), "language": language})


TOOLS = (wikipedia_search, wikipedia_page)
