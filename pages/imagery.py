"""Imagery: one image of the session with its bands and facts, the tools that fit it, and what was found."""

from __future__ import annotations

import html
from typing import Any
from urllib.parse import quote

import streamlit as st

from copilot.live import Refused, live
from copilot.messages import t
from copilot.session import Session
from copilot.view.imagery import (
    About,
    Choice,
    Field,
    Fitting,
    about,
    by_time,
    choices,
    fitting,
    last_result,
    made_by,
    same_grid,
    statistics,
    swipe_partners,
)
from pages.downloads import menu
from pages.header import _plain, header
from pages.here import act, noticed, session, tell, to_map, wish, wished
from pages.look import asset
from pages.panel_jobs import EVERY_S
from pages.panels import PANELS
from pages.reviewing import chosen_detections, opened_detection, show_review
from pages.uploading import show_uploads
from tools.base import ToolError

_follow = st.components.v2.component("azimuth_follow", js=asset("follow.js"), isolate_styles=False)


def show() -> None:
    """Draw the page."""
    current = session()
    # Before anything is drawn: what changes meanwhile is then newer than the page, and draws it again.
    version = live().version(current.id)
    header(current)
    world = current.world()
    with st.container(key="imagery"):
        there = choices(current.state, world)
        handle = _top(current, there)
        if handle is None:
            _follow_changes(current, version, None)
            _nothing_yet()
            return
        try:
            known = about(current.state, world, handle)
        except ToolError as error:
            st.warning(_plain(str(error)), icon=":material/broken_image:")
            return
        detections = chosen_detections(current, handle)
        left, right = st.columns([2.3, 1], gap="medium", wrap=True)
        # First what is said: that of the image before is gone before this one shows, however long it takes.
        with right, st.container(key="image_side", gap="small"):
            with st.container(key="image_said", gap="xsmall"):
                _result(current, handle, known.name)
            side = st.container(key="image_about", gap="small")
        with left, st.container(key="viewer"):
            address = f"/api/sessions/{current.id}/viewer?image={quote(handle, safe='')}"
            st.iframe(address, height=560, alt=t("The image {name}", name=known.name))
        with side:
            _facts(known)
            against = _compare(current, handle, there)
            _tools(current, handle, known, there)
        tabs = st.tabs(["Detections", "Bands", "Jobs"])
        with tabs[0]:
            show_review(current, detections, handle)
        with tabs[1]:
            _bands(current, handle)
        with tabs[2], st.container(key="image_jobs"):
            PANELS["Jobs"](current)
        _follow_changes(current, version, None if detections is None else detections.id, against)


def _follow_changes(current: Session, version: str, shown: str | None, against: str | None = None) -> None:
    """Draw the page anew when something has changed, and tell the picture what was chosen beside it."""
    number, wanted = opened_detection(current)
    data: dict[str, Any] = {
        "session": current.id,
        "version": version,
        "show": shown,
        "open": None if wanted is None else list(wanted),
        "number": number,
        "against": against,
    }
    with st.container(key="follow"):
        _follow(key=f"follow-{current.id}", data=data, on_version_change=noticed)


