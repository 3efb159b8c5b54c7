"""The menu of the formats that an artifact can be taken away in."""

from __future__ import annotations

import streamlit as st

from copilot.messages import t
from copilot.session import Session
from pages.header import _plain
from state.model import Artifact
from tools.data.downloads import formats


def artifact_url(session: Session, artifact: Artifact, name: str | None = None) -> str:
    """Where the artifact's file is downloaded, in a format or as it is kept."""
    query = "" if name is None else f"?format={name}"
    return f"/api/sessions/{session.id}/artifacts/{artifact.id}{query}"


def menu(session: Session, artifact: Artifact, key: str, *, label: str | None = None) -> None:
    """A button that opens the formats; a plain download where there is only one."""
    label = label or t("Download")
    path = session.engine.artifacts(session.id).find(artifact.id)
    there = () if path is None else formats(artifact, path)
    if path is None:
        return
    if not there:
        st.link_button(label, artifact_url(session, artifact), icon=":material/download:", type="tertiary")
        return
    with st.popover(
        label,
        icon=":material/download:",
        type="tertiary",
        help=t("Download {name}", name=_plain(artifact.name)),
        key=key,
    ):
        for each in there:
            st.link_button(each.title, artifact_url(session, artifact, each.name), width="stretch")
