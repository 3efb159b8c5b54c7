"""A run made elsewhere: on other data of the session, one or many, with the table of what came of each."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from copilot.live import Refused, live
from copilot.messages import later, t, tn
from copilot.session import Session
from copilot.view.workflow_edits import Elsewhere, elsewhere
from copilot.view.workflow_library import title_of
from copilot.view.workflow_runs import Run
from copilot.workflows.batch import BatchReport, Item, batches, begin, opened, run_batch
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import WorkflowError
from copilot.workflows.procedures import at_hand
from pages.downloads import artifact_url
from pages.here import go_to, tell
from pages.panel_jobs import EVERY_S
from pages.workflow_place import go

STATUS = {
    "waiting": later("waiting"),
    "running": later("running"),
    "done": later("finished"),
    "failed": later("failed"),
    "cancelled": later("stopped"),
}
MOST_BATCHES = 5


def show_elsewhere(current: Session, run: Run, instance: Instance) -> None:
    """Draw the other data that the run's workflow fits, and what came of earlier batches."""
    things = at_hand(current.state, current.world(), {})
    found = [*elsewhere(instance, things, current.state), *_by_hand(run, instance)]
    named = {each.name: each for each in found}
    names = {each.id: each.name for each in current.state.artifacts}
    if named:
        chosen = st.multiselect(
            t("Run it on these too"),
            list(named),
            default=list(named),
            key=f"elsewhere-{run.id}-{len(named)}",
            help=t("Images of one grid, or of one name, go together; add others below"),
        )
        count = len(chosen)
        st.button(
            tn("Run on {n} set of data", "Run on {n} sets of data", count),
            type="primary",
            icon=":material/dynamic_feed:",
            key="flow_batch",
            disabled=not chosen or live().running(current.id) is not None,
            on_click=_begin,
            args=(current.id, run.id, [named[each] for each in chosen]),
        )
    else:
        st.caption(
            t(
                "No other data of this session fit. Add images above (for a pair both, of one grid or "
                "with one name but for before and after), or choose them by hand."
            )
        )
    with st.expander(t("Choose data by hand"), icon=":material/edit:"):
        _hand(run, instance, [each for each in things if things[each].kind == "raster"], names)
    st.fragment(_batches, run_every=EVERY_S if live().running(current.id) else None)(current.id)


def _by_hand(run: Run, instance: Instance) -> list[Elsewhere]:
    found: list[Elsewhere] = st.session_state.get(f"by-hand-{run.ids[0]}", [])
    return found


def _hand(run: Run, instance: Instance, rasters: list[str], names: Mapping[str, str]) -> None:
    keys = {}
    with st.container(horizontal=True, gap="small", wrap=True, vertical_alignment="bottom"):
        for each in instance.workflow.inputs:
            if each.needs.kind == "raster" and each.name in instance.inputs:
                keys[each.name] = f"hand-{run.id}-{each.name}"
                st.selectbox(
                    title_of(each.name), rasters, index=None, key=keys[each.name], width=240,
                    format_func=lambda one: names.get(one, one), placeholder=t("choose …"),
                )  # fmt: skip
        st.button(
            t("Add"), icon=":material/add:", key="hand_add", on_click=_add, args=(run.ids[0], keys, names)
        )


def _add(run_id: str, keys: Mapping[str, str], names: Mapping[str, str]) -> None:
    data = {name: st.session_state.get(key) for name, key in keys.items()}
    if not all(data.values()):
        tell(t("Choose each of the data first."))
        return
    made = Elsewhere(" + ".join(names.get(str(each), str(each)) for each in data.values()), data)  # type: ignore[arg-type]
    kept = st.session_state.setdefault(f"by-hand-{run_id}", [])
    if made.name not in {each.name for each in kept}:
        kept.append(made)


