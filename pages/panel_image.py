"""Image: the record of the chosen image, with its pixels where there are some."""

from __future__ import annotations

import html
from urllib.parse import quote

import streamlit as st

from copilot.server.files import quicklook_file
from copilot.session import Session
from copilot.view.panels import Picture, picture_in_front
from copilot.view.records import Record, image_record


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
            "No image is chosen. Click one on the map, or a row of the results.",
            icon=":material/image_search:",
        )
        if any(each.kind == "raster" for each in session.state.artifacts):
            st.page_link(
                st.session_state["pages"]["imagery"],
                label="Look at the session's own images",
                icon=":material/satellite_alt:",
                query_params={"session": session.id},
            )
        return
    for place, (image_id, record) in zip(st.columns(len(records)), records, strict=True):
        with place:
            if record is None:
                st.warning("This image is no longer in the catalogue.")
            else:
                if len(records) == 2:
                    st.caption("Before" if image_id == wanted[0] else "After")
                _record(session, record, narrow=len(records) == 2)


def _picture(session: Session, shown: Picture) -> None:
    """The image with what was found in it, in its own grid: it has no coordinates, and no map can show it."""
    with st.container(key="picture", gap=None):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="picture_top"):
            name = html.escape(shown.name)
            st.html(
                f"<p class='az-picture-name' title='{name}'><b>{name}</b> It has no coordinates, so it is "
                "shown here and not on the map.</p>",
                width="stretch",
            )
            st.page_link(
                st.session_state["pages"]["imagery"],
                label="Open on the Imagery page",
                icon=":material/satellite_alt:",
                query_params={"session": session.id, "image": shown.handle},
                width="content",
            )
        address = f"/api/sessions/{session.id}/viewer?image={quote(shown.handle, safe='')}"
        st.iframe(address, height=400, alt=f"The image {shown.name}")


def _record(session: Session, record: Record, narrow: bool) -> None:
    left, right = st.columns([1, 1] if narrow else [1, 2.2], gap="medium")
    with left:
        path = quicklook_file(session.engine.catalogue_root, session.catalogue, record.image_id)
        if path is not None:
            st.image(str(path), width="stretch")
        else:
            why = (
                "Sample: no pixels. The record is generated."
                if record.origin == "sample"
                else "This image was ingested without pixels."
            )
            st.html(f'<div class="az-no-pixels">{why}</div>')
    with right:
        st.html(record_html(record))


def record_html(record: Record) -> str:
    """The record as a description list; every value is escaped."""
    rows = "".join(
        f"<div><dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd></div>" for key, value in record.fields
    )
    counts = "".join(f"<li>{html.escape(name)} <b>{n:,}</b></li>" for name, n in record.class_counts[:40])
    badge = '<span class="az-badge">sample</span>' if record.origin == "sample" else ""
    classes = f"<h3>Objects and classes</h3><ul class='az-classes'>{counts}</ul>" if counts else ""
    title = f"<h2>{html.escape(record.title)} {badge}</h2>"
    return f"<section class='az-record'>{title}<dl>{rows}</dl>{classes}</section>"
