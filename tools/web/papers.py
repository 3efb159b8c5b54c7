"""Papers on arXiv."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from state.model import State
from tools.base import Step, World, tool
from tools.phrases import listed, number_of
from tools.web.shared import OUTSIDE, Most, Words, asking, in_words


@tool("web", external=True)
def arxiv_search(
    state: State,
    world: World,
    *,
    query: Words,
    limit: Most = 10,
    sort: Annotated[Literal["relevance", "newest"], Field(description="What comes first.")] = "relevance",
) -> Step:
    """Search arXiv for papers: number, title, authors, date and summary of each.

    All words are looked for; arXiv's own language (ti:radar AND au:zhu) goes through as it is.

    Example: copilot call arxiv_search query="ship detection SAR" limit=3

    Asked as: find papers on ship detection | recent research about cloud removal | search arXiv for change
    detection | what has been published on NDVI time series | literature on flood mapping |
    preprints about this
    """
    from data.web.arxiv import search

    wanted = in_words(query, "query")
    with asking():
        papers, total = search(wanted, sort, limit)
    data = {"query": wanted, "total": total, "count": len(papers), "papers": [each.row() for each in papers]}
    if not papers:
        return Step(state, f"arXiv has no paper for {wanted!r}.", data)
    said = "; ".join(f"{each.id} {each.title!r} ({each.published[:4]})" for each in papers)
    there = f"{number_of(len(papers), 'paper')} of {total:,} on arXiv for {wanted!r} ({OUTSIDE})"
    return Step(state, f"{there}: {said}.", data)


@tool("web", external=True)
def arxiv_paper(
    state: State,
    world: World,
    *,
    paper: Annotated[
        str, Field(min_length=1, max_length=300, description="An arXiv number (2406.07089) or address.")
    ],
) -> Step:
    """Look up one paper on arXiv by its number: title, authors, dates, summary, DOI and PDF.

    Example: copilot call arxiv_paper paper=arXiv:2406.07089

    Asked as: arXiv 2406.07089 | who wrote this arXiv paper | abstract of 2406.07089 | look up this paper by
    its number | show the summary of arxiv.org/abs/2406.07089 | details of that preprint
    """
    from data.web.arxiv import paper as look_up

    with asking():
        found = look_up(paper)
    said = (
        f"arXiv {found.id} ({OUTSIDE}): {found.title!r} by {listed(found.authors, 6)}, "
        f"{found.published}, {found.category}. {found.summary}"
    )
    return Step(state, said, found.row())


TOOLS = (arxiv_search, arxiv_paper)
