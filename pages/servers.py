"""Other servers' tools, on the Tools page: which a person has, adding one by its address, removing one."""

from __future__ import annotations

import streamlit as st

from copilot.live import live
from copilot.mcp.foreign import Foreign, NotAdded
from copilot.messages import t
from copilot.session import Session
from pages.here import wish, wished
from state.servers import EVERYBODY, ServerRow
from state.store import StoreUnavailable


def show_servers(session: Session) -> None:
    """Draw the section. What is added here is the person's own; what is for all the operator adds."""
    foreign, owner = live().engine.foreign, session.row.owner
    try:
        rows = foreign.servers.of(owner)
    except StoreUnavailable:  # the page says so itself
        return
    with st.expander(
        t("Other servers' tools ({rows})", rows=len(rows)), icon=":material/hub:", key="servers"
    ):
        st.caption(
            t(
                "Tools of MCP servers join your sessions as NAME__tool. A model that wants to call one "
                "asks you first; what such a server says is believed in nothing else."
            )
        )
        for row in rows:
            _drawn(foreign, row)
        _adding(foreign, owner)


def _drawn(foreign: Foreign, row: ServerRow) -> None:
    """One server: its name, where it is, its tools, and a button that leaves it out."""
    where = row.url or t("a program of this machine")
    left, right = st.columns([5, 1], vertical_alignment="center")
    left.text(f"{row.name} · {where} · {', '.join(str(each['name']) for each in row.tools)[:300]}")
    if row.owner == EVERYBODY:
        right.caption(t("for all"))
    else:
        right.button(
            t("Remove"),
            key=f"remove-server-{row.name}",
            on_click=foreign.remove,
            args=(row.name, row.owner),
        )


def _adding(foreign: Foreign, owner: str) -> None:
    """The form. A program would run on the server's machine, so only addresses are taken here."""
    with st.form("add-server", border=False):
        name = st.text_input(t("Name"), max_chars=24, placeholder="soil", key="server-name")
        url = st.text_input(
            t("Address"), max_chars=500, placeholder="https://soil.example.org/mcp", key="server-url"
        )
        st.form_submit_button(t("Add"), on_click=wish, args=("add-server",))
        if not wished("add-server"):
            return
    if not url.startswith(("http://", "https://")):
        st.error(t("An address begins with https:// (or http://); programs are added by `copilot mcp add`."))
        return
    try:
        _, out = foreign.add(ServerRow(name.strip(), owner, url=url.strip()))
    except (NotAdded, StoreUnavailable) as error:
        st.text(str(error))  # what a server said is no markup
        return
    for sentence in out:
        st.text(sentence)
    st.rerun()
