"""The line at the top: pages, the session and its menu, who answers and how, undo and redo."""

from __future__ import annotations

import html
from functools import cache
from time import monotonic
from typing import Any

import streamlit as st

from copilot.live import live
from copilot.messages import day, t, words
from copilot.models import Answering, answering
from copilot.names import UNTITLED
from copilot.session import Session
from copilot.view.transcript import notice
from pages.explaining import show_explain
from pages.here import act, changed, follow_page, go_to, open_panel, owner, tell
from pages.look import asset, script
from pages.speaking import keyed, tell_page
from tools.selection import holds_sample

_theme = st.components.v2.component("azimuth_theme", js=script("theme.js"), isolate_styles=False)


_notice = st.components.v2.component("azimuth_notice", js=asset("notice.js"), isolate_styles=False)


def header(session: Session) -> None:
    """Draw the line, on the page that the session asks for."""
    follow_page(session)
    with st.container(key="header", horizontal=True, vertical_alignment="center", gap="small"):
        st.html('<span class="az-logo" role="heading" aria-level="1">Azimuth</span>', width="content")
        with st.container(key="nav", horizontal=True, gap=None, width="content"):
            for page in st.session_state["pages"].values():
                st.page_link(page, query_params={"session": session.id})
        _menu(session)
        if holds_sample(session.state, session.world()):
            st.badge(
                t("sample data"),
                icon=":material/science:",
                color="orange",
                help=t("Generated positions and labels, not real observations."),
            )
        with st.container(key="model", width="stretch"):
            st.html(reach_html(answering()))
        _undo_redo(session)
        _theme(key=keyed("theme"), width="content", data={**themes(), "words": words()})
        tell_page()
    _notices(session)
    show_explain(session)


def reach_html(who: Answering) -> str:
    """Whether anything leaves this machine, in a word, and what that means on hover; escaped."""
    word, about = said_of(who)
    return (
        f"<span class='az-model{' az-online' if who.leaves else ''}' "
        f"title='{html.escape(about, quote=True)}'>"
        f"<i></i><span>{html.escape(word)}</span></span>"
    )


def said_of(who: Answering) -> tuple[str, str]:
    """(Offline or the model's name, what that means in a sentence)."""
    if who.model is None:
        return t("Offline"), t("Answers are worked out on this machine. Nothing leaves it.")
    if who.leaves:
        return who.model, t("Requests are sent to {model} at {host}.", model=who.model, host=who.host)
    return who.model, t("{model} answers on this machine. Nothing leaves it.", model=who.model)


@cache
def themes() -> dict[str, dict[str, Any]]:
    """Both looks as .streamlit/config.toml has them, as Streamlit's page takes them in a message."""
    names = ("primaryColor", "backgroundColor", "secondaryBackgroundColor", "textColor")
    same = {name: st.get_option(f"theme.{name}") for name in ("baseRadius", "chartCategoricalColors")}
    return {
        look: {"base": number, **same} | {name: st.get_option(f"theme.{look}.{name}") for name in names}
        for number, look in enumerate(("light", "dark"))
    }


def _notices(session: Session) -> None:
    said = st.session_state.get("told", {"number": 0, "text": "", "at": 0.0})
    data = {
        "number": said["number"],
        "text": said["text"],
        "fresh": monotonic() - said["at"] < 3,
        "state": [session.id, notice(session.events, session.state)],
    }
    with st.container(key="notices"):
        _notice(key="notice", data=data, width="content")


def _undo_redo(session: Session) -> None:
    history = session.history
    busy = live().running(session.id) is not None
    st.button(
        t("Undo"),
        icon=":material/undo:",
        key="undo",
        on_click=act,
        args=("undo",),
        disabled=busy or not history.past,
        help=t("Take back the last change"),
        type="tertiary",
    )
    st.button(
        t("Redo"),
        icon=":material/redo:",
        key="redo",
        on_click=act,
        args=("redo",),
        disabled=busy or not history.future,
        help=t("Do it again"),
        type="tertiary",
    )


