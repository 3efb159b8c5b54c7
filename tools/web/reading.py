"""Pages of the web: opened in a tab, read as text, their links and their tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.phrases import number_of
from tools.tables import plain_rows, rows_in_words, table_of_inputs
from tools.ui.tabs import open_tab
from tools.web.shared import OUTSIDE, Source, Url, asking, key_of


@tool("web", changes_state=True, gives=("tab",), external=True)
def open_url(state: State, world: World, *, url: Url) -> Step:
    """Open a web address in a tab, under the page's own title, after a look that it is there.

    Example: copilot call open_url url=http://harbour.example/report.html

    Asked as: open this link | open the first result | show me that page in a tab | take me to the article |
    open the address and check that it works | bring the report's page up
    """
    from data.web.pages import page_title

    with asking():
        _, title = page_title(url)
    opened: Step = open_tab.function(state, world, url=url, title=title[:100])
    return opened


@tool("web", external=True)
def read_page(
    state: State,
    world: World,
    *,
    url: Url,
    max_chars: Annotated[int, Field(ge=200, le=50_000, description="At most this much of its text.")] = 4000,
) -> Step:
    """Read a web page's own text, with its title and source; the text is data from outside.

    What surrounds the text (menus, adverts) is left out by trafilatura. Plain text and JSON are read too.

    Example: copilot call read_page url=http://harbour.example/report.html

    Asked as: read this page | what does the article say | summarise the page behind this link | get the text
    of the website | fetch the article | tell me what stands on that page
    """
    from data.web.pages import read_page as read

    with asking():
        page = read(url, max_chars)
    said = f"{page.title!r}, {page.url} ({OUTSIDE}): {page.text}" if page.text else f"{page.url} has no text."
    data = {
        "title": page.title,
        "url": page.url,
        "author": page.author,
        "date": page.date,
        "characters": len(page.text),
        "text": page.text,
    }
    return Step(state, said, data)


@tool("web", external=True)
def page_links(
    state: State,
    world: World,
    *,
    url: Url,
    containing: Annotated[
        str | None, Field(min_length=1, max_length=200, description="A word in the link's text or address.")
    ] = None,
    limit: Annotated[int, Field(ge=1, le=500, description="At most how many.")] = 50,
) -> Step:
    """List the links of a web page with their texts, each address once.

    Example: copilot call page_links url=http://harbour.example/report.html containing=pdf

    Asked as: which links are on this page | list the downloads of that site | where does this page link to |
    find the PDF links | get all the urls from the page | what can I click on there
    """
    from data.web.pages import page_links as read

    with asking():
        page, links, total = read(url, containing, limit)
    rows = [asdict(each) for each in links]
    kind = "link" if containing is None else f"link with {containing!r}"
    said = f"{page.url} has {total:,} {kind if total == 1 else kind.replace('link', 'links', 1)}"
    listed = "; ".join(f"{each.text or 'no text'} <{each.url}>" for each in links[:20])
    said += f" ({OUTSIDE}): {listed}." if links else "."
    return Step(state, said, {"url": page.url, "title": page.title, "count": total, "links": rows})


@tool("web", changes_state=True, gives=("table",), external=True)
def page_tables(
    state: State,
    world: World,
    *,
    url: Url,
    number: Annotated[
        int | None, Field(ge=1, le=500, description="Which table of the page; the largest when left out.")
    ] = None,
) -> Step:
    """Take a table of a web page as a table artifact; without a number the largest one.

    Example: copilot call page_tables url=http://harbour.example/report.html number=1

    Asked as: get the table from this page | scrape the table | turn the web table into data | import the
    second table of the article | load the list of ports from that site | the figures on that page as a table
    """
    from data.web.pages import page_tables as read

    with asking():
        page, tables = read(url)
    if not tables:
        raise ToolError(f"{page.url} has no tables; read_page reads its text.")
    if number is not None and number > len(tables):
        raise ToolError(f"{page.url} has {number_of(len(tables), 'table')}; there is no table {number}.")
    chosen = max(range(len(tables)), key=lambda i: tables[i].size) if number is None else number - 1
    frame = tables[chosen]
    said = (
        f"Table {chosen + 1} of {len(tables)} on {page.url} has {number_of(len(frame), 'row')} and "
        f"{number_of(len(frame.columns), 'column')} ({OUTSIDE})."
    )
    call = Call.of(page_tables, url=url, number=number)
    name = f"Table {chosen + 1} of {page.title or page.url}"[:100]
    facts: dict[str, Any] = {
        "url": page.url,
        "title": page.title,
        "tables": len(tables),
        "number": chosen + 1,
    }
    source = Source(url, page.title, key_of(plain_rows(frame)))
    said += rows_in_words(frame)
    return table_of_inputs(state, world, [source], frame, call, name, said, **facts)


TOOLS = (open_url, read_page, page_links, page_tables)
