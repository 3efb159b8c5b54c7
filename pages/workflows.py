"""Workflows: procedures to search and browse, what these data allow, and runs followed step by step."""

from __future__ import annotations

import streamlit as st

from copilot.live import live
from copilot.messages import t
from copilot.session import Session
from copilot.view.workflow_library import statement
from copilot.workflows.following import is_running
from copilot.workflows.memory import Memory
from copilot.workflows.model import Task, WorkflowError
from copilot.workflows.procedures import Library, from_log
from pages.header import _plain, header
from pages.here import act, changed, noticed, session
from pages.look import asset
from pages.speaking import keyed
from pages.uploading import show_uploads
from pages.workflow_place import VIEWS, at, chose, go, keep, turn
from pages.workflow_run import show_runs
from pages.workflow_task import show_data, show_library

_follow = st.components.v2.component("azimuth_follow_flow", js=asset("follow.js"), isolate_styles=False)


def show() -> None:
    """Draw the page."""
    current = session()
    # Before anything is drawn: what changes meanwhile is then newer than the page, and draws it again.
    version = live().version(current.id)
    header(current)
    st.html(f"<style>{asset('workflows.css')}</style>")
    tasks = tasks_of(current)
    with st.container(key="workflows"):
        _top(current, tasks)
        keep()
        if at("view") == VIEWS[2]:
            show_runs(current, tasks)
        elif at("view") == VIEWS[1]:
            show_data(current, tasks)
        else:
            show_library(current, tasks)
    with st.container(key="follow"):
        data = {"session": current.id, "version": version, "number": 0, "open": None, "show": None}
        _follow(key=f"follow-flow-{current.id}", data=data, on_version_change=noticed)


def tasks_of(current: Session) -> tuple[Task, ...]:
    """The library's tasks, and the session owner's own."""
    return Library(Memory.of(current.engine.home, current.row.owner)).tasks()


def _top(current: Session, tasks: tuple[Task, ...]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="flow_top"):
        st.html(f"<h2 class='az-title'>{t('Workflows')}</h2>", width="content")
        if at("view") not in VIEWS:
            go(view=VIEWS[2] if is_running(current.id) else VIEWS[0])
        key = keyed(f"workflows_view-{turn()}")
        st.segmented_control(
            t("What is shown"),
            VIEWS,
            format_func=t,
            default=at("view"),
            key=key,
            required=True,
            on_change=changed,
            args=(key, chose, "view"),
            label_visibility="collapsed",
        )
        _save(current)
        with st.container(key="attach_flow", width="content"):
            show_uploads(current, key="brought_flow", compact=True)
    st.caption(statement(tasks))


def _save(current: Session) -> None:
    """Keep the last turns as a workflow: what that would be is shown before."""
    turn = st.session_state.get("flow_saved", 0)  # a new popover is a closed one
    with st.popover(t("Save what I did"), icon=":material/bookmark_add:", key=f"flow_save-{turn}"):
        last = current.events[-1].turn if current.events else 0
        turns = st.number_input(
            t("How many of the last turns"),
            1,
            max(1, min(100, last)),
            max(1, min(20, last)),
            key=f"save_turns-{last}",
        )
        try:
            made = from_log(current.events, current.state, current.world(), "it", "", int(turns))
        except WorkflowError as error:
            st.caption(_plain(str(error)))
            return
        lines = "\n".join(f"{at}. `{each.tool}`" for at, each in enumerate(made.steps, 1))
        st.markdown(f"{t('Its steps:')}\n\n{lines}")
        values = ", ".join(f"{each.name} = {each.default:g}" for each in made.parameters) or t("none")
        st.caption(
            _plain(
                t(
                    "It will be given {value}. Parameters: {values}.",
                    value=", ".join(each.name for each in made.inputs) or t("nothing"),
                    values=values,
                )
            )
        )
        with st.form("save_flow", border=False):
            st.text_input(t("Name"), key="save_name", max_chars=60)
            st.text_input(t("What it is for"), key="save_goal", max_chars=500)
            st.form_submit_button(
                t("Save"), type="primary", icon=":material/bookmark_add:", on_click=_saved, args=(int(turns),)
            )


def _saved(turns: int) -> None:
    name = str(st.session_state["save_name"]).strip()
    event = act("workflow_save", name=name, goal=str(st.session_state["save_goal"]).strip(), turns=turns)
    if event is not None and event.ok:
        st.session_state["flow_saved"] = st.session_state.get("flow_saved", 0) + 1
        made = str(event.data["id"])
        go(view=VIEWS[0], task=made.partition("/")[0], flow=made, step=None)
