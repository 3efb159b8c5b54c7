"""Where there is no sample catalogue: what works without, and a button that builds it."""

from __future__ import annotations

import streamlit as st

from copilot.live import live
from copilot.messages import t
from copilot.sampling import missing, sample_build
from copilot.session import Session
from copilot.view.guided import FIRST
from pages.header import _plain
from pages.here import wish, wished

EVERY_S = 1.0
EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (FIRST, ("landsat",)),
    (
        "Plot the fair1m and xview1 images around Pittsburgh, PA from May 2018 with vehicles",
        ("fair1m", "xview1"),
    ),
    ("How many xview3 images are there per year? Draw it as bars", ("xview3",)),
    ("Show airports of fmow in Japan as a heat map", ("fmow",)),
    ("Which disasters are in xview2? Show their footprints", ("xview2",)),
    ("Show the ships of xview3 in the Gulf of Guinea as clusters", ("xview3",)),
)
"""Requests to begin with, and the data sets that each needs."""
WITHOUT = (
    "Where is Pittsburgh?",
    "How far is Paris from Lyon?",
    "Draw a circle of 50 km around Rotterdam",
    "Which country is at 59.9 N, 10.5 E?",
)
"""Requests that need no catalogue."""


def examples(session: Session) -> list[str]:
    """The requests that work with what is in the catalogue now."""
    there = {each.name for each in session.catalogue.datasets()}
    found = [text for text, needs in EXAMPLES if there.issuperset(needs)]
    return found or list(WITHOUT)


def show_sample(session: Session) -> None:
    """Offer the sample where it is missing and can be built, and show how far its build is."""
    root = live().engine.catalogue_root
    names = [each.name for each in session.catalogue.datasets()]
    if root is None or (names and not sample_build(root).running):
        return
    if missing(names):
        st.fragment(_offer, run_every=EVERY_S if sample_build(root).running else None)(session)


def _offer(session: Session) -> None:
    root = live().engine.catalogue_root
    assert root is not None
    build = sample_build(root)
    with st.container(key="sample", gap="small", border=True):
        if build.running:
            st.session_state["sample_going"] = True
            st.progress(
                build.fraction,
                text=t("Building the sample: {fraction:.0%} of its rows …", fraction=build.fraction),
            )
            return
        if st.session_state.pop("sample_going", False) and not build.problem:
            st.rerun()
        if build.problem:
            st.error(_plain(build.problem), icon=":material/error:")
        st.markdown(
            t(
                "**There is no sample catalogue yet.** It has seven data sets of satellite images at "
                "their published sizes, 1,149,612 images with generated positions and labels, and beside "
                "it come four real scenes. It takes a minute and 400 MB; nothing is downloaded. You can "
                "also add files of your own."
            )
        )
        st.button(
            t("Build the sample"),
            icon=":material/science:",
            key="build_sample",
            type="primary",
            on_click=wish,
            args=("build_sample",),
        )
        if wished("build_sample"):
            build.start()
            st.session_state["sample_going"] = True
            st.rerun()