def _top(current: Session, there: list[Choice]) -> str | None:
    """Draw the line above the image; the handle of the one that is shown."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="image_top"):
        st.html(f"<h2 class='az-title'>{t('Imagery')}</h2>", width="content")
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
    asked = st.query_params.get("image")
    if newest != st.session_state.get(f"newest-{key}") and newest is not None:
        reloaded = f"newest-{key}" not in st.session_state and asked in handles
        st.session_state[f"newest-{key}"] = newest
        st.session_state[key] = asked if reloaded else newest
    if st.session_state.get(key) not in handles:
        st.session_state[key] = handles[0]
    if wanted := st.session_state.pop("image_wanted", None):
        st.session_state[key] = wanted if wanted in handles else st.session_state[key]
    chosen = st.selectbox(
        t("Image"),
        handles,
        key=key,
        format_func=lambda each: names.get(each, each),
        label_visibility="collapsed",
        width=420,
    )
    if asked != chosen:
        st.query_params["image"] = str(chosen)
    return str(chosen)


def _nothing_yet() -> None:
    st.info(
        t(
            "No image yet. Add a file above, or drop one anywhere on this page: a GeoTIFF, a "
            "Sentinel product, a photograph. Then find ships, buildings, water or changes in it with "
            "one click, and review what was found."
        ),
        icon=":material/satellite_alt:",
    )


# -- beside the image ------------------------------------------------------------------------------


def _result(current: Session, handle: str, name: str) -> None:
    """What runs, else what the last tool on this image said, and where to see what it made.

    Both places are emptied at once: what a run of the page does not draw anew stays until its end.
    """
    box, ways = st.empty(), st.empty()
    if live().running(current.id) is not None:
        with box.container():
            st.fragment(_running, run_every=EVERY_S)(current.id)
        return
    if problem := live().problem(current.id):
        box.error(_plain(problem), icon=":material/error:")
        return
    said = last_result(current.events, current.engine.toolbox, handle, name)
    if said is None:
        return
    icon = ":material/task_alt:" if said.ok else ":material/error:"
    (box.success if said.ok else box.warning)(_plain(said.text[:700]), icon=icon)
    raster, layer = made_by(said, current.state)
    if layer is None and raster in (None, handle):
        return
    with ways.container(horizontal=True, gap="xsmall", key="image_results"):
        if raster is not None and raster != handle:
            st.button(
                t("Look at the result"),
                icon=":material/visibility:",
                on_click=_look_at,
                args=(current.id, raster),
                key="look_result",
            )
        if layer is not None:
            st.button(
                t("See it on the map"),
                icon=":material/map:",
                key="map_result",
                on_click=wish,
                args=("map_result",),
            )
            if wished("map_result"):
                act("fit_layer", layer=layer)
                to_map(current.id, "Layers")


def _running(session_id: str) -> None:
    """What runs, how far it is, and the way to stop it."""
    running = live().running(session_id)
    if running is None:  # it has just ended; the page is about to be drawn anew
        return
    words = running if " " in running else running.replace("_", " ")
    shown = words if len(words) < 60 else f"{words[:59]}…"
    stopping = live().stopping(session_id)
    st.info(f"{'Stopping' if stopping else 'Running'}: {_plain(shown)} …", icon=":material/hourglass_top:")
    job = live().job(session_id)
    if job is not None:
        st.progress(min(100, job["percent"]), text=_plain(job["sentence"]))
    st.button(
        t("Stopping …") if stopping else t("Stop"),
        icon=":material/stop:",
        key="stop_image",
        disabled=stopping,
        on_click=live().stop,
        args=(session_id,),
        type="tertiary",
    )


def _look_at(session_id: str, handle: str) -> None:
    st.session_state[f"image-{session_id}"] = handle


def _tools(current: Session, handle: str, known: About, there: list[Choice]) -> None:
    found = fitting(current.engine.toolbox, known.modality, known.path)
    busy = live().running(current.id) is not None
    st.html(f"<h3 class='az-category'>{t('Tools that fit it')}</h3>")
    if not found:
        st.caption(t("No vision tool is there for such an image."))
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
    turn = st.session_state.get("asked", 0)  # a new popover is a closed one
    with (
        st.popover(
            f"{each.title} …",
            help=_plain(each.tool.summary),
            disabled=busy,
            key=f"ask-{each.tool.name}-{turn}",
        ),
        st.form(f"form-{each.tool.name}", border=False),
    ):
        st.caption(_plain(each.tool.summary))
        values = {field.name: _asked(each, field, handle, there) for field in each.fields}
        key = f"run-{each.tool.name}"
        st.form_submit_button(
            t("Run"), type="primary", icon=":material/play_arrow:", on_click=wish, args=(key,)
        )
        if wished(key):
            if all(values.values()):
                _run(current.id, each.tool.name, {each.argument: handle, **values})
                st.session_state["asked"] = turn + 1
                st.rerun()
            else:
                st.warning(t("Fill in every field first."))


def _asked(each: Fitting, field: Field, handle: str, there: list[Choice]) -> str | None:
    label = field.name.replace("_", " ").capitalize()
    key = f"field-{each.tool.name}-{field.name}"
    if not field.image:
        return st.text_input(label, key=key, max_chars=500, help=_plain(field.about) or None)
    others = [each for each in there if each.handle != handle]
    names = {each.handle: each.name for each in sorted(others, key=lambda each: not each.uploaded)}
    if not names:
        st.caption(t("It needs a second image; add one first."))
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


def _compare(current: Session, handle: str, there: list[Choice]) -> str | None:
    """A swipe of this image and another: on the map, or in the picture where both have the same grid.

    What the picture is laid against, or None.
    """
    own, layers = swipe_partners(current.state, handle)
    in_picture = same_grid(current.state, current.world(), handle)
    shown = {each.id: each.artifact or each.id for each in current.state.map.layers}
    on_map = {shown[layer]: layer for layer, _ in layers}
    titles = {shown[layer]: name for layer, name in layers} | {each.handle: each.name for each in there}
    others = sorted({*in_picture, *on_map}, key=list(titles).index)
    if not others:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="compare"):
        other = st.selectbox(
            t("Swipe against"),
            others,
            index=None,
            placeholder=t("another image …"),
            format_func=lambda each: titles.get(each, each),
            key=f"swipe-{handle}",
        )
        if other in on_map:
            st.button(
                t("On the map"),
                icon=":material/swipe:",
                help=t("Before and after, on the map"),
                key="swipe_go",
                on_click=wish,
                args=("swipe_go",),
            )
            if wished("swipe_go"):
                left, right = by_time(current.state, current.world(), on_map[other], str(own))
                event = act("swipe_layers", left=left, right=right)
                if event is not None and event.ok:
                    act("fit_layer", layer=str(own))
                    to_map(current.id, "Layers")
    return other if other in in_picture else None


def _bands(current: Session, handle: str) -> None:
    try:
        frame, of = statistics(current.state, current.world(), handle)
    except ToolError as error:
        st.warning(_plain(str(error)))
        return
    st.dataframe(frame, hide_index=True, width="stretch", height=min(35 * len(frame) + 38, 320))
    st.caption(t("In the values as they are stored, {of}.", of=of))
