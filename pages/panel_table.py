"""The attribute table of what is open: rows to sort and to narrow, columns, and the row picked on the map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from copilot.messages import number, t, tn
from copilot.session import Session
from copilot.view.attributes import MOST_ROWS, Narrowing, Opened, choices_of, narrowed, opened, statistics
from pages.downloads import menu
from pages.header import _plain
from pages.here import act
from state.model import Artifact
from tools.artifacts import FEATURES

ICONS = {
    "table": ":material/table:",
    "vector": ":material/polyline:",
    "detections": ":material/frame_inspect:",
    "raster": ":material/satellite_alt:",
}
MOST_OWN = 8


def show(session: Session, artifact: Artifact) -> None:
    """Draw a table or the attributes of features."""
    found = opened(session.state, session.world(), artifact)
    if found is None:
        _head(session, artifact, None)
        st.warning(
            t("The file of this table is gone; {made_by} makes it again.", made_by=_plain(artifact.made_by))
        )
        return
    by = _head(session, artifact, found)
    if by is None:
        st.dataframe(
            statistics(found.rows), hide_index=True, placeholder="–", height="stretch", width="stretch"
        )
        return
    rows = narrowed(found.rows, by)
    if found.layer is None:
        st.dataframe(rows.head(MOST_ROWS), hide_index=True, height="stretch", width="stretch")
    else:
        _rows(found, rows, by)
    if len(rows) > MOST_ROWS:
        st.caption(
            t(
                "The first {MAX_TABLE_ROWS:,} of {frame:,} rows; the download has them all.",
                MAX_TABLE_ROWS=MOST_ROWS,
                frame=len(rows),
            )
        )


def _head(session: Session, artifact: Artifact, found: Opened | None) -> Narrowing | None:
    """What is open, what of it, and where else to go; None where its columns are shown in place of rows."""
    by: Narrowing | None = Narrowing()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="table_head"):
        named = artifact.name if found is None or found.layer is None else found.layer.name
        facts = [artifact.summary] if found is None else [tn("{n:,} row", "{n:,} rows", len(found.rows))]
        facts += [found.crs] if found is not None and found.crs else []
        st.markdown(f"**{_plain(named)}** :gray[{_plain(' · '.join(facts))}]", width="content")
        if found is not None:
            columns = st.toggle(
                t("Columns"), key=f"columns-{artifact.id}", help=t("Type, gaps and range of each column")
            )
            by = None if columns else _narrowing(found)
        if artifact.kind == "vector" and found is not None and found.layer is None:
            st.button(
                t("Show on the map"),
                key="table_to_map",
                icon=":material/map:",
                type="tertiary",
                on_click=act,
                args=("add_vector_layer",),
                kwargs={"artifact": artifact.id},
            )
        st.button(
            t("Show the selection") if session.state.database.loaded else t("All that is open"),
            key="to_selection",
            on_click=act,
            args=("show_table",),
            type="tertiary",
            icon=":material/arrow_back:",
        )
        menu(session, artifact, "download-table")
    return by


def _narrowing(found: Opened) -> Narrowing:
    """What the rows are narrowed by, chosen above them: a view of the table, which changes nothing."""
    column, by = _chosen(found, t("Filter by a column"), "by", t("filter by …")), Narrowing()
    if column is not None:
        by = _values(found.rows[column], column, f"{found.artifact.id}-{column}")
    if len(found.rows) <= MOST_ROWS:
        return by  # the table itself sorts what it has, by a click on a column's name
    order = _chosen(found, t("Sort by"), "order", t("sort by …"))
    down = st.toggle(t("descending"), key=f"down-{found.artifact.id}", disabled=order is None)
    return replace(by, sort_by=order, descending=down)


def _chosen(found: Opened, label: str, use: str, placeholder: str) -> str | None:
    """A column of the table, in a list of them."""
    return st.selectbox(
        label,
        [str(each) for each in found.rows.columns],
        index=None,
        key=f"{use}-{found.artifact.id}",
        placeholder=placeholder,
        label_visibility="collapsed",
        width=170,
    )


def _values(values: pd.Series[Any], column: str, key: str) -> Narrowing:
    """What is kept of a column: some of its few values, a range of its numbers, or what has some letters."""
    choices = choices_of(values)
    if isinstance(choices, list):
        kept = st.multiselect(
            t("Values of {name}", name=column),
            choices,
            key=f"values-{key}",
            placeholder=t("any value"),
            label_visibility="collapsed",
            width=200,
        )
        return Narrowing(column, tuple(kept))
    if choices is not None:
        least, most = st.slider(
            t("Values of {name}", name=column),
            *choices,
            value=choices,
            key=f"range-{key}",
            label_visibility="collapsed",
            width=200,
        )
        return Narrowing(column, least=least, most=most) if (least, most) != choices else Narrowing()
    words = st.text_input(
        t("Letters in {name}", name=column),
        key=f"words-{key}",
        placeholder=t("has the letters …"),
        label_visibility="collapsed",
        width=220,
    )
    return Narrowing(column, words=words.strip())


@dataclass(frozen=True)
class _Shown:
    """What the rows were drawn with: `turn` is another table for the browser, which forgets where it was."""

    picked: int | None
    by: Narrowing
    turn: int = 0
    first: int | None = None
    """The row that was picked elsewhere, on the map or in the chat: it comes first, to be in sight."""
    told: int | None = None
    """The number of the row that this table says is picked."""


def _rows(found: Opened, rows: pd.DataFrame, by: Narrowing) -> None:
    """Rows of which one can be picked: the map goes to it. One that is picked on the map is marked here."""
    memory: dict[str, _Shown] = st.session_state.setdefault("rows_shown", {})
    key, picked = found.artifact.id, found.picked
    was = memory.get(key)
    if was is None or (was.picked, was.by) != (picked, by):
        there = picked if picked in rows.index else None
        was = memory[key] = _Shown(picked, by, was.turn + 1 if was else 0, there, there)
    shown = rows.head(MOST_ROWS)
    if was.first is not None:
        shown = pd.concat([rows.loc[[was.first]], shown.drop(was.first, errors="ignore")])
    event = st.dataframe(
        shown,
        key=f"attributes-{key}-{was.turn}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        selection_default=None if was.first is None else {"selection": {"rows": [0]}},
        height="stretch",
        width="stretch",
    )
    chosen = event.selection.rows
    row = int(shown.index[chosen[0]]) if chosen and chosen[0] < len(shown) else None
    if row == was.told or found.layer is None:
        return
    memory[key] = replace(was, picked=row, told=row)
    if row is None:
        act("show_table", table=key)
    else:
        act("fit_layer", layer=found.layer.id, row=row)
    st.rerun()


def show_own(session: Session) -> bool:
    """The session's own files and results, newest first, with their tables; False where there are none."""
    kinds = (*FEATURES, "table", "raster")
    own = [each for each in reversed(session.state.artifacts) if each.kind in kinds]
    for each in own[:MOST_OWN]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"own-{each.id}"):
            st.markdown(
                f"{ICONS[each.kind]} {_plain(each.name)} :gray[{_plain(each.summary)}]", width="stretch"
            )
            open_button(each, f"open-{each.id}")
            menu(session, each, f"download-own-{each.id}")
    if len(own) > MOST_OWN:
        st.caption(t("{more} more on the Data page.", more=number(len(own) - MOST_OWN)))
    return bool(own)


def open_button(artifact: Artifact, key: str) -> None:
    """What opens the rows of a table or of features."""
    if artifact.kind in ("table", *FEATURES):
        st.button(
            t("Open the table"),
            key=key,
            icon=":material/table:",
            help=t("Open the table of {name}", name=_plain(artifact.name)),
            type="tertiary",
            on_click=act,
            args=("show_table",),
            kwargs={"table": artifact.id},
        )
