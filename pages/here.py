"""Whose browser this is, which session it looks at, and calls made from widgets."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import streamlit as st

from copilot.live import Refused, live
from copilot.messages import t
from copilot.server.guard import may_open
from copilot.server.owner import COOKIE
from copilot.session import Session
from state.log import Event
from state.store import UnknownSession

WISH_S = 30.0
"""How long a click waits for a run that is not cut short, in seconds."""


def owner() -> str:
    """The owner in the browser's cookie; without cookies, one that lasts as long as the tab."""
    owners = live().engine.owners
    found = owners.of(st.context.cookies.get(COOKIE))
    if found is None:
        found = st.session_state.setdefault("owner", owners.issue()[1])
    return str(found)


def tell(text: str) -> None:
    """Say something once, in the header. It is kept: a run that is cut short does not lose it."""
    before = st.session_state.get("told", {"number": 0})
    st.session_state["told"] = {"number": before["number"] + 1, "text": text, "at": monotonic()}


def session() -> Session:
    """The session in the address, else the browser's last one, else a new one."""
    if token := st.query_params.get("share"):
        del st.query_params["share"]
        _open_shared(token)
    wanted = st.query_params.get("session") or st.session_state.get("session")
    found = _opened(wanted) if wanted else None
    if found is None:
        rows = live().engine.store.sessions(owner())
        found = live().session(rows[0].id) if rows else live().create(owner())
    go_to(found.id)
    found.refresh()
    return found


def go_to(session_id: str) -> None:
    """Show that session in this tab from now on."""
    st.session_state["session"] = session_id
    if st.query_params.get("session") != session_id:
        st.query_params["session"] = session_id


def _opened(session_id: str) -> Session | None:
    try:
        found = live().session(session_id)
        if may_open(found.row.owner, owner()):
            return found
    except UnknownSession:
        pass  # told below, like a session of somebody else: an id is not confirmed to strangers
    tell(t("That session is not here, or it belongs to another browser; this is your last one."))
    st.session_state.pop("session", None)
    return None


def _open_shared(token: str) -> None:
    try:
        go_to(Session.open_shared(token, owner=owner(), engine=live().engine).id)
        tell(t("This is your own copy of the shared session."))
    except UnknownSession as error:
        tell(str(error))


def noticed() -> None:
    """Keep that this run was asked for by what listens for changes, not by the user."""
    st.session_state["noticed"] = True


def follow_page(current: Session) -> None:
    """Go to the page that a call has opened since this tab last looked; a reload stays where it is.

    What listens for changes may ask for the page that it was on when that has just been left: such a run
    goes back to the page that was gone to. A running request ends before its page is followed.
    """
    page, shown = st.session_state["page"], st.session_state.get("shown_page")
    if st.session_state.pop("noticed", False) and shown not in (None, page):
        st.switch_page(shown, query_params={"session": current.id})
    st.session_state["shown_page"] = page
    if live().running(current.id) is not None:
        return
    opened = max((each.seq for each in current.events if each.ok and each.tool == "open_page"), default=0)
    seen = st.session_state.setdefault("page_calls", {})
    if seen.setdefault(current.id, opened) == opened:
        return
    seen[current.id] = opened
    wanted = st.session_state["pages"][current.state.ui.page]
    if page != wanted:
        st.session_state["shown_page"] = wanted
        st.switch_page(wanted, query_params={"session": current.id})


def changed(key: str, use: Callable[..., None], *more: object) -> None:
    """What every widget's `on_change` calls: its new value goes to `use`, before `more`.

    A widget that the last run did not draw has no value any more. The browser may still report one of it, as
    it reports what it left: that is no wish.
    """
    if key in st.session_state:
        use(st.session_state[key], *more)


def wish(key: str, value: object = True) -> None:
    """Keep what the user asked for by a click, until `wished` takes it.

    What a click says in the middle of a run is gone when another run cuts that one short, as every change of
    the session may do. A callback comes before the page is drawn, so it is never lost.
    """
    st.session_state[f"wish-{key}"] = value, monotonic()


def wished(key: str) -> Any:
    """What was asked for under that key, once; None where nothing was, or the page was left since."""
    value, at = st.session_state.pop(f"wish-{key}", (None, 0.0))
    return value if monotonic() - at < WISH_S else None


def act(tool: str, /, **args: Any) -> Event | None:
    """Make one call for the user, and say what went wrong; None while a request runs.

    Where the conversation is, it says so: nothing is said twice.
    """
    current = live().session(st.session_state["session"])
    if live().running(current.id) is not None:
        tell(t("A request is running; stop it or wait for its answer."))
        return None
    event = current.call_tool(tool, args, source="page")
    if not event.ok and st.session_state["page"] != st.session_state["pages"]["home"]:
        tell(event.text)
    return event


def ask(session_id: str, text: str, box: str | None = None) -> None:
    """Start a turn, before the page is drawn: the page that follows shows it already.

    What is refused goes back into `box`, where it was written.
    """
    try:
        live().ask(session_id, text)
    except Refused as refused:
        tell(str(refused))
        if box is not None:
            st.session_state[box] = text


def offer(session: Session, request: str) -> None:
    """A button that asks for what an empty place would show; the request is in English, as requests are."""
    st.button(
        request,
        key=f"offer-{request}",
        icon=":material/arrow_forward:",
        on_click=ask,
        args=(session.id, request),
        disabled=live().running(session.id) is not None,
    )


def to_map(session_id: str, panel: str | None = None) -> None:
    """Leave this page for the map's, with that panel in front where one is named."""
    if panel is not None:
        open_panel(panel)
    st.switch_page(st.session_state["pages"]["home"], query_params={"session": session_id})


def open_panel(name: str) -> None:
    """Bring a panel to the front.

    The tabs become a new widget: a value that is set from here on a widget that stays would be undone
    by a run that the browser had asked for just before.
    """
    if st.session_state.get("panel_shown") != name:
        st.session_state["panel_shown"] = name
        st.session_state["panel_turn"] = st.session_state.get("panel_turn", 0) + 1
