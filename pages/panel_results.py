"""Results and Figure: rows of the selection or of a table, files, and the figure."""

from __future__ import annotations

import json

import streamlit as st

from copilot.messages import t, tn
from copilot.session import Session
from copilot.view.records import COLUMN_TITLES, COLUMNS, table_page
from copilot.view.rendered import THUMBNAIL_ROW_PX, THUMBNAILS, THUMBNAILS_SAID, with_thumbnails
from pages import panel_table
from pages.downloads import artifact_url, menu
from pages.header import _plain
from pages.here import act, offer
from tools.selection import holds_sample


def show(session: Session) -> None:
    """Draw the results."""
    _files(session)
    table = session.state.ui.table
    artifact = session.state.artifact(table) if table else None
    if artifact is not None:
        panel_table.show(session, artifact)
    elif not session.state.database.loaded and panel_table.show_own(session):
        _own_images(session)
    elif not session.state.database.loaded:
        there = [each.name for each in session.catalogue.datasets()]
        said = (
            t(
                "No data set is loaded. Ask for one, such as “load {name}”, or open the Data page.",
                name=there[0],
            )
            if there
            else t("No data set is loaded. The catalogue has none yet: see the Data page.")
        )
        st.info(_plain(said), icon=":material/database:")
        with st.container(horizontal=True, vertical_alignment="center", key="empty_results"):
            if there:
                offer(session, f"load {there[0]}")
            st.page_link(
                st.session_state["pages"]["data"],
                label=t("Open the Data page"),
                icon=":material/database:",
                query_params={"session": session.id},
                width="content",
            )
    elif session.state.database.count == 0:
        st.info(
            t("Nothing matches. Drop a part of the selection above the map, or ask for something wider."),
            icon=":material/search_off:",
        )
    else:
        _selection(session)


def _own_images(session: Session) -> None:
    if any(each.kind == "raster" for each in session.state.artifacts):
        st.page_link(
            st.session_state["pages"]["imagery"],
            label=t("Look at the session's own images"),
            icon=":material/satellite_alt:",
            query_params={"session": session.id},
        )


def _selection(session: Session) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        total = session.state.database.count
        pages = max(1, -(-total // 50))
        st.html(f'<span class="az-count">{tn("{n:,} image", "{n:,} images", total)}</span>', width="content")
        order_by = st.selectbox(
            t("Sort by"),
            ["", *COLUMNS],
            key="sort_by",
            format_func=lambda name: t(COLUMN_TITLES.get(name, name)) or t("sort by …"),
            label_visibility="collapsed",
            width=190,
        )
        down = st.toggle(t("descending"), key="sort_down", disabled=not order_by)
        page = (
            st.number_input(
                t("Page"), 1, pages, 1, key="page_number", label_visibility="collapsed", width=120
            )
            if pages > 1
            else 1
        )
        if pages > 1:
            st.html(f'<span class="az-count">{t("of {pages:,} pages", pages=pages)}</span>', width="content")
        _export_buttons(session)
    found = table_page(
        session.state, session.catalogue, int(page) - 1, order_by or None, "desc" if down else "asc"
    )
    rows = found.rows
    shown = with_thumbnails(rows, session.catalogue).drop(columns=["image_id"])
    event = st.dataframe(
        shown.rename(columns={each: t(COLUMN_TITLES[each]) for each in COLUMN_TITLES}),
        column_config={THUMBNAILS: st.column_config.ImageColumn(help=THUMBNAILS_SAID, width="small")},
        row_height=THUMBNAIL_ROW_PX if THUMBNAILS in shown else None,
        key=f"rows-{session.id}-{found.number}", hide_index=True, on_select="rerun",
        selection_mode="single-row", height="stretch", width="stretch",
    )  # fmt: skip
    chosen = event.selection.rows
    if chosen and (image := str(rows["image_id"].iloc[chosen[0]])) != st.session_state.get("row_opened"):
        st.session_state["row_opened"] = image
        act("show_image", image=image)
        st.rerun()


def _export_buttons(session: Session) -> None:
    with st.popover(t("Export"), icon=":material/download:", help=t("Write the selection to a file")):
        if holds_sample(session.state, session.world()):
            st.caption(t("Sample data: the files say so."))
        for title, tool in (
            ("CSV", "export_csv"),
            ("GeoJSON", "export_geojson"),
            ("GeoParquet", "export_geoparquet"),
        ):
            st.button(title, key=f"do-{tool}", on_click=act, args=(tool,))


def _files(session: Session) -> None:
    documents = [each for each in reversed(session.state.artifacts) if each.kind == "document"]
    if not documents:
        return
    with st.container(horizontal=True, gap="small", key="files"):
        for each in documents[:4]:
            st.link_button(
                f"{_plain(each.name)} · {_plain(each.summary)}",
                artifact_url(session, each),
                icon=":material/download:",
                help=_plain(each.made_by),
            )


def show_figure(session: Session) -> None:
    """Draw the figure."""
    figure = session.state.ui.figure
    artifact = session.state.artifact(figure) if figure else None
    if artifact is None:
        st.info(
            t("No figure yet. Ask for one, such as “draw the images per year as bars”."),
            icon=":material/bar_chart:",
        )
        if session.state.database.loaded:
            offer(session, "draw the images per year as bars")
        return
    path = session.engine.artifacts(session.id).find(artifact.id)
    if path is None:
        st.warning(
            t("The file of this figure is gone; {made_by} makes it again.", made_by=_plain(artifact.made_by))
        )
        return
    menu(session, artifact, "download-figure")
    st.plotly_chart(
        json.loads(path.read_text(encoding="utf-8")),
        key=f"figure-{artifact.id}",
        width="stretch",
        height="stretch",
        config={"displaylogo": False},
    )
