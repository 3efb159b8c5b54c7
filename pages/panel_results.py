"""Results and Figure: rows of the selection or of a table, files, and the figure."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from copilot.session import Session
from copilot.view.records import COLUMN_TITLES, COLUMNS, table_page
from pages.downloads import artifact_url, menu
from pages.header import _plain
from pages.here import act
from state.model import Artifact
from tools.selection import holds_sample
from tools.tables import without_outlines

MAX_TABLE_ROWS = 1000


def show(session: Session) -> None:
    """Draw the results."""
    _files(session)
    table = session.state.ui.table
    artifact = session.state.artifact(table) if table else None
    if artifact is not None:
        _table(session, artifact)
    elif not session.state.database.loaded:
        there = [each.name for each in session.catalogue.datasets()]
        ask = (
            f"Ask for one, such as “load {there[0]}”, or open" if there else "The catalogue has none yet: see"
        )
        st.info(f"No data set is loaded. {_plain(ask)} the Data page.", icon=":material/database:")
        if any(each.kind == "raster" for each in session.state.artifacts):
            st.page_link(
                st.session_state["pages"]["imagery"],
                label="Look at the session's own images",
                icon=":material/satellite_alt:",
                query_params={"session": session.id},
            )
    elif session.state.database.count == 0:
        st.info(
            "Nothing matches. Drop a part of the selection above the map, or ask for something wider.",
            icon=":material/search_off:",
        )
    else:
        _selection(session)


def _selection(session: Session) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        total = session.state.database.count
        pages = max(1, -(-total // 50))
        st.html(
            f'<span class="az-count">{total:,} {"image" if total == 1 else "images"}</span>', width="content"
        )
        order_by = st.selectbox(
            "Sort by",
            ["", *COLUMNS],
            key="sort_by",
            format_func=lambda name: COLUMN_TITLES.get(name, name) or "sort by …",
            label_visibility="collapsed",
            width=190,
        )
        down = st.toggle("descending", key="sort_down", disabled=not order_by)
        page = (
            st.number_input("Page", 1, pages, 1, key="page_number", label_visibility="collapsed", width=120)
            if pages > 1
            else 1
        )
        if pages > 1:
            st.html(f'<span class="az-count">of {pages:,} pages</span>', width="content")
        _export_buttons(session)
    found = table_page(
        session.state, session.catalogue, int(page) - 1, order_by or None, "desc" if down else "asc"
    )
    rows = found.rows
    event = st.dataframe(
        rows.drop(columns=["image_id"]).rename(columns=COLUMN_TITLES),
        key=f"rows-{session.id}-{found.number}", hide_index=True, on_select="rerun",
        selection_mode="single-row", height="stretch", width="stretch",
    )  # fmt: skip
    chosen = event.selection.rows
    if chosen and (image := str(rows["image_id"].iloc[chosen[0]])) != st.session_state.get("row_opened"):
        st.session_state["row_opened"] = image
        act("show_image", image=image)
        st.rerun()


def _export_buttons(session: Session) -> None:
    with st.popover("Export", icon=":material/download:", help="Write the selection to a file"):
        if holds_sample(session.state, session.world()):
            st.caption("Sample data: the files say so.")
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


def _table(session: Session, artifact: Artifact) -> None:
    path = session.engine.artifacts(session.id).find(artifact.id)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(f"{artifact.name} · {artifact.summary}", width="content")
        st.button(
            "Show the selection",
            key="to_selection",
            on_click=act,
            args=("show_table",),
            type="tertiary",
            icon=":material/arrow_back:",
        )
        menu(session, artifact, "download-table")
    if path is None:
        st.warning(f"The file of this table is gone; {_plain(artifact.made_by)} makes it again.")
        return
    frame = pd.read_parquet(path)
    st.dataframe(
        without_outlines(frame.head(MAX_TABLE_ROWS)), hide_index=True, height="stretch", width="stretch"
    )
    if len(frame) > MAX_TABLE_ROWS:
        st.caption(f"The first {MAX_TABLE_ROWS:,} of {len(frame):,} rows; the download has them all.")


def show_figure(session: Session) -> None:
    """Draw the figure."""
    figure = session.state.ui.figure
    artifact = session.state.artifact(figure) if figure else None
    if artifact is None:
        st.info(
            "No figure yet. Ask for one, such as “draw the images per year as bars”.",
            icon=":material/bar_chart:",
        )
        return
    path = session.engine.artifacts(session.id).find(artifact.id)
    if path is None:
        st.warning(f"The file of this figure is gone; {_plain(artifact.made_by)} makes it again.")
        return
    menu(session, artifact, "download-figure")
    st.plotly_chart(
        json.loads(path.read_text(encoding="utf-8")),
        key=f"figure-{artifact.id}",
        width="stretch",
        height="stretch",
        config={"displaylogo": False},
    )