def _begin(session_id: str, handle: str, chosen: list[Elsewhere]) -> None:
    current = live().session(session_id)
    items = [Item(each.name, each.data) for each in chosen]
    try:
        batch = begin(current, handle, items)
        _run(session_id, batch)
    except (WorkflowError, Refused) as error:
        tell(str(error))


def _run(session_id: str, batch: str) -> None:
    current = live().session(session_id)

    def work(stop: threading.Event) -> None:
        run_batch(current, batch, stop=stop)

    live().work(session_id, t("The workflow on each of several data"), work)


def _batches(session_id: str) -> None:
    """The tables of the session's batches; drawn again and again while one runs."""
    current = live().session(session_id)
    for each in batches(current)[:MOST_BATCHES]:
        with st.container(key=f"flow_batch_{each.id}", gap="xsmall"):
            _batch(current, each)


def _batch(current: Session, batch: BatchReport) -> None:
    done = sum(item.status == "done" for item in batch.items)
    failed = sum(item.status == "failed" for item in batch.items)
    ended = sum(item.status in ("done", "failed", "cancelled") for item in batch.items)
    sets = tn("{n} set of data", "{n} sets of data", len(batch.items))
    ends = t("{done} finished", done=done) + (t(", {failed} failed", failed=failed) if failed else "")
    st.html(
        f"<h4 class='az-flow-step'>{title_of(batch.workflow.partition('/')[0])}, {sets} <i>{ends}</i></h4>"
    )
    busy = live().running(current.id) is not None
    if ended < len(batch.items) and busy:
        st.progress(
            ended / len(batch.items),
            text=t("{ended} of {items} have ended", ended=ended, items=len(batch.items)),
        )
    st.dataframe(results(batch), hide_index=True, width="stretch")
    with st.container(horizontal=True, gap="small", wrap=True, vertical_alignment="bottom"):
        if batch.table is not None and (artifact := current.state.artifact(batch.table)) is not None:
            st.link_button(
                t("Download the table"), artifact_url(current, artifact, "csv"), icon=":material/download:"
            )
        if not busy and done < len(batch.items):
            st.button(
                t("Go on with what is not finished"),
                icon=":material/play_arrow:",
                key=f"on-{batch.id}",
                on_click=_go_on,
                args=(current.id, batch.id),
            )
        begun = {item.number: item.name for item in batch.items if item.session and item.status != "running"}
        if begun:
            number = st.selectbox(
                t("Open one as a session of its own"), list(begun), index=None, key=f"one-{batch.id}",
                format_func=lambda each: begun[each], width=300, placeholder=t("its log, undo and exports …"),
            )  # fmt: skip
            if number is not None:
                st.button(
                    t("Open"),
                    key=f"open-{batch.id}",
                    on_click=_open,
                    args=(current.id, batch.id, int(number)),
                )


def results(batch: BatchReport) -> pd.DataFrame:
    """A row a set of data: how it ended, its numbers, what was repaired, why it failed."""
    rows = [
        {
            t("data"): each.name,
            t("state"): t(STATUS[each.status])
            + (t(" after repairs") if each.repaired and each.status == "done" else ""),
            t("steps"): t("{steps_done} of {steps}", steps_done=each.steps_done, steps=each.steps),
            **{name.partition(".")[2].replace("_", " "): value for name, value in each.figures.items()},
            t("changed"): "; ".join(each.repaired),
            t("failed because"): f"{each.failed_step}: {each.said}" if each.status == "failed" else "",
            t("seconds"): each.seconds,
        }
        for each in batch.items
    ]
    return pd.DataFrame(rows).dropna(axis="columns", how="all")


def _go_on(session_id: str, batch: str) -> None:
    try:
        _run(session_id, batch)
    except Refused as refused:
        tell(str(refused))


def _open(session_id: str, batch: str, number: int) -> None:
    try:
        made = opened(live().session(session_id), batch, number)
    except WorkflowError as error:
        tell(str(error))
        return
    go_to(made.id)
    go(run=None, step=None)
