"""Knowledge: search what is known, read a source on its page, add documents, say who sees them."""

from __future__ import annotations

import html

import streamlit as st

from copilot.messages import t
from copilot.session import Session
from copilot.view.knowledge import cards_html, documents_of, found, listed, opened, opened_html, scopes
from data.knowledge.own import EVERYBODY, Document
from pages.header import _plain, header
from pages.here import act, session, tell
from pages.uploading import show_uploads
from tools.base import ToolError
from tools.knowledge.shared import base_of


def show() -> None:
    """Draw the page."""
    current = session()
    header(current)
    with st.container(key="prose"):
        st.html(f"<h2 class='az-title'>{t('Knowledge')}</h2>")
        if passage := st.query_params.get("passage"):
            _opened(current, passage)
        _search(current)
        _documents(current)


def _opened(current: Session, passage: str) -> None:
    """The passage of the address on its page."""
    with st.spinner(t("Opening the page …")):
        shown = opened(base_of(current.world()), passage)
    if shown is None:
        st.warning(t("That passage is not here: its document was taken out, or is not shared with you."))
        return
    with st.container(border=True, key="opened"):
        st.html(opened_html(shown))
        with st.container(horizontal=True):
            _turn(t("Page before"), shown.before)
            _turn(t("Page after"), shown.after)
            st.button(t("Close"), key="close_passage", on_click=_to, args=(None,), type="tertiary")


def _turn(label: str, passage: str | None) -> None:
    if passage is not None:
        st.button(label, key=f"turn-{label}", on_click=_to, args=(passage,))


def _to(passage: str | None) -> None:
    if passage is None:
        st.query_params.pop("passage", None)
    else:
        st.query_params["passage"] = passage


def _search(current: Session) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        question = st.text_input(
            t("Ask or search"),
            placeholder=t("What does backscatter below -20 dB mean?"),
            key="knowledge_question",
            max_chars=1000,
        )
        where = st.selectbox(
            t("In"), list(scopes()), format_func=scopes().get, key="knowledge_scope", width=220
        )
    if not question.strip():
        st.caption(
            t(
                "Answers are quotations with their sources, from what is written down about remote "
                "sensing, aircraft, ships and Azimuth, and from your documents. Anywhere in Azimuth, "
                "select a word or a number and press **Explain this**. Nothing leaves this machine."
            )
        )
        return
    try:
        with st.spinner(t("Looking it up …")):
            said = found(current.world(), question, where)
    except ToolError as error:
        st.info(str(error))
        return
    st.html(f"<p class='az-answer' role='status'>{html.escape(said.answer)}</p>")
    st.html(cards_html(said.cards, current.id))
    if said.others:
        with st.expander(t("{others} other passages", others=len(said.others)), expanded=not said.said):
            st.html(cards_html(said.others, current.id))


def _documents(current: Session) -> None:
    mine, others = documents_of(current.world())
    st.html(f"<h3 class='az-category'>{t('Your documents')}</h3>")
    st.caption(
        t(
            "PDF, Word, HTML, Markdown, text and notebooks. Only you see them until you share them. "
            "What they say is quoted and never obeyed."
        )
    )
    show_uploads(current, key="knowledge")
    _of_session(current, {each.name for each in mine})
    for each in mine:
        _document(each)
    if not mine:
        st.caption(t("None yet."))
    if others:
        st.html(f"<h3 class='az-category'>{t('Shared with you')}</h3>")
        for each in others:
            st.html(
                f"<section class='az-record'><h3>{html.escape(each.name)}</h3><p>{listed(each)}</p></section>"
            )


def _of_session(current: Session, there: set[str]) -> None:
    """The session's documents, which can be taken into the knowledge base."""
    for each in current.state.artifacts:
        if each.kind != "document" or any(name.startswith(each.name) for name in there):
            continue
        st.button(
            t("Add {name} to the knowledge base", name=_plain(each.name)),
            key=f"learn-{each.id}",
            icon=":material/library_add:",
            on_click=_add,
            args=(each.id,),
        )


def _add(document: str) -> None:
    event = act("knowledge_add", document=document)
    if event is not None and event.ok:
        tell(event.text)


def _document(each: Document) -> None:
    with st.container(border=True, key=f"document-{each.id}"):
        st.html(
            f"<section class='az-record'><h3>{html.escape(each.name)}</h3><p>{listed(each)}</p></section>"
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            everybody = EVERYBODY in each.shared
            people = st.text_input(
                t("Also seen by (ids of people, with commas)"),
                value=", ".join(one for one in each.shared if one != EVERYBODY),
                key=f"people-{each.id}",
                disabled=everybody,
            )
            wanted = st.checkbox(t("Everybody"), value=everybody, key=f"everybody-{each.id}")
            names = [one.strip() for one in people.split(",") if one.strip()]
            st.button(
                t("Set who sees it"),
                key=f"share-{each.id}",
                on_click=act,
                args=("knowledge_share",),
                kwargs={"name": each.id, "people": [EVERYBODY] if wanted else names},
            )
            st.button(
                t("Remove"),
                key=f"remove-{each.id}",
                icon=":material/delete:",
                on_click=act,
                args=("knowledge_remove",),
                kwargs={"name": each.id},
            )
