"""Data: what is in the catalogue, and how to add to it."""

from __future__ import annotations

import html

import streamlit as st

from copilot.live import live
from copilot.messages import t
from copilot.server.uploads import max_upload_bytes
from copilot.session import Session
from copilot.view.catalogue import DatasetCard, dataset_card
from pages.header import header
from pages.here import act, session, wish, wished
from pages.own_data import show_own_data
from pages.sampling import show_sample
from pages.uploading import show_uploads
from tools.outside import FOLDERS_VARIABLE

SAID = "ingest_said"
"""Where the browser's tab keeps what its last ingest came to: (kind of box, text)."""


def show() -> None:
    """Draw the page."""
    current = session()
    version = live().version(current.id)  # before anything is drawn: what changes meanwhile draws it again
    header(current)
    with st.container(key="prose"):
        st.html(f"<h2 class='az-title'>{t('Data')}</h2>")
        _add(current)
        show_own_data(current, version)
        cards = [dataset_card(each) for each in current.catalogue.datasets()]
        for broken in current.catalogue.set_aside():
            st.warning(broken.sentence, icon=":material/warning:")
        _summary(cards)
        if not cards:
            show_sample(current)
        loaded = current.state.database.loaded
        for card in cards:
            _card(card, card.name in loaded)


def _summary(cards: list[DatasetCard]) -> None:
    if any(card.sample for card in cards):
        st.caption(
            t(
                "The data sets marked as a sample have the published sizes and class lists, but "
                "generated positions, dates and labels. Their pictures are rendered from the records and "
                "are no imagery. Do not draw conclusions about the world from them."
            )
        )


def _card(card: DatasetCard, loaded: bool) -> None:
    with st.container(border=True, key=f"dataset-{card.name}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(dataset_html(card), width="stretch")
            if loaded:
                st.button(
                    t("Unload"),
                    key=f"unload-{card.name}",
                    on_click=act,
                    args=("db_unload",),
                    kwargs={"names": [card.name]},
                )
            else:
                st.button(
                    t("Load"),
                    key=f"load-{card.name}",
                    on_click=act,
                    args=("db_load",),
                    kwargs={"names": [card.name]},
                    type="primary",
                )
        if card.classes:
            with st.expander(t("{classes} classes", classes=len(card.classes))):
                st.text(", ".join(card.classes))


def dataset_html(card: DatasetCard) -> str:
    """A data set as markup; every value is escaped."""
    badge = (
        f"<span class='az-badge'>{t('sample')}</span>"
        if card.sample
        else f"<span class='az-badge az-real'>{t('ingested')}</span>"
    )
    facts = "".join(
        f"<div><dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd></div>" for key, value in card.facts
    )
    return (
        f"<section class='az-record'><h3>{html.escape(card.title)} "
        f"<code>{html.escape(card.name)}</code> {badge}</h3>"
        f"<p>{html.escape(card.description)}</p><dl>{facts}</dl></section>"
    )


def _add(current: Session) -> None:
    with st.expander(t("Add your own data"), icon=":material/add_circle:"):
        st.caption(
            t(
                "Rasters, GeoJSON, GeoParquet, shapefiles, CSV with coordinates, STAC, COCO, DOTA, and "
                "the annotation files of the seven data sets. What you add is yours: other people who "
                "open this Azimuth do not see it. Nothing leaves this machine."
            )
        )
        st.caption(
            t(
                "Upload files of up to {max_upload_bytes:g} GB each, or drop them on this page: each is "
                "added to the session and shown on its map, and can become a data set too.",
                max_upload_bytes=max_upload_bytes() / 1000000000.0,
            )
        )
        chosen = show_uploads(current, key="upload", ingest=True)
        if chosen is not None:
            _ingest(chosen, "")
        _from_folders(list(live().engine.reach.folders))
        _said()


def _from_folders(folders: list[str]) -> None:
    """The way to what lies in the operator's folders, by its name there; else how to open some."""
    if not folders:
        st.caption(
            t(
                "Large folders are not uploaded: whoever runs Azimuth can open some "
                "(`{FOLDERS_VARIABLE}`), or ingest them with `copilot data ingest`.",
                FOLDERS_VARIABLE=FOLDERS_VARIABLE,
            )
        )
        return
    names = ", ".join(f"`{each}/…`" for each in folders)
    st.caption(
        t("Or name a file or a folder in those that whoever runs Azimuth has opened: {names}.", names=names)
    )
    with st.form("ingest", border=False):
        path = st.text_input(t("File or folder"), placeholder=f"{folders[0]}/2024", key="ingest_path")
        name = st.text_input(t("Name of the data set (optional)"), key="ingest_name", max_chars=60)
        st.form_submit_button(t("Ingest"), type="primary", on_click=wish, args=("ingest",))
        if wished("ingest"):
            _ingest(path, name)


def _ingest(path: str, name: str) -> None:
    if not path.strip():
        st.session_state[SAID] = "warning", t("Name a folder or a file first.")
        return
    with st.spinner(t("Reading the files …")):
        event = act("db_ingest", path=path.strip(), **({"name": name.strip()} if name.strip() else {}))
    if event is not None:
        text = event.text.replace("[", "\\[").replace("*", "\\*").replace("_", "\\_")
        st.session_state[SAID] = "success" if event.ok else "error", text


def _said() -> None:
    """What the last ingest came to. It stays: whatever happens in the session lets the page run again."""
    kind, text = st.session_state.get(SAID, ("", ""))
    if kind:
        {"success": st.success, "warning": st.warning, "error": st.error}[kind](text)
