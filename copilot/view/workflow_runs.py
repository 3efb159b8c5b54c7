"""The runs of a session's workflows as its log has them, and what there is to say of a step of one."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from copilot.messages import later, t
from copilot.view.workflow_graph import Node
from copilot.view.workflow_library import title_of
from copilot.workflows.changing import since
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Reference, Step, WorkflowError, references
from state.log import Event
from state.model import Artifact, State
from tools.base import World

End = Literal["draft", "running", "finished", "repaired", "failed", "stopped"]
ENDS: Mapping[str, str] = {
    "draft": later("changed, not run yet"),
    "running": later("running"),
    "finished": later("finished"),
    "repaired": later("finished after repairs"),
    "failed": later("failed"),
    "stopped": later("stopped before its end"),
}
_DONE = ("done", "reused")


@dataclass(frozen=True)
class Run:
    """A workflow that was started, or changed and not started yet, as its artifact stands now."""

    id: str
    """The artifact: of a run that repairs itself, the one that it has come to."""
    end: End
    turn: int
    seq: int
    at: str
    said: str = ""
    made_of: str = ""
    """The artifact that a person changed it from."""
    ids: tuple[str, ...] = ()
    """Every artifact that it was on the way."""
    report: Mapping[str, Any] = field(default_factory=dict)
    """Its report as JSON; empty before there is one."""


def runs(events: Sequence[Event], state: State, running: str | None = None) -> tuple[Run, ...]:
    """The session's runs, the newest first; what was undone is not among them.

    `running` is the artifact that runs at this moment.
    """
    found: list[Run] = []
    for event in events:
        if event.kind != "call" or not event.ok:
            continue
        if event.tool == "workflow_run" and event.data.get("workflow"):
            handle = str(event.data["workflow"])
            found.append(Run(handle, "stopped", event.turn, event.seq, event.at, event.text, ids=(handle,)))
        elif event.tool == "workflow_adjust" and event.data.get("workflow"):
            _adjusted(found, event)
        elif event.tool == "workflow_report":
            _reported(found, event)
    latest: dict[str, Run] = {}
    for each in found:
        if each.end == "draft" and each.id in latest:
            continue  # it was run before: changing something back makes what was there
        latest.pop(each.id, None)
        latest[each.id] = each
    there = [each for each in latest.values() if state.artifact(each.id) is not None]
    shown = [replace(each, end="running") if running in each.ids and running else each for each in there]
    return tuple(sorted(shown, key=lambda each: -each.seq))


def _adjusted(found: list[Run], event: Event) -> None:
    before, after = str(event.args.get("workflow", "")), str(event.data["workflow"])
    last = found[-1] if found else None
    if last is not None and event.source == "workflow" and event.turn == last.turn:
        found[-1] = replace(last, id=after, ids=(*last.ids, after))
    else:
        found.append(
            Run(after, "draft", event.turn, event.seq, event.at, event.text, made_of=before, ids=(after,))
        )


def _reported(found: list[Run], event: Event) -> None:
    told = event.data.get("run") or {}
    last = found[-1] if found else None
    if last is None or event.source != "workflow" or event.turn != last.turn or last.end == "draft":
        return
    head = str(told.get("id") or event.args.get("workflow", last.id))
    head = head if head in last.ids else last.ids[0]
    repaired = any(each.get("failed") for each in told.get("adjustments", ()))
    end: End = (
        ("repaired" if repaired else "finished")
        if told.get("ok")
        else "stopped"
        if not told.get("trouble")
        else "failed"
    )
    found[-1] = replace(last, id=head, end=end, said=event.text, report=told)


def found_run(shown: Sequence[Run], handle: str | None) -> Run | None:
    """The run that a handle means, whichever of its artifacts that is; the newest where it means none."""
    named = next((each for each in shown if each.id == handle), None)
    named = named or next((each for each in shown if handle in each.ids), None)
    return named or (shown[0] if shown else None)


def bound(world: World, handle: str) -> Instance | None:
    """A started workflow with its data and values; None where its file is gone."""
    path = world.artifacts.find(handle)
    if path is None:
        return None
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        return Instance.from_json({key: value for key, value in plain.items() if key != "id"})
    except (OSError, ValueError, WorkflowError):
        return None


def started_in_vain(events: Sequence[Event]) -> str:
    """What the last attempt to start a workflow from the page said, where it did not start; else empty."""
    last = next((each for each in reversed(events) if each.tool == "workflow_run"), None)
    return last.text if last is not None and not last.ok else ""


# -- a step ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Argument:
    """What a step is given."""

    name: str
    value: str
    origin: str
    """Where the value is from: data, a parameter, the result of a step, or the step itself."""


@dataclass(frozen=True)
class Told:
    """All that the page says of a step."""

    step: Step
    status: str
    said: str
    why: str
    arguments: tuple[Argument, ...]
    results: tuple[Artifact, ...]
    checks: tuple[str, ...]
    changes: tuple[str, ...]
    """What went wrong with it and was changed, in the order of the changes."""
    seq: int | None
    seconds: float
    sources: tuple[str, ...]


def told(instance: Instance, step_id: str, node: Any, state: State) -> Told:
    """A step with its arguments, what came of it, and why it is there. `node` is `following`'s of it."""
    step = instance.workflow.step(step_id)
    arguments = tuple(
        Argument(name, _shown(_value(value, node, name), state), _origin(value, instance))
        for name, value in step.args.items()
    )
    results = tuple(
        artifact for handle in node.results.values() if (artifact := state.artifact(handle)) is not None
    )
    return Told(
        step,
        node.status,
        node.said,
        step.why or t("Nobody said why this step is there."),
        arguments,
        results,
        tuple(_check(each) for each in node.checks),
        changes(instance, step_id),
        node.seq,
        node.seconds,
        instance.workflow.sources,
    )


