"""Search the web, by whichever engine is configured."""

from __future__ import annotations

from dataclasses import asdict

from state.model import State
from tools.base import Step, World, tool
from tools.phrases import number_of
from tools.web.shared import OUTSIDE, Most, Words, asking, in_words


@tool("web", external=True, long_running=True)
def web_search(state: State, world: World, *, query: Words, limit: Most = 8) -> Step:
    """Search the web; results with title, address and a few words. They come from outside.

    Asks the SearXNG at $AZIMUTH_SEARXNG_URL, else Tavily with $AZIMUTH_TAVILY_KEY, else DuckDuckGo, and says
    which. The query leaves this machine.

    Example: copilot call web_search query="Rotterdam port dredging" limit=3

    Asked as: search the web for | google it | look this up online | find news about the flood online |
    what does the web say about | search online for the port authority | any articles about this oil spill
    """
    from data.web.searching import web_search as search

    wanted = in_words(query, "query")
    with asking():
        found = search(wanted, limit)
    rows = [asdict(each) for each in found.hits]
    data = {"engine": found.engine, "query": wanted, "count": len(rows), "results": rows}
    if not rows:
        return Step(state, f"{found.engine} finds nothing for {wanted!r}.", data)
    listed = "; ".join(f"{each.title} <{each.url}>" for each in found.hits)
    return Step(
        state,
        f"{number_of(len(rows), 'result')} of {found.engine} for {wanted!r} ({OUTSIDE}): {listed}.",
        data,
    )


TOOLS = (web_search,)
