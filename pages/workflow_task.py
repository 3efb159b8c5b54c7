"""The library on the Workflows page: search and browse, what data allow, and one task to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from copilot.live import Refused, live
from copilot.messages import t, tn
from copilot.session import Session
from copilot.view.workflow_graph import drawing
from copilot.view.workflow_library import (
    FIELDS,
    MOST_SHOWN,
    Possible,
    Row,
    about_html,
    fields,
    nodes_of,
    possible,
    ran_on,
    rows,
    title_of,
    was_run,
)
from copilot.workflows.instantiate import Fit, Instance, fit, instance
from copilot.workflows.model import Parameter, Task, Workflow, WorkflowError
from copilot.workflows.procedures import at_hand
from pages.header import _plain
from pages.here import changed, tell
from pages.look import asset
from pages.workflow_place import VIEWS, at, chose, go, turn
from tools.conditions import Thing

_graph = st.components.v2.component(
    "azimuth_flow", js=asset("graph.js"), css=asset("graph.css"), isolate_styles=False
)
MOST_LISTED = 30
NOTHING = ""
"""The choice of an input that is left out, and of a parameter that the workflow itself sets."""


def graph(data: dict[str, Any], key: str) -> None:
    """Draw a graph; the node that is clicked becomes the step of the place."""

    def chosen() -> None:
        picked = getattr(st.session_state[key], "node", None)
        if picked is not None:
            go(step=str(picked), part="Step")

    _graph(key=key, data=data, on_node_change=chosen)


# -- the library -----------------------------------------------------------------------------------


def show_library(current: Session, tasks: Sequence[Task]) -> None:
    """Draw the list of tasks and the chosen one."""
    left, right = st.columns([1, 2.3], gap="medium", wrap=True)
    with left, st.container(key="flow_list", gap="xsmall"):
        words = st.text_input(
            t("Find a task"),
            key="flow_words",
            placeholder=t("flood, burned, ships, NDVI by field …"),
            max_chars=200,
        )
        field = at("field") if at("field") in FIELDS else None
        if field is not None:
            st.button(
                t("All fields"), icon=":material/arrow_back:", type="tertiary", key="flow_all",
                on_click=go, kwargs={"field": None},
            )  # fmt: skip
        if field is None and not words.strip():
            _fields(fields(tasks))
        else:
            _list(rows(tasks, words, field), t(FIELDS[field]) if field else t("The nearest first"))
    with right, st.container(key="flow_task", gap="small"):
        task = next((each for each in tasks if each.id == at("task")), None)
        if task is None:
            st.info(
                t(
                    "Choose a task to see its workflows as graphs, what they want, and what they are from. "
                    "“For these data” shows what the images of this session allow."
                ),
                icon=":material/account_tree:",
            )
            return
        _task(current, task)


def _fields(counts: Mapping[str, int]) -> None:
    """The fields to browse, each with how many tasks it has."""
    st.html(f"<h3 class='az-flow-field'>{t('Or browse by field')}</h3>")
    with st.container(key="flow_tasks", gap=None):
        for name, count in counts.items():
            st.button(
                f"{t(FIELDS[name])} :gray[{tn('{n} task', '{n} tasks', count)}]",
                key=f"field-{name}",
                type="tertiary",
                width="stretch",
                on_click=go,
                kwargs={"field": name},
            )


def _list(found: Sequence[Row], title: str) -> None:
    if not found:
        st.info(t("No task is about that. Other words, or another field, may find it."))
        return
    with st.container(key="flow_tasks", height=620, border=False, gap=None):
        st.html(f"<h3 class='az-flow-field'>{title}</h3>")
        for each in found[:MOST_LISTED]:
            ways = tn("{n} way", "{n} ways", each.workflows)
            st.button(
                f"{_plain(each.title)} :gray[{ways}, {t('{ran} run here', ran=each.ran)}]",
                key=f"task-{each.id}",
                help=_plain(each.goal),
                type="secondary" if each.id == at("task") else "tertiary",
                width="stretch",
                on_click=go,
                kwargs={"task": each.id, "flow": None, "step": None},
            )
        if len(found) > MOST_LISTED:
            st.caption(t("and {found} more: say more of what it is about", found=len(found) - MOST_LISTED))


# -- what data allow -------------------------------------------------------------------------------


def show_data(current: Session, tasks: Sequence[Task]) -> None:
    """Draw what can be done with the things of the session, ranked by preconditions, and the chosen task."""
    things = at_hand(current.state, current.world(), {})
    names = {each.id: each.name for each in current.state.artifacts}
    left, right = st.columns([1, 2.3], gap="medium", wrap=True)
    with left, st.container(key="flow_list", gap="xsmall"):
        if not things:
            st.info(
                t("Nothing is in this session yet. Add an image above, or drop one anywhere on this page.")
            )
            return
        newest = list(things)[-2:]
        chosen = st.multiselect(
            t("What can I do with"),
            list(things),
            default=newest,
            key=f"flow_things-{current.id}-{'-'.join(newest)}",
            format_func=lambda each: names.get(each, each),
        )
        words = st.text_input(t("About"), key="flow_about", placeholder=t("flood …"), max_chars=200)
        wanted = {row.id for row in rows(tasks, words)}
        found = [
            each
            for each in possible(tasks, {each: things[each] for each in chosen})
            if each.task.id in wanted
        ]
        _possible(found)
    with right, st.container(key="flow_task", gap="small"):
        task = next((each for each in tasks if each.id == at("task")), None)
        if task is None:
            st.info(
                t("Choose one on the left: its data are filled in already."), icon=":material/account_tree:"
            )
        else:
            _task(current, task)


def _possible(found: Sequence[Possible]) -> None:
    ready = [each for each in found if not each.lacks]
    nearly = [each for each in found if each.lacks]
    if not found:
        st.caption(t("No workflow fits these. Choose other data, or fewer."))
    with st.container(key="flow_tasks", height=560, border=False, gap=None):
        for title, several in ((t("Ready to run"), ready), (t("One thing is missing"), nearly)):
            if several:
                st.html(f"<h3 class='az-flow-field'>{title} ({len(several)})</h3>")
            for each in several[:MOST_SHOWN]:
                _possible_one(each)
            if len(several) > MOST_SHOWN:
                st.caption(t("and {several} more: say what it is about", several=len(several) - MOST_SHOWN))


def _possible_one(each: Possible) -> None:
    mark = f" :green[{t('run here')}]" if each.ran else ""
    about = f"{each.fit.workflow.title}; {each.lacks[:90]}" if each.lacks else each.fit.workflow.title
    st.button(
        f"{_plain(title_of(each.task.id))} :gray[{_plain(about)}]{mark}",
        key=f"can-{each.task.id}",
        help=_plain(each.lacks or f"{each.task.goal} {each.fit.workflow.when}"),
        type="secondary" if each.task.id == at("task") else "tertiary",
        width="stretch",
        on_click=go,
        kwargs={"task": each.task.id, "flow": each.fit.workflow.id, "step": None},
    )


# -- a task ----------------------------------------------------------------------------------------


def _task(current: Session, task: Task) -> None:
    st.subheader(_plain(title_of(task.id)), anchor=False)
    asked = " | ".join(task.asked_as)
    st.caption(_plain(task.goal + (t(" Asked as: {asked}", asked=asked) if asked else "")))
    flow = _workflow(task)
    data = drawing(
        nodes_of(flow, _names(current, flow)), at("step"), t("The workflow {title}", title=flow.title)
    )
    graph(data, f"graph-{flow.id}")
    _step(current, flow)
    with st.container(border=True, key="flow_run"):
        _start(current, flow)
    with st.expander(t("What it wants, what goes wrong, and its sources"), icon=":material/menu_book:"):
        st.html(about_html(task, flow))


def _workflow(task: Task) -> Workflow:
    """The chosen workflow of the task, with when to take it and whether it was run here."""
    there = {each.id: each for each in task.workflows}
    key = f"flow-of-{task.id}-{turn()}"
    ids = list(there)
    chosen = st.selectbox(
        t("Workflow ({there})", there=len(there)),
        ids,
        index=ids.index(str(at("flow"))) if at("flow") in there else 0,
        key=key,
        format_func=lambda each: there[each].title + (t(" · run here") if was_run(there[each]) else ""),
        on_change=changed,
        args=(key, chose, "flow"),
    )
    flow = there[str(chosen)]
    if flow.when:
        st.caption(_plain(t("When: {when}", when=flow.when)))
    if task.field == "own":
        st.badge(t("your own"), icon=":material/person:", color="blue")
    elif told := ran_on(flow):
        st.badge(
            t("checked against its sources and run"),
            icon=":material/task_alt:",
            color="green",
            help=_plain(told),
        )
    else:
        st.badge(
            t("checked against its sources, not run here"), icon=":material/rule:", color="gray",
            help=t("The proof of the library holds for it; no record says that it was run to its end here."),
        )  # fmt: skip
    return flow


def _names(current: Session, flow: Workflow) -> dict[str, str]:
    """What each input is, by name: what was chosen for it, else what fits best."""
    names = {each.id: each.name for each in current.state.artifacts}
    best = fit(flow, at_hand(current.state, current.world(), {})).inputs
    given = {**best, **{name: handle for name, handle in _own_inputs(flow).items() if handle in names}}
    return {each.name: names.get(given[each.name], "") for each in flow.inputs if given.get(each.name)}


def _own_inputs(flow: Workflow) -> dict[str, str]:
    """What the user chose for a workflow's inputs; the others follow what comes in."""
    found: dict[str, str] = st.session_state.setdefault("flow_inputs", {}).setdefault(flow.id, {})
    return found


