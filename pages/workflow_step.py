"""One step of a run: arguments, result, source, why it is there; and what a person may change of it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import streamlit as st

from copilot.live import live
from copilot.messages import t
from copilot.session import Session
from copilot.view.workflow_edits import (
    Choice,
    insertions,
    open_arguments,
    own_values,
    replacements,
    step_parameters,
)
from copilot.view.workflow_graph import WORDS
from copilot.view.workflow_library import title_of
from copilot.view.workflow_runs import Run, Told, arguments_html, told
from copilot.workflows.facts import known
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Step
from pages.downloads import artifact_url
from pages.header import _plain
from pages.here import act, tell, to_map, wish, wished
from pages.workflow_place import at, go
from state.model import Artifact
from tools.conditions import Thing


def show_step(current: Session, run: Run, instance: Instance, nodes: Sequence[Any]) -> None:
    """Draw the chosen step; an input shows what it is."""
    chosen = at("step")
    by_id = {each.id: each for each in nodes}
    if chosen in instance.inputs:
        _input(current, instance, str(chosen))
        return
    if chosen not in by_id:
        st.caption(t("Choose a step of the graph to see its arguments, its result, and why it is there."))
        return
    if chosen not in instance.workflow.step_ids:
        node = by_id[str(chosen)]
        st.markdown(
            t(
                "**{id}** ({tool}) was left out. {repair}",
                id=_plain(title_of(node.id)),
                tool=_plain(node.tool),
                repair=_plain(node.repair),
            )
        )
        st.markdown(_plain(node.why))
        return
    about = told(instance, str(chosen), by_id[str(chosen)], current.state)
    with st.container(key="flow_step", gap="xsmall"):
        _told(current, about)
        if run.end != "running":
            _edits(current, run, instance, about)


def _input(current: Session, instance: Instance, name: str) -> None:
    handle = instance.inputs[name]
    wanted = instance.workflow.input(name)
    artifact = current.state.artifact(handle)
    st.markdown(f"**{_plain(title_of(name))}**: {_plain(artifact.name if artifact else handle)} ({handle})")
    if wanted is not None:
        st.markdown(_plain(t("{about} It must be {needs}.", about=wanted.about, needs=wanted.needs)))
    st.caption(_plain(t("Chosen by {because}.", because=instance.because.get(name, t("the request")))))
    if artifact is not None:
        _results(current, (artifact,))


def _told(current: Session, about: Told) -> None:
    step = about.step
    st.html(
        f"<h4 class='az-flow-step'>{html.escape(title_of(step.id))} <code>{html.escape(step.tool)}</code> "
        f"<i>{html.escape(t(WORDS.get(about.status, about.status)))}</i></h4>"
    )
    st.markdown(t("**Why this step:** {why}", why=_plain(about.why)))
    for each in about.changes:
        st.markdown(f":material/build: {_plain(each)}")
    if about.said:
        st.markdown(t("**Result:** {said}", said=_plain(about.said)))
    _results(current, about.results)
    for check in about.checks:
        st.markdown(_plain(t("Checked: {check}", check=check)))
    st.html(arguments_html(about.arguments))
    facts = []
    if about.seq is not None:
        facts.append(t("call {seq} of the session, {seconds:.2f} s", seq=about.seq, seconds=about.seconds))
    if step.tool in current.engine.toolbox:
        facts.append(current.engine.toolbox.get(step.tool).summary)
    st.caption(_plain(" · ".join(facts)))
    if about.sources:
        st.caption(_plain(t("Sources of the workflow: {sources}", sources="; ".join(about.sources))))


def _results(current: Session, results: Sequence[Artifact]) -> None:
    if not results:
        return
    with st.container(horizontal=True, gap="xsmall", key="flow_results", wrap=True):
        for each in results:
            if each.kind == "raster":
                st.page_link(
                    st.session_state["pages"]["imagery"],
                    label=_plain(t("Look at {name}", name=each.name[:40])),
                    icon=":material/visibility:",
                    query_params={"session": current.id, "image": each.id},
                )
            layer = next((one.id for one in current.state.map.layers if one.artifact == each.id), None)
            key = f"map-{each.id}"
            if layer is not None:
                st.button(
                    t("On the map"),
                    icon=":material/map:",
                    key=key,
                    type="tertiary",
                    on_click=wish,
                    args=(key,),
                )
                if wished(key):
                    act("fit_layer", layer=layer)
                    to_map(current.id, "Layers")
            st.link_button(
                f"{_plain(each.kind)} {each.id}",
                artifact_url(current, each),
                icon=":material/download:",
                type="tertiary",
            )


# -- changing it -----------------------------------------------------------------------------------


def _edits(current: Session, run: Run, instance: Instance, about: Told) -> None:
    """Ways to change the step; each makes a changed workflow, which is then run."""
    busy = live().running(current.id) is not None
    turn = st.session_state.get("flow_edits", 0)  # a new popover is a closed one
    step = about.step
    box = current.engine.toolbox
    with st.container(horizontal=True, gap="xsmall", key="flow_edits_of_step", wrap=True):
        with st.popover(t("Change a value"), icon=":material/tune:", disabled=busy, key=f"edit-value-{turn}"):
            _value(current, run, instance, step)
        with st.popover(
            t("Put a step in front"), icon=":material/add:", disabled=busy, key=f"edit-insert-{turn}"
        ):
            _insert(current, run, instance, step)
        with st.popover(
            t("Replace it"), icon=":material/swap_horiz:", disabled=busy, key=f"edit-replace-{turn}"
        ):
            arguments = open_arguments(step, instance)
            thing = _thing(current, about, arguments[0]) if len(arguments) == 1 else None
            found = replacements(box, step, thing, instance)
            nothing = t("No other tool gives the same from what this step is given.")
            _choose(run, step, found, "replace", arguments[0] if arguments else "", nothing)
        st.button(
            t("Skip it"),
            icon=":material/skip_next:",
            key="edit-skip",
            disabled=busy,
            on_click=_adjust,
            args=(run.id, {"kind": "skip", "step": step.id}),
            help=t("What hung on it is given what it was given"),
        )


def _value(current: Session, run: Run, instance: Instance, step: Step) -> None:
    tool = current.engine.toolbox.get(step.tool)
    values = own_values(step, tool, instance)
    parameters = {each.name: each for each in step_parameters(step, instance)}
    options = [*(f"${name}" for name in parameters), *values]
    if not options:
        st.caption(t("This step has no value of its own."))
        return
    chosen = st.selectbox(
        t("Which value"), options, key=f"which-{run.id}-{step.id}",
        format_func=lambda each: (
            t("{each} (of the workflow)", each=each[1:]) if each.startswith("$") else each
        ),
    )  # fmt: skip
    from pages.workflow_task import parameter_field

    name = str(chosen)
    key = f"new-{run.id}-{step.id}-{name}"
    if name.startswith("$"):
        value = parameter_field(parameters[name[1:]], instance.parameters.get(name[1:]), key)
        change = {"kind": "parameter", "step": step.id, "name": name[1:], "value": value}
    else:
        value = _field(tool.schema["properties"][name], name, values[name], key)
        change = {"kind": "argument", "step": step.id, "name": name, "value": value}
    st.button(t("Change it"), type="primary", key="edit-value-go", on_click=_adjust, args=(run.id, change))


def _field(schema: dict[str, Any], name: str, value: Any, key: str) -> Any:
    """A field for a tool's argument by its schema."""
    about = _plain(str(schema.get("description", ""))) or None
    label = name.replace("_", " ").capitalize()
    if options := schema.get("enum"):
        return st.selectbox(
            label, options, index=options.index(value) if value in options else 0, key=key, help=about
        )
    if isinstance(value, bool):
        return st.checkbox(label, value, key=key, help=about)
    if isinstance(value, (int, float)):
        step = 1 if isinstance(value, int) else None
        return st.number_input(
            label, value=value, key=key, help=about, step=step, format=None if step else "%g"
        )
    return st.text_input(label, str(value or ""), key=key, help=about)


