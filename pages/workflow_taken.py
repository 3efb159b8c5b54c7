"""Two runs side by side, and a run taken along: its report, and the workflow as files for elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from copilot.messages import later, t
from copilot.session import Session
from copilot.view.workflow_compared import Side, tables
from copilot.view.workflow_runs import ENDS, Run, bound
from copilot.workflows import following, reporting
from copilot.workflows.comparing import compare
from copilot.workflows.exporting import FORMATS
from copilot.workflows.instantiate import Instance
from pages.header import _plain

TITLES = {
    "json": (later("Azimuth's own"), "application/json"),
    "script": (later("Script"), "text/x-python"),
    "notebook": (later("Notebook"), "application/x-ipynb+json"),
    "cwl": ("CWL", "application/json"),
    "wfformat": ("WfFormat", "application/json"),
}


def show_compared(current: Session, run: Run, shown: Sequence[Run]) -> None:
    """Draw what differs between the run and another one."""
    names = {each.id: each.name for each in current.state.artifacts}
    others = {
        each.id: f"{names.get(each.id, each.id)}, {t(ENDS[each.end])}, {each.at[11:16]} ({each.id})"
        for each in shown
        if each.id != run.id and each.end != "draft"
    }
    if not others:
        st.caption(t("There is no other run yet: change a value and run again, or run another workflow."))
        return
    other = st.selectbox(
        t("Compare with"), list(others), index=None, key=f"against-{run.id}",
        format_func=lambda each: others[each], placeholder=t("another run …"),
    )  # fmt: skip
    if other is None:
        return
    sides = [_side(current, each) for each in (run.id, str(other))]
    if sides[0] is None or sides[1] is None:
        st.warning(t("The file of one of the runs is gone; run it again."))
        return
    overlap = compare(current, run.id, str(other)).overlap
    drawn = tables(sides[0], sides[1], current.events, current.state, overlap)
    for each in drawn:
        st.html(f"<h4 class='az-flow-step'>{each.title}</h4>")
        st.dataframe(each.frame, hide_index=True, width="stretch")
    if not drawn:
        st.success(t("The two runs do not differ."))


def _side(current: Session, handle: str) -> Side | None:
    instance = bound(current.world(), handle)
    return None if instance is None else Side(instance, following.nodes(current, handle))


def show_taken(current: Session, run: Run, instance: Instance) -> None:
    """Draw the downloads of a run."""
    name = f"{instance.workflow.task}-{run.id.rpartition('-')[2]}"
    if run.end in ("running", "draft"):
        st.caption(t("There is a report once it has run."))
    else:
        st.caption(t("The report: figures, map, each number with its call, the method, sources and limits."))
        with st.container(horizontal=True, gap="small", wrap=True, key="flow_report"):
            _download(
                t("Report (HTML)"), f"{name}.html", "text/html", lambda: reporting.html(current, run.id)
            )
            _download(
                t("Report (PDF)"), f"{name}.pdf", "application/pdf", lambda: reporting.pdf(current, run.id)
            )
    st.caption(
        t("The workflow with these values, for elsewhere; `copilot workflow import` takes in the first.")
    )
    with st.container(horizontal=True, gap="small", wrap=True, key="flow_exports"):
        for kind, (suffix, write) in FORMATS.items():
            title, media = TITLES.get(kind, (kind, "text/plain"))

            def make(write: Callable[..., str] = write) -> str:
                return write(instance.workflow, instance)

            _download(title, f"{name}{suffix}", media, make)


def _download(label: str, name: str, kind: str, make: Callable[[], Any]) -> None:
    st.download_button(
        _plain(label), make, name, kind, icon=":material/download:", on_click="ignore", key=f"take-{name}"
    )
