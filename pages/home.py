"""Chat and map: the page where the work is done."""

from __future__ import annotations

import html

import streamlit as st

from copilot.live import live
from copilot.messages import t
from copilot.session import Session
from copilot.view.chips import Chip, chips
from copilot.view.imagery import not_on_the_map
from pages.chat import show_chat
from pages.header import _plain, header
from pages.here import act, session
from pages.map import show_map
from pages.panels import show_panels


def show() -> None:
    """Draw the page."""
    current = session()
    # Before anything is drawn: what changes meanwhile is then newer than the page, and draws it again.
    version = live().version(current.id)
    header(current)
    left, right = st.columns([1, 2], gap="small", wrap=True)
    with left, st.container(key="left"):
        show_chat(current, version)
    with right, st.container(key="right", gap=None):
        _breadcrumb(current)
        show_map(current.id)
        show_panels(current)


def _breadcrumb(current: Session) -> None:
    with st.container(key="chips", horizontal=True, gap="xsmall", vertical_alignment="center", wrap=True):
        parts = chips(current.state)
        unseen = not_on_the_map(current.state, current.world())
        if unseen is not None:
            name, image = unseen
            st.page_link(
                st.session_state["pages"]["imagery"],
                label=_plain(t("Not on the map: {name}", name=name if len(name) <= 32 else name[:31] + "…")),
                icon=":material/satellite_alt:",
                query_params={"session": current.id, "image": image},
                width="content",
            )
        elif not parts:  # the line is always there, so that the map below does not jump
            st.html(f"<span class='az-hint'>{html.escape(_open_now(current))}</span>")
        for chip in parts:
            _chip(chip)
        _web_tabs(current)


def _open_now(current: Session) -> str:
    """What is there while no data set is loaded."""
    layers = current.state.map.layers
    own = [each.name for each in reversed(layers) if each.artifact]
    if own:
        named = ", ".join(name if len(name) <= 32 else name[:31] + "…" for name in own[:3])
        return t("Your own data: {names}", names=named if len(own) <= 3 else f"{named} …")
    if layers:
        return t("No data set is loaded yet: ask for a data set, a place, a time.")
    return t("Nothing is loaded yet: ask for a data set, a place, a time.")


def _web_tabs(current: Session) -> None:
    """The web tabs as links that open beside Azimuth, outside of it; the one in front has a frame."""
    for index, each in enumerate(current.state.ui.tabs):
        front = index == current.state.ui.active_tab
        title = each.title if len(each.title) <= 40 else each.title[:39] + "…"
        st.link_button(
            _plain(title),
            each.url,
            help=_plain(
                t("{url} (in front): opens in your browser", url=each.url)
                if front
                else t("{url}: opens in your browser", url=each.url)
            ),
            icon=":material/tab:" if front else ":material/open_in_new:",
            type="secondary" if front else "tertiary",
        )


def _chip(chip: Chip) -> None:
    text = chip.text if len(chip.text) <= 60 else chip.text[:59] + "…"
    if not chip.tool:
        with st.container(key="count", width="content"):
            st.badge(_plain(text), color="primary")
        return
    st.button(
        f"{_plain(text)} ✕",
        key=f"chip-{chip.part}-{chip.text}",
        help=t("Drop {text}", text=_plain(chip.text)),
        on_click=act,
        args=(chip.tool,),
        kwargs=dict(chip.args),
        type="secondary",
    )
