"""The session's own files and results on the Data page: what each is, and where to go with it."""

from __future__ import annotations

import html
from typing import Any

import streamlit as st

from copilot.messages import t
from copilot.session import Session
from copilot.view.own import Own, own_data
from pages.downloads import menu
from pages.here import act, noticed, to_map, wish, wished
from pages.look import asset

_follow = st.components.v2.component("azimuth_follow_data", js=asset("follow.js"), isolate_styles=False)


def show_own_data(session: Session, version: str) -> None:
    """Draw a line for each, nothing where there are none; anew when the session changes from `version`."""
    with st.container(key="follow"):
        told = {"session": session.id, "version": version}
        _follow(key=f"follow-data-{session.id}", data=told, on_version_change=noticed)
    found = own_data(session.state, session.events, session.world())
    if not found:
        return
    with st.container(key="own_data"):
        st.html(f"<h3 class='az-own-title'>{t('Your own files and results')}</h3>")
        for each in found:
            _line(session, each)


def _line(session: Session, own: Own) -> None:
    name = own.artifact.name
    with st.container(key=f"mine-{own.key}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(own_html(own), width="stretch")
        if own.has_rows:
            _leads(
                session,
                t("Open the table"),
                t("Open the table of {name}", name=name),
                "table",
                f"rows-{own.key}",
                "show_table",
                table=own.artifact.id,
            )
        if own.layer is not None:
            label = t("Show on the map")
            _leads(session, label, label, "map", f"map-{own.key}", "fit_layer", layer=own.layer)
        elif own.artifact.kind in ("vector", "raster"):
            label, tool = t("Show on the map"), f"add_{own.artifact.kind}_layer"
            _leads(session, label, label, "map", f"map-{own.key}", tool, artifact=own.artifact.id)
        menu(session, own.artifact, f"download-mine-{own.key}")


def _leads(session: Session, label: str, said: str, icon: str, key: str, tool: str, **args: Any) -> None:
    """A button that makes one call, whose outcome the map's page shows."""
    st.button(
        label,
        key=key,
        icon=f":material/{icon}:",
        help=said,
        type="tertiary",
        on_click=_led,
        args=(key, tool, args),
    )
    if wished(key):
        to_map(session.id)


def _led(key: str, tool: str, args: dict[str, Any]) -> None:
    event = act(tool, **args)
    if event is not None and event.ok:
        wish(key)


def own_html(own: Own) -> str:
    """What one is, as markup; every value is escaped."""
    came = t("added") if own.added else t("computed")
    facts = " · ".join(html.escape(each) for each in own.facts)
    return (
        f"<p class='az-own'><b>{html.escape(own.artifact.name)}</b> "
        f"<span class='az-badge az-real'>{html.escape(own.kind)}, {came}</span><br><small>{facts}</small></p>"
    )