def changes(instance: Instance, step_id: str | None = None) -> tuple[str, ...]:
    """What was changed at run time, in sentences: of a step and of what was put in for it, or of all."""
    found = []
    for each in instance.adjustments:
        about = str(each.get("step", ""))
        if step_id is not None and about != step_id and f"_for_{about}" not in step_id:
            continue
        if each.get("failed"):
            found.append(
                t(
                    "{step} failed: {failed} Cause: {cause}. Changed: {changed}.",
                    step=title_of(about),
                    failed=_sentence(str(each["failed"])),
                    cause=each.get("because", t("not known")),
                    changed=each.get("said", ""),
                )
            )
        elif each.get("said"):
            found.append(t("Changed: {what}.", what=f"{each['said']}{since(each)}"))
    return tuple(found)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _value(value: Any, node: Any, name: str) -> Any:
    given = dict(node.args).get(name)
    return value if given is None else given


def _shown(value: Any, state: State) -> str:
    if isinstance(value, str):
        artifact = state.artifact(value)
        return value if artifact is None else f"{artifact.name} ({artifact.id})"
    if isinstance(value, list):
        return ", ".join(_shown(each, state) for each in value)
    if isinstance(value, float):
        return f"{value:g}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, bool)) else str(value)


def _origin(value: Any, instance: Instance) -> str:
    said = []
    for ref in references(value):
        said.append(_origin_of(ref, instance))
    return "; ".join(dict.fromkeys(said)) or t("as the workflow says")


def _origin_of(ref: Reference, instance: Instance) -> str:
    workflow = instance.workflow
    if workflow.input(ref.name) is not None:
        return t("the data {name}", name=title_of(ref.name).lower())
    if workflow.parameter(ref.name) is not None:
        because = instance.because.get(ref.name)
        if because:
            return t("the parameter {name}, from {because}", name=ref.name, because=because)
        return t("the parameter {name}", name=ref.name)
    return t("the result of {name}", name=title_of(ref.name).lower())


def _check(each: Mapping[str, Any]) -> str:
    value = each.get("value")
    shown = t("could not be measured") if value is None else t("is {value:g}", value=value)
    return f"{str(each['measure']).replace('_', ' ')} {shown}: {'kept' if each.get('met') else 'missed'}"


def graph_nodes(instance: Instance, nodes: Sequence[Any], state: State) -> tuple[Node, ...]:
    """The data and steps of a run for the graph; `nodes` are `following`'s."""
    workflow = instance.workflow
    used = {ref.name for step in workflow.steps for ref in step.references}
    inputs = []
    for each in workflow.inputs:
        if each.name in used and each.name in instance.inputs:
            artifact = state.artifact(instance.inputs[each.name])
            name = artifact.name if artifact is not None else instance.inputs[each.name]
            inputs.append(Node(each.name, title_of(each.name), name, "input"))
    names = {each.name for each in workflow.inputs}
    steps = []
    for each in nodes:
        given: tuple[str, ...] = ()
        if each.id in workflow.step_ids:
            given = tuple(ref.name for ref in workflow.step(each.id).references if ref.name in names)
        after = tuple(dict.fromkeys((*given, *each.before)))
        steps.append(Node(each.id, title_of(each.id), each.tool, each.status, after))
    return (*inputs, *steps)


def facts_html(rows: Sequence[tuple[str, str]]) -> str:
    """Names and values as markup, escaped."""
    cells = "".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>" for name, value in rows
    )
    return f"<section class='az-record'><dl>{cells}</dl></section>"


def arguments_html(arguments: Sequence[Argument]) -> str:
    """A step's arguments as a table, escaped."""
    cells = "".join(
        f"<tr><th scope='row'>{html.escape(each.name)}</th><td>{html.escape(each.value)}</td>"
        f"<td><small>{html.escape(each.origin)}</small></td></tr>"
        for each in arguments
    )
    titles = "".join(f"<th scope='col'>{each}</th>" for each in (t("argument"), t("value"), t("from")))
    head = f"<thead><tr>{titles}</tr></thead>"
    return f"<table class='az-flow-table'>{head}<tbody>{cells}</tbody></table>"


__all__ = [
    "ENDS",
    "Argument",
    "Run",
    "Told",
    "arguments_html",
    "bound",
    "changes",
    "facts_html",
    "found_run",
    "graph_nodes",
    "runs",
    "started_in_vain",
    "told",
]