def _menu(session: Session) -> None:
    with st.popover(
        _plain(_shortened(name_of(session.name))),
        key="session_menu",
        help=t("Session: rename, new, open, share, export"),
    ):
        st.text_input(
            t("Session name"),
            value=session.name,
            key=f"name-{session.id}",
            max_chars=120,
            on_change=changed,
            args=(f"name-{session.id}", _rename, session),
        )
        with st.container(horizontal=True):
            st.button(t("New session"), icon=":material/add:", on_click=_new)
            st.button(
                t("Share"),
                icon=":material/link:",
                on_click=_share,
                args=(session,),
                help=t("A link that opens a copy of this session"),
            )
        if token := st.session_state.get(f"share-{session.id}"):
            st.caption(t("Whoever opens this link gets a copy of their own:"))
            st.code(f"{_origin()}/?share={token}", language=None)
        with st.container(horizontal=True):
            st.button(t("Export as script"), on_click=_export, args=("export_script",))
            st.button(t("Export as notebook"), on_click=_export, args=("export_notebook",))
            if any(each.kind in ("raster", "vector") for each in session.state.artifacts):
                st.link_button(
                    t("Download as STAC"),
                    f"/api/sessions/{session.id}/stac",
                    help=t("The session's rasters and features with their files, as a STAC catalogue"),
                )
        _others(session)


def _others(session: Session) -> None:
    rows = live().engine.store.sessions(owner())
    st.caption(t("Your sessions ({rows})", rows=len(rows)))
    with st.container(key="sessions", height=220 if len(rows) > 4 else "content", border=False, gap=None):
        for row in rows[:50]:
            with st.container(horizontal=True, vertical_alignment="center", gap=None):
                here = row.id == session.id
                label = f"{_plain(_shortened(name_of(row.name), 34))} · {day(row.updated_at)}"
                st.button(
                    label,
                    key=f"open-{row.id}",
                    on_click=go_to,
                    args=(row.id,),
                    type="tertiary",
                    disabled=here,
                    width="stretch",
                )
                _delete_button(row.id, row.name)


def _delete_button(session_id: str, name: str) -> None:
    if st.session_state.get("deleting") == session_id:
        st.button(
            t("Delete for good"),
            key=f"sure-{session_id}",
            on_click=_delete,
            args=(session_id,),
            type="primary",
        )
    else:
        st.button(
            t("Delete {name}", name=_plain(_shortened(name, 34))),
            icon=":material/delete:",
            key=f"delete-{session_id}",
            help=t("Delete {name}", name=_plain(name)),
            type="tertiary",
            on_click=_ask_delete,
            args=(session_id,),
        )


def _ask_delete(session_id: str) -> None:
    st.session_state["deleting"] = session_id


def _delete(session_id: str) -> None:
    live().delete(session_id)
    st.session_state.pop("deleting", None)
    if st.session_state.get("session") == session_id:
        st.session_state.pop("session")
        st.query_params.pop("session", None)


def _rename(text: str, session: Session) -> None:
    if name := " ".join(text.split()):
        session.rename(name)


def _new() -> None:
    go_to(live().create(owner()).id)


def _share(session: Session) -> None:
    st.session_state[f"share-{session.id}"] = session.share()


def _export(tool: str) -> None:
    if (event := act(tool)) is not None and event.ok:
        open_panel("Results")
        tell(t("Exported; the file is under Results."))


def _origin() -> str:
    url = st.context.url or ""
    return "/".join(url.split("/")[:3])


def name_of(session_name: str) -> str:
    """A session's name; one that nobody named is said in the page's language."""
    return t("Untitled session") if session_name == UNTITLED else session_name


def _shortened(text: str, length: int = 28) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _plain(text: str) -> str:
    """Text that Streamlit's labels show as it is: no markdown."""
    return "".join("\\" + each if each in "\\`*_{}[]()#+-.!|~<>$:^" else each for each in text)
