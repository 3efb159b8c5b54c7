"""Imagery: one image of the session with its bands and facts, the tools that fit it, and what was found."""

from __future__ import annotations

import html
from typing import Any
from urllib.parse import quote

import streamlit as st

from copilot.live import Refused, live
from copilot.session import Session
from copilot.view.imagery import (
    About,
    Choice,
    Field,
    Fitting,
    about,
    choices,
    fitting,
    last_result,
    statistics,
    swipe_partners,
)
from pages.downloads import menu
from pages.header import _plain, header
from pages.here import act, open_panel, session, tell
from pages.look import asset
from pages.panels import PANELS
from pages.reviewing import chosen_detections, opened_detection, show_review
from pages.uploading import show_uploads
from tools.base import ToolError

_follow = st.components.v2.component("azimuth_follow", js=asset("follow.js"), isolate_styles=False)


def show() -> None:
    """Draw the page."""
    current = session()
    header(current)
    world = current.world()
    with st.container(key="imagery"):
        there = choices(current.state, world)
        handle = _top(current, there)
        if handle is None:
            _follow_changes(current, None)
            _nothing_yet()
            return
        try:
            known = about(current.state, world, handle)
        except ToolError as error:
            st.warning(_plain(str(error)), icon=":material/broken_image:")
            return
        detections = chosen_detections(current, handle)
        left, right = st.columns([2.3, 1], gap="medium", wrap=True)
        with left, st.container(key="viewer"):
            address = f"/api/sessions/{current.id}/viewer?image={quote(handle, safe='')}"
            st.iframe(address, height=560, alt=f"The image {known.name}")
        with right, st.container(key="image_side", gap="small"):
            _result(current)
            _facts(known)
            _tools(current, handle, known, there)
            _compare(current, handle)
        tabs = st.tabs(["Detections", "Bands", "Jobs"])
        with tabs[0]:
            show_review(current, detections, handle)
        with tabs[1]:
            _bands(current, handle)
        with tabs[2], st.container(key="image_jobs"):
            PANELS["Jobs"](current)
        _follow_changes(current, None if detections is None else detections.id)


def _follow_changes(current: Session, shown: str | None) -> None:
    """Draw the page anew when something has changed, and tell the picture what was chosen beside it."""
    number, wanted = opened_detection(current)
    data: dict[str, Any] = {
        "session": current.id,
        "version": live().version(current.id),
        "show": shown,
        "open": None if wanted is None else list(wanted),
        "number": number,
    }
    with st.container(key="follow"):
        _follow(key=f"follow-{current.id}", data=data, on_version_change=lambda: None)


