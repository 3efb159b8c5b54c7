"""Web tabs: only addresses are kept, nothing is fetched here."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from state.model import State, Tab
from tools.base import Step, ToolError, World, tool
from tools.map.styles import clean_name
from tools.phrases import listed, number_of

MOST_TABS = 20
TabRef = Annotated[
    int | Annotated[str, Field(min_length=1, max_length=2000)],
    Field(description="Its number in ui.tabs, from 0, its title, or a part of its address."),
]


@tool("ui", changes_state=True, gives=("tab",))
def open_tab(
    state: State,
    world: World,
    *,
    url: Annotated[str, Field(min_length=1, max_length=2000, description="An http or https address.")],
    title: Annotated[
        str | None,
        Field(min_length=1, max_length=100, description="What the tab is called; its host when left out."),
    ] = None,
) -> Step:
    """Open a web address in a tab of the page.

    Example: copilot call open_tab url=https://example.org

    Asked as: open https://example.org | show this website | open the web page in a tab | browse to the
    agency's site | go to the link | visit esa.int | pull up wikipedia
    """
    address, host = _checked(url)
    known = [each.url for each in state.ui.tabs]
    if address in known:
        index = known.index(address)
        return _shown(state, index, f"{address} is open already; its tab is in front.")
    if len(known) >= MOST_TABS:
        raise ToolError(f"There are {MOST_TABS} tabs, which is as many as there may be; close one first.")
    tab = Tab(address, clean_name(title) if title else host)
    return _shown(state.with_ui(tabs=(*state.ui.tabs, tab)), len(known), f"Opened {address} in a tab.")


@tool("ui", changes_state=True, needs=("tab",))
def switch_tab(state: State, world: World, *, tab: TabRef) -> Step:
    """Bring a web tab to the front.

    Example: copilot call switch_tab tab=0

    Asked as: go to the other tab | back to the first tab | bring the ESA tab to the front | second tab |
    change tabs | show the tab with the article
    """
    index = _index(state, tab)
    return _shown(state, index, f"The tab {state.ui.tabs[index].title!r} is in front.")


@tool("ui", changes_state=True, needs=("tab",))
def close_tab(state: State, world: World, *, tab: TabRef | None = None) -> Step:
    """Close a web tab; without one, the tab in front.

    Example: copilot call close_tab

    Asked as: close the tab | close the website | shut this tab | I'm done with the web page | close all but
    the map | get rid of the browser tab
    """
    active = state.ui.active_tab
    if tab is None and active is None:
        raise ToolError(
            "No tab is in front; say which tab to close." if state.ui.tabs else "There are no tabs."
        )
    index = _index(state, tab if tab is not None else active or 0)
    closed = state.ui.tabs[index]
    tabs = tuple(each for i, each in enumerate(state.ui.tabs) if i != index)
    if active is not None and (active > index or active == len(tabs)):
        active -= 1
    if not tabs:
        active = None
    said = f"Closed the tab {closed.title!r}; {number_of(len(tabs), 'tab')} left."
    data = {"url": closed.url, "tabs": len(tabs), "active_tab": active}
    return Step(state.with_ui(tabs=tabs, active_tab=active), said, data)


def _checked(url: str) -> tuple[str, str]:
    """A web address and its host. Raises ToolError for anything that is not plain http or https."""
    address = url.strip()
    problem = f"{url!r} is no web address; give one such as https://example.org/page."
    if any(each.isspace() or not each.isprintable() for each in address):
        raise ToolError(problem)
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ToolError(problem) from error
    if parts.scheme not in ("http", "https") or not host:
        raise ToolError(problem)
    if parts.username is not None or parts.password is not None:
        raise ToolError("An address with a user name or a password in it is not opened; give it without.")
    return parts.geturl(), host if port is None else f"{host}:{port}"


def _index(state: State, tab: int | str) -> int:
    tabs = state.ui.tabs
    if not tabs:
        raise ToolError("There are no tabs; open_tab opens one.")
    if isinstance(tab, int):
        if 0 <= tab < len(tabs):
            return tab
        raise ToolError(f"There is no tab {tab}; there are 0 to {len(tabs) - 1}.")
    wanted = tab.strip().casefold()
    titles = [each.title.casefold() for each in tabs]
    if wanted in titles:
        return titles.index(wanted)
    held = [i for i, each in enumerate(tabs) if wanted and wanted in each.url.casefold()]
    if held:
        return held[0]
    if wanted.isdecimal() and len(wanted) < 6:
        return _index(state, int(wanted))
    near = get_close_matches(wanted, titles, n=1, cutoff=0.5)
    hint = f" Did you mean {tabs[titles.index(near[0])].title!r}?" if near else ""
    raise ToolError(
        f"No tab is called {tab!r}.{hint} There are {listed([repr(each.title) for each in tabs])}."
    )


def _shown(state: State, index: int, said: str) -> Step:
    tab = state.ui.tabs[index]
    return Step(
        state.with_ui(active_tab=index), said, {"url": tab.url, "title": tab.title, "active_tab": index}
    )


TOOLS = (open_tab, switch_tab, close_tab)