def _insert(current: Session, run: Run, instance: Instance, step: Step) -> None:
    arguments = open_arguments(step, instance)
    if not arguments:
        st.caption(t("This step is given nothing that another could make ready."))
        return
    argument = str(
        st.selectbox(
            t("In front of"),
            arguments,
            key=f"front-{run.id}-{step.id}",
            format_func=lambda each: each.replace("_", " "),
        )
    )
    value = step.args.get(argument)
    handle = instance.inputs.get(str(value).lstrip("$")) if isinstance(value, str) else None
    thing = known(current.state, current.world(), handle, current.events) if handle else None
    _choose(
        run, step, insertions(current.engine.toolbox, step, argument, thing), "insert", argument,
        t("No tool makes another of this without needing more."),
    )  # fmt: skip


def _choose(run: Run, step: Step, found: Sequence[Choice], kind: str, argument: str, nothing: str) -> None:
    if not found:
        st.caption(nothing)
        return
    by_name = {each.tool.name: each for each in found}
    name = st.selectbox(
        t("Tool"),
        list(by_name),
        key=f"{kind}-{run.id}-{step.id}-{argument}",
        format_func=lambda each: by_name[each].title + t(" (needs more)") * bool(by_name[each].lacks),
    )
    chosen = by_name[str(name)]
    st.caption(_plain(chosen.tool.summary))
    if chosen.lacks:
        st.warning(_plain(chosen.lacks))
    change = {
        "kind": kind, "step": step.id, "name": argument, "tool": chosen.tool.name, "args": dict(chosen.args),
    }  # fmt: skip
    label = t("Put it in") if kind == "insert" else t("Take it instead")
    st.button(label, type="primary", key=f"edit-{kind}-go", on_click=_adjust, args=(run.id, change))


def _thing(current: Session, about: Told, argument: str) -> Thing | None:
    """What is known of what a step was given."""
    value = next((each.value for each in about.arguments if each.name == argument), "")
    handle = value.rpartition("(")[2].rstrip(")")
    if current.state.artifact(handle) is None:
        return None
    return known(current.state, current.world(), handle, current.events)


def _adjust(handle: str, change: dict[str, Any]) -> None:
    event = act("workflow_adjust", workflow=handle, change=change)
    if event is None or not event.ok:
        return
    st.session_state["flow_edits"] = st.session_state.get("flow_edits", 0) + 1
    go(run=str(event.data["workflow"]))
    tell(t("Changed: {said}. Run it to see what comes of it.", said=event.data["adjustment"]["said"]))