def _step(current: Session, flow: Workflow) -> None:
    """Why a step is there and what is checked after it, before anything runs."""
    if at("step") not in flow.step_ids:
        st.caption(t("Choose a step to see what it does and why it is there."))
        return
    step = flow.step(str(at("step")))
    with st.container(border=True, key="flow_step", gap="xsmall"):
        st.html(f"<h4 class='az-flow-step'>{_html(title_of(step.id))} <code>{_html(step.tool)}</code></h4>")
        st.markdown(t("**Why this step:** {why}", why=_plain(step.why or t("nobody said"))))
        if step.tool in current.engine.toolbox:
            st.caption(_plain(current.engine.toolbox.get(step.tool).summary))
        given = ", ".join(f"{name} = {value}" for name, value in step.args.items())
        st.markdown(t("**Given:** {given}", given=_plain(given)))
        for check in step.checks:
            low = "" if check.low is None else t("at least {low:g}", low=check.low)
            high = "" if check.high is None else t("at most {high:g}", high=check.high)
            limits = t(" and ").join(each for each in (low, high) if each)
            st.markdown(
                _plain(
                    t(
                        "Checked after it: {measure} {limits}. {why}",
                        measure=check.measure.replace("_", " "),
                        limits=limits,
                        why=check.why,
                    )
                )
            )


