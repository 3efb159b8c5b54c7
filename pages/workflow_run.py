"""Runs on the Workflows page: followed node by node, changed, run again, compared, and taken along."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import streamlit as st

from copilot.live import Refused, live
from copilot.messages import t
from copilot.session import Session
from copilot.view.workflow_graph import drawing
from copilot.view.workflow_library import title_of
from copilot.view.workflow_runs import (
    ENDS,
    Run,
    bound,
    changes,
    found_run,
    graph_nodes,
    runs,
    started_in_vain,
)
from copilot.workflows import following
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Task, WorkflowError
from pages.header import _plain
from pages.here import act, changed, tell
from pages.imagery import _running
from pages.panel_jobs import EVERY_S
from pages.speaking import keyed
from pages.workflow_elsewhere import show_elsewhere
from pages.workflow_place import PARTS, at, chose, go, turn
from pages.workflow_step import show_step
from pages.workflow_taken import show_compared, show_taken
from pages.workflow_task import graph, parameter_field

COLOURS = {
    "draft": "gray", "running": "blue", "finished": "green", "repaired": "orange", "failed": "red",
    "stopped": "gray",
}  # fmt: skip


def show_runs(current: Session, tasks: Sequence[Task]) -> None:
    """Draw the runs of the session, and the chosen one."""
    running = following.is_running(current.id)
    shown = runs(current.events, current.state, running)
    chosen = found_run(shown, at("run"))
    with st.container(key="flow_says"):  # always there: what is below keeps its place
        _says(current)
    if chosen is None:
        st.info(
            t(
                "No workflow was run in this session yet. Choose one in the library, or ask for one in "
                "the conversation, such as “assess the flood between these two images”."
            ),
            icon=":material/account_tree:",
        )
        return
    left, right = st.columns([1, 2.9], gap="medium", wrap=True)
    with left, st.container(key="flow_list", gap=None):
        st.html(f"<h3 class='az-flow-field'>{t('Runs, the newest first')}</h3>")
        for each in shown[:40]:
            _row(current, each, chosen)
    with right, st.container(key="flow_task", gap="small"):
        _run(current, chosen, shown)


def _says(current: Session) -> None:
    """What runs at this moment, or why the last start came to nothing."""
    if live().running(current.id) is not None:
        st.fragment(_until_its_end, run_every=EVERY_S)(current.id)
    elif problem := live().problem(current.id) or started_in_vain(current.events):
        st.warning(_plain(problem), icon=":material/error:")


def _until_its_end(session_id: str) -> None:
    """What runs; the whole page once it has ended, also where the news of that was missed."""
    if live().running(session_id) is None:
        st.rerun(scope="app")
    _running(session_id)


def _row(current: Session, run: Run, chosen: Run) -> None:
    artifact = current.state.artifact(run.id)
    name = artifact.name if artifact is not None else run.id
    st.button(
        f"{_plain(name)} :{COLOURS[run.end]}[{t(ENDS[run.end])}] :gray[{run.at[11:16]}]",
        key=f"run-{run.seq}",
        type="secondary" if run.seq == chosen.seq else "tertiary",
        width="stretch",
        on_click=go,
        kwargs={"run": run.id, "step": None},
    )


def nodes_of(current: Session, run: Run) -> tuple[Any, ...]:
    """The nodes of a run, as they stand now. Its quality checks are measured once an event."""
    last = current.events[-1].seq if current.events else 0
    state = f"{following.is_running(current.id)}"
    return _nodes(_Place(current), run.id, last, state)


class _Place:
    """A session as the key of what was read in it: the same one is the same key."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __hash__(self) -> int:
        return hash(self.session.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Place) and other.session.id == self.session.id


@lru_cache(maxsize=64)
def _nodes(place: _Place, handle: str, _last: int, running: str) -> tuple[Any, ...]:
    return following.nodes(place.session, handle)


def _run(current: Session, run: Run, shown: Sequence[Run]) -> None:
    instance = bound(current.world(), run.id)
    if instance is None:
        st.warning(t("The file of this run is gone; run the workflow again from the library."))
        return
    try:
        # What runs changes between two events too: it is looked at anew each time.
        nodes = following.nodes(current, run.id) if run.end == "running" else nodes_of(current, run)
    except WorkflowError as error:
        st.warning(_plain(str(error)))
        return
    artifact = current.state.artifact(run.id)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="flow_head"):
        st.subheader(_plain(artifact.name if artifact is not None else run.id), anchor=False, width="content")
        st.badge(t(ENDS[run.end]), color=COLOURS[run.end])  # type: ignore[arg-type]
        _buttons(current, run, instance)
    st.caption(_plain(_about(current, run, instance)))
    data = drawing(
        graph_nodes(instance, nodes, current.state),
        at("step"),
        t("The run of {title}", title=instance.workflow.title),
    )
    graph(data, f"graph-run-{current.id}")
    if run.end in ("finished", "repaired", "failed") and run.said:
        with st.container(key="flow_said"):
            st.markdown(_plain(run.said[:1500]))
    _changed(instance)
    _part(current, run, instance, nodes, shown)


