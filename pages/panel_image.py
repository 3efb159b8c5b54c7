"""Image: the record of the chosen image, with its pixels where there are some."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import streamlit as st

from copilot.messages import t
from copilot.server.files import quicklook_file
from copilot.session import Session
from copilot.view.panels import Picture, picture_in_front
from copilot.view.records import Record, image_record
from copilot.view.rendered import Figure
from pages.here import act, offer


def show(session: Session) -> None:
    """Draw the record, two beside each other when they are compared, or the picture that has no place."""
    shown = picture_in_front(session.state, session.events, session.world())
    if shown is not None:
        _picture(session, shown)
        return
    ui, catalogue = session.state.ui, session.catalogue
    wanted = ui.compared or ((ui.selected_image,) if ui.selected_image else ())
    records = [(each, image_record(each, catalogue)) for each in wanted]
    if not records:
        st.info(
            t("No image is chosen. Click one on the map, or a row of the results."),
            icon=":material/image_search:",
        )
        if session.state.database.loaded:
            offer(session, "show the newest image")
        if any(each.kind == "raster" for each in session.state.artifacts):
            st.page_link(
                st.session_state["pages"]["imagery"],
                label=t("Look at the session's own images"),
                icon=":material/satellite_alt:",
                query_params={"session": session.id},
            )
        return
    for place, (image_id, record) in zip(st.columns(len(records)), records, strict=True):
        with place:
            if record is None:
                st.warning(t("This image is no longer in the catalogue."))
            else:
                if len(records) == 2:
                    st.caption(t("Before") if image_id == wanted[0] else t("After"))
                _record(session, record, narrow=len(records) == 2)


def _picture(session: Session, shown: Picture) -> None:
    """The image with what was found in it, in its own grid: it has no coordinates, and no map can show it."""
    with st.container(key="picture", gap=None):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="picture_top"):
            name = html.escape(shown.name)
            st.html(
                f"<p class='az-picture-name' title='{name}'><b>{name}</b> "
                f"{t('It has no coordinates, so it is shown here and not on the map.')}</p>",
                width="stretch",
            )
            st.page_link(
                st.session_state["pages"]["imagery"],
                label=t("Open on the Imagery page"),
                icon=":material/satellite_alt:",
                query_params={"session": session.id, "image": shown.handle},
                width="content",
            )
        address = f"/api/sessions/{session.id}/viewer?image={quote(shown.handle, safe='')}"
        st.iframe(address, height=400, alt=t("The image {name}", name=shown.name))


def _record(session: Session, record: Record, narrow: bool) -> None:
    path = quicklook_file(session.engine.catalogue_root, session.catalogue, record.image_id)
    shown = record.figures[:1] if narrow else record.figures
    left, right = st.columns([1, 1] if narrow else [len(shown) or 1, 2.2], gap="medium")
    with left:
        if path is not None:
            st.html(quicklook_html(record, path))
        elif shown:
            st.html(figures_html(shown))
            _ways_on(session, record)
        else:
            st.html(f"<div class='az-no-pixels'>{t('This image was ingested without pixels.')}</div>")
    with right:
        st.html(record_html(record))


def _ways_on(session: Session, record: Record) -> None:
    """The rendered scene as a raster of the session, or on the page where things are looked for."""
    with st.container(horizontal=True, gap="small"):
        st.button(
            t("Open as a raster"),
            key=f"open-{record.image_id}",
            icon=":material/layers:",
            help=t(
                "Puts the rendered scene on the map, at the record's own pixels: detections, "
                "segmentation and indices run on it, and say that it is rendered."
            ),
            on_click=act,
            args=("add_raster_layer",),
            kwargs={"image": record.image_id},
        )
        st.page_link(
            st.session_state["pages"]["imagery"],
            label=t("Find things in it"),
            icon=":material/satellite_alt:",
            query_params={"session": session.id, "image": record.image_id},
            width="content",
        )


def quicklook_html(record: Record, path: Path) -> str:
    """The image's own pixels at an address that stays, whatever the page draws between asking and answer."""
    address = f"/api/quicklooks/{quote(record.image_id)}?of={path.stat().st_mtime_ns}"
    return f"<img class='az-quicklook' src='{html.escape(address)}' alt='{html.escape(record.title)}'>"


def figures_html(shown: Sequence[Figure]) -> str:
    """Pictures beside each other with their captions; every value is escaped."""
    parts = "".join(
        f"<figure><img src='{html.escape(each.address)}' alt='{html.escape(each.alt)}' loading='lazy'>"
        f"<figcaption><span class='az-badge'>{t('rendered')}</span> {html.escape(each.caption)}</figcaption>"
        "</figure>"
        for each in shown
    )
    return f"<div class='az-figures'>{parts}</div>"


def record_html(record: Record) -> str:
    """The record as a description list; every value is escaped."""
    rows = "".join(
        f"<div><dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd></div>" for key, value in record.fields
    )
    counts = "".join(f"<li>{html.escape(name)} <b>{n:,}</b></li>" for name, n in record.class_counts[:40])
    badge = f"<span class='az-badge'>{t('sample')}</span>" if record.origin == "sample" else ""
    classes = f"<h3>{t('Objects and classes')}</h3><ul class='az-classes'>{counts}</ul>" if counts else ""
    title = f"<h2>{html.escape(record.title)} {badge}</h2>"
    return f"<section class='az-record'>{title}<dl>{rows}</dl>{classes}</section>"