def _html(text: str) -> str:
    import html

    return html.escape(text)


# -- running it ------------------------------------------------------------------------------------


def _start(current: Session, flow: Workflow) -> None:
    things = at_hand(current.state, current.world(), {})
    fitted = fit(flow, things)
    names = {each.id: f"{each.name} ({each.id})" for each in current.state.artifacts}
    st.html(f"<h4 class='az-flow-step'>{t('Run it')}</h4>")
    with st.container(horizontal=True, gap="small", wrap=True, key="flow_inputs"):
        chosen = {each.name: _input(flow, each, things, fitted, names) for each in flow.inputs}
    given = {name: handle for name, handle in chosen.items() if handle}
    bound = fit(flow, things, given) if given else fitted
    values = _values(flow, bound, things)
    lacks = _missing(flow, given) or "; ".join(
        map(str, fit(flow, {k: things[k] for k in given.values()}, given).lacks)
    )
    if lacks:
        st.warning(_plain(lacks), icon=":material/rule:")
    st.button(
        t("Run"),
        type="primary",
        icon=":material/play_arrow:",
        key="flow_go",
        disabled=live().running(current.id) is not None or bool(_missing(flow, given)),
        on_click=start,
        args=(current.id, flow.id, given, values),
        help=t("A request is running; wait for its end") if live().running(current.id) is not None else None,
    )


