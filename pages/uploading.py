"""Where files are picked or dropped: each is uploaded with its progress and then added to the session."""

from __future__ import annotations

from typing import Any

import streamlit as st

from copilot.messages import words
from copilot.server.uploads import max_upload_bytes, too_large
from copilot.session import Session
from pages.here import wish, wished
from pages.look import script
from pages.speaking import keyed

_upload = st.components.v2.component("azimuth_upload", js=script("upload.js"), isolate_styles=False)


def show_uploads(session: Session, *, key: str, compact: bool = False, ingest: bool = False) -> str | None:
    """Draw the list of files and the way to add some; the name of one that is to become a data set.

    Files may be dropped anywhere on the page. `compact` shows a button for the file dialog, `ingest` offers
    to add a finished file to the catalogue.
    """
    limit = max_upload_bytes()
    told: dict[str, Any] = {
        "session": session.id,
        "words": words(),
        "limit": limit,
        "too_large": too_large(limit),
        "compact": compact,
        "ingest": ingest,
    }
    own = keyed(f"{key}-{session.id}")
    _upload(key=own, data=told, on_ingest_change=lambda: wish(own, st.session_state[own].ingest))
    chosen = wished(own)
    return str(chosen) if chosen else None