def _part(current: Session, run: Run, instance: Instance, nodes: Sequence[Any], shown: Sequence[Run]) -> None:
    """One part of what there is to a run, the one that was chosen last."""
    part = at("part") if at("part") in PARTS else PARTS[0]
    key = keyed(f"flow_part-{turn()}")
    st.segmented_control(
        t("Of this run"),
        PARTS,
        format_func=t,
        default=part,
        key=key,
        required=True,
        on_change=changed,
        args=(key, chose, "part"),
        label_visibility="collapsed",
    )
    if part == "Values":
        _values(current, run, instance)
    elif part == "Elsewhere":
        show_elsewhere(current, run, instance)
    elif part == "Compare":
        show_compared(current, run, shown)
    elif part == "Report and files":
        show_taken(current, run, instance)
    else:
        show_step(current, run, instance, nodes)


def _about(current: Session, run: Run, instance: Instance) -> str:
    names = {each.id: each.name for each in current.state.artifacts}
    on = ", ".join(f"{title_of(name).lower()} = {names.get(h, h)}" for name, h in instance.inputs.items())
    values = ", ".join(f"{name} = {value}" for name, value in instance.parameters.items())
    flow, on = instance.workflow.id, on or t("nothing")
    if not values:
        return t("{flow} on {on}.", flow=flow, on=on)
    return t("{flow} on {on}, with {values}.", flow=flow, on=on, values=values)


def _changed(instance: Instance) -> None:
    """What failed on the way, why, and what was changed for it."""
    told = changes(instance)
    if told:
        with st.expander(
            t("What was changed ({told})", told=len(told)), icon=":material/build:", expanded=len(told) <= 3
        ):
            st.markdown("\n".join(f"- {_plain(each)}" for each in told))


def _buttons(current: Session, run: Run, instance: Instance) -> None:
    busy = live().running(current.id) is not None
    if run.end == "running":
        st.button(
            t("Stop"), icon=":material/stop:", key="flow_stop", on_click=live().stop, args=(current.id,)
        )
        return
    label = {"draft": t("Run the changed workflow"), "stopped": t("Go on"), "failed": t("Try again")}.get(
        run.end, t("Run again")
    )
    st.button(
        label,
        type="primary" if run.end in ("draft", "stopped") else "secondary",
        icon=":material/play_arrow:",
        key="flow_again",
        disabled=busy,
        on_click=again,
        args=(current.id, run.id),
        help=t("Steps whose call is the same are not computed again"),
    )


def again(session_id: str, handle: str) -> None:
    """Run a workflow of the session as it stands: what is there already is not computed again."""
    try:
        live().call(session_id, "workflow_run", {"workflow": handle})
    except Refused as refused:
        tell(str(refused))
        return
    go(run=handle)


def _values(current: Session, run: Run, instance: Instance) -> None:
    """The run's parameters, to change and run on."""
    if not instance.workflow.parameters:
        st.caption(t("This workflow has no parameters. A step's own values can be changed under Step."))
        return
    with st.form(f"values-{run.id}", border=False):
        with st.container(horizontal=True, gap="small", wrap=True):
            for each in instance.workflow.parameters:
                parameter_field(
                    each,
                    instance.parameters.get(each.name, each.default),
                    f"set-{run.id}-{each.name}",
                    instance.because.get(each.name, ""),
                )
        st.form_submit_button(
            t("Change and run"),
            type="primary",
            icon=":material/play_arrow:",
            disabled=live().running(current.id) is not None,
            on_click=_changed_values,
            args=(current.id, run.id, json.dumps(_plain_values(instance))),
        )


def _plain_values(instance: Instance) -> dict[str, Any]:
    return {
        each.name: instance.parameters.get(each.name, each.default) for each in instance.workflow.parameters
    }


def _changed_values(session_id: str, handle: str, before: str) -> None:
    now = {name: st.session_state.get(f"set-{handle}-{name}") for name in json.loads(before)}
    parts = [
        {"kind": "parameter", "name": name, "value": now[name]}
        for name, value in json.loads(before).items()
        if now[name] is not None and now[name] != value
    ]
    if not parts:
        tell(t("Nothing was changed: every value is as it was."))
        return
    change = parts[0] if len(parts) == 1 else {"kind": "together", "parts": parts}
    event = act("workflow_adjust", workflow=handle, change=change)
    if event is not None and event.ok:
        again(session_id, str(event.data["workflow"]))