def _input(
    flow: Workflow, wanted: Any, things: Mapping[str, Thing], fitted: Fit, names: Mapping[str, str]
) -> str:
    """Which thing an input is: what fits best is chosen already."""
    kinds = {wanted.needs.kind, *(("detections",) if wanted.needs.kind == "vector" else ())}
    there = [handle for handle, thing in things.items() if thing.kind in kinds]
    options = [NOTHING, *there] if wanted.optional or wanted.name not in fitted.inputs else there
    best = fitted.inputs.get(wanted.name, NOTHING)
    own = _own_inputs(flow)
    value = own[wanted.name] if own.get(wanted.name) in options else best
    # A new key where something else fits best: until then the browser keeps what it shows.
    key = f"input-{flow.id}-{wanted.name}-{best}"

    def chosen_for_it(handle: str | None) -> None:
        own[wanted.name] = str(handle)

    label = title_of(wanted.name) + (t(" (may be left out)") if wanted.optional else "")
    chosen = st.selectbox(
        label,
        options,
        index=options.index(value) if value in options else None,
        key=key,
        format_func=lambda each: names.get(each, each) if each else t("nothing"),
        help=_plain(f"{wanted.about} {wanted.needs}".strip()),
        placeholder=t("nothing of the kind is here"),
        on_change=changed,
        args=(key, chosen_for_it),
        width=300,
    )
    return str(chosen or NOTHING)


def _missing(flow: Workflow, given: Mapping[str, str]) -> str:
    missing = [each for each in flow.inputs if each.name not in given and not each.optional]
    said = [f"{title_of(each.name)}: {each.about or each.needs}" for each in missing]
    return f"It still needs {'; '.join(said)}" if said else ""


def _values(flow: Workflow, bound: Fit, things: Mapping[str, Thing]) -> dict[str, Any]:
    """The parameters that were given another value than the workflow or the data say."""
    if not flow.parameters:
        return {}
    try:
        made = instance(bound, things)
    except WorkflowError:
        made = ()
    known = made.parameters if isinstance(made, Instance) else {}
    because = made.because if isinstance(made, Instance) else {}
    given: dict[str, Any] = {}
    with st.container(horizontal=True, gap="small", wrap=True, key="flow_values"):
        for each in flow.parameters:
            usual = known.get(each.name, each.default)
            value = parameter_field(each, usual, f"value-{flow.id}-{each.name}", because.get(each.name, ""))
            if value is not None and value != usual:
                given[each.name] = value
    return given


def parameter_field(parameter: Parameter, value: Any, key: str, origin: str = "") -> Any:
    """A field for a parameter's value; what it holds."""
    unit = parameter.unit
    label = title_of(parameter.name.removesuffix(f"_{unit}")) + (f" ({unit})" if unit else "")
    limits = (
        t(" {low:,.10g} to {high:,.10g}.", low=parameter.low, high=parameter.high)
        if parameter.low is not None and parameter.high is not None
        else ""
    )
    about = _plain(f"{parameter.why}{limits}{f' Taken from {origin}.' if origin else ''}".strip()) or None
    if parameter.choices:
        options = list(parameter.choices)
        at_first = options.index(value) if value in options else None
        return st.selectbox(label, options, index=at_first, key=key, help=about, width=180, format_func=str)
    if isinstance(value, bool):
        return st.checkbox(label, value, key=key, help=about)
    if isinstance(value, (int, float)) or (value is None and parameter.low is not None):
        return _number(parameter, value, label, key, about)
    text = st.text_input(label, "" if value is None else str(value), key=key, help=about, width=180)
    return value if text == str(value) or not text else text


def _number(parameter: Parameter, value: Any, label: str, key: str, about: str | None) -> Any:
    low, high = parameter.low, parameter.high
    if isinstance(value, int) and isinstance(parameter.default, int):
        return st.number_input(
            label,
            min_value=None if low is None else int(low),
            max_value=None if high is None else int(high),
            value=value,
            step=1,
            key=key,
            help=about,
            width=180,
        )
    return st.number_input(
        label,
        min_value=None if low is None else float(low),
        max_value=None if high is None else float(high),
        value=None if value is None else float(value),
        format="%g",
        key=key,
        help=about,
        width=180,
    )


def start(session_id: str, flow: str, data: Mapping[str, str], values: Mapping[str, Any]) -> None:
    """Start a workflow in the background, and go to where it is followed."""
    args: dict[str, Any] = {"workflow": flow}
    if data:
        args["data"] = dict(data)
    if values:
        args["parameters"] = dict(values)
    try:
        live().call(session_id, "workflow_run", args)
    except Refused as refused:
        tell(str(refused))
        return
    go(view=VIEWS[2], run=None, step=None)