def _top(current: Session, there: list[Choice]) -> str | None:
    """Draw the line above the image; the handle of the one that is shown."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="image_top"):
        st.html("<h2 class='az-title'>Imagery</h2>", width="content")
        handle = _choice(current, there) if there else None
        if handle is not None and (found := current.state.artifact(handle)) is not None:
            menu(current, found, "download-image")
        with st.container(key="attach_image", width="content"):
            show_uploads(current, key="brought", compact=True)
    return handle


def _choice(current: Session, there: list[Choice]) -> str:
    key = f"image-{current.id}"
    handles = [each.handle for each in there]
    names = {each.handle: each.name for each in there}
    # What was just brought in is what one wants to see; what a tool made does not push itself forward.
    newest = next((each.handle for each in there if each.uploaded), None)
    if newest != st.session_state.get(f"newest-{key}") and newest is not None:
        st.session_state[f"newest-{key}"] = st.session_state[key] = newest
    if st.session_state.get(key) not in handles:
        st.session_state[key] = handles[0]
    if wanted := st.session_state.pop("image_wanted", None):
        st.session_state[key] = wanted if wanted in handles else st.session_state[key]
    chosen = st.selectbox(
        "Image",
        handles,
        key=key,
        format_func=lambda each: names.get(each, each),
        label_visibility="collapsed",
        width=420,
    )
    return str(chosen)


def _nothing_yet() -> None:
    st.info(
        "No image yet. Add a file above, or drop one anywhere on this page: a GeoTIFF, a Sentinel product, a "
        "photograph. Then find ships, buildings, water or changes in it with one click, and review what was "
        "found.",
        icon=":material/satellite_alt:",
    )


# -- beside the image ------------------------------------------------------------------------------


def _result(current: Session) -> None:
    """What runs, else what the last tool said."""
    running = live().running(current.id)
    if running is not None:
        words = running if " " in running else running.replace("_", " ")
        shown = words if len(words) < 60 else f"{words[:59]}…"
        st.info(f"Running: {_plain(shown)} …", icon=":material/hourglass_top:")
        return
    if problem := live().problem(current.id):
        st.error(_plain(problem), icon=":material/error:")
        return
    said = last_result(current.events, current.engine.toolbox)
    if said is not None:
        icon = ":material/task_alt:" if said.ok else ":material/error:"
        with st.container(key="image_said"):
            (st.success if said.ok else st.warning)(_plain(said.text[:700]), icon=icon)


def _tools(current: Session, handle: str, known: About, there: list[Choice]) -> None:
    found = fitting(current.engine.toolbox, known.modality)
    busy = live().running(current.id) is not None
    st.html("<h3 class='az-category'>Tools that fit it</h3>")
    if not found:
        st.caption("No vision tool is there for such an image.")
        return
    with st.container(horizontal=True, gap="xsmall", key="image_tools", wrap=True):
        for each in found:
            if each.fields:
                _asking(current, handle, each, there, busy)
            else:
                st.button(
                    each.title,
                    key=f"run-{each.tool.name}",
                    help=_plain(each.tool.summary),
                    disabled=busy,
                    on_click=_run,
                    args=(current.id, each.tool.name, {each.argument: handle}),
                )


def _asking(current: Session, handle: str, each: Fitting, there: list[Choice], busy: bool) -> None:
    """A tool that needs more than the image: what it is missing is asked for."""
    with (
        st.popover(
            f"{each.title} …", help=_plain(each.tool.summary), disabled=busy, key=f"ask-{each.tool.name}"
        ),
        st.form(f"form-{each.tool.name}", border=False),
    ):
        st.caption(_plain(each.tool.summary))
        values = {field.name: _asked(each, field, handle, there) for field in each.fields}
        if st.form_submit_button("Run", type="primary", icon=":material/play_arrow:"):
            if all(values.values()):
                _run(current.id, each.tool.name, {each.argument: handle, **values})
                st.rerun()
            else:
                st.warning("Fill in every field first.")


def _asked(each: Fitting, field: Field, handle: str, there: list[Choice]) -> str | None:
    label = field.name.replace("_", " ").capitalize()
    key = f"field-{each.tool.name}-{field.name}"
    if not field.image:
        return st.text_input(label, key=key, max_chars=500, help=_plain(field.about) or None)
    names = {each.handle: each.name for each in there if each.handle != handle}
    if not names:
        st.caption("It needs a second image; add one first.")
        return None
    return str(
        st.selectbox(
            label, list(names), key=key, format_func=lambda one: names[one], help=_plain(field.about) or None
        )
    )


def _run(session_id: str, tool: str, args: dict[str, Any]) -> None:
    try:
        live().call(session_id, tool, args)
    except Refused as refused:
        tell(str(refused))


def _facts(known: About) -> None:
    rows = "".join(
        f"<div><dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd></div>" for key, value in known.facts
    )
    why = html.escape(" ".join(known.reasons[:2]))
    st.html(f"<section class='az-record' title=\"{why}\"><dl class='az-facts'>{rows}</dl></section>")


def _compare(current: Session, handle: str) -> None:
    """A swipe of this image and another, on the map."""
    own, others = swipe_partners(current.state, handle)
    if own is None or not others:
        return
    names = dict(others)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="compare"):
        other = st.selectbox(
            "Swipe against", list(names), format_func=lambda each: names.get(each, each), key=f"swipe-{own}"
        )
        if st.button("Swipe", icon=":material/swipe:", help="Before and after, on the map", key="swipe_go"):
            event = act("swipe_layers", left=other, right=own)
            if event is not None and event.ok:
                act("fit_layer", layer=own)
                open_panel("Layers")
                st.switch_page(st.session_state["pages"]["home"], query_params={"session": current.id})


def _bands(current: Session, handle: str) -> None:
    try:
        frame, of = statistics(current.state, current.world(), handle)
    except ToolError as error:
        st.warning(_plain(str(error)))
        return
    st.dataframe(frame, hide_index=True, width="stretch", height=min(35 * len(frame) + 38, 320))
    st.caption(f"In the values as they are stored, {of}.")
