"""The library of workflows as its page shows it: tasks to search and browse, and what data allow."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from copilot.messages import later, t
from copilot.view.workflow_graph import Node
from copilot.workflows.instantiate import Fit, fit, search
from copilot.workflows.model import Task, Workflow
from copilot.workflows.reading import library
from copilot.workflows.recording import RECORD, ran, read_record
from tools.conditions import Thing

FIELDS: Mapping[str, str] = {
    "disasters": later("Disasters"),
    "water": later("Water and sea"),
    "agriculture": later("Agriculture"),
    "forestry": later("Forestry"),
    "land_cover": later("Land cover"),
    "urban": later("Urban"),
    "transport": later("Transport"),
    "environment": later("Environment and climate"),
    "geology": later("Geology and mining"),
    "snow_ice": later("Snow and ice"),
    "atmosphere": later("Atmosphere"),
    "security": later("Security at sea"),
    "archaeology": later("Archaeology"),
    "preprocessing": later("Preprocessing"),
    "visualisation": later("Visualisation"),
    "own": later("Your own"),
}
MOST_FOUND = 200
MOST_SHOWN = 24
"""Tasks that the data at hand allow, at most; the list says how many more there are."""


@dataclass(frozen=True)
class Row:
    """A task in the list."""

    id: str
    title: str
    field: str
    goal: str
    workflows: int
    ran: int
    """How many of its workflows were run here to their end."""


@dataclass(frozen=True)
class Possible:
    """A workflow that the data at hand allow, or nearly."""

    task: Task
    fit: Fit
    ran: bool
    lacks: str = ""
    """What stands against it, in words; empty where nothing does."""


def title_of(name: str) -> str:
    """A task's, step's or input's name as people read it."""
    plain = name.partition("/")[2] or name
    words = plain.replace("_", " ")
    return words[:1].upper() + words[1:]


def statement(tasks: Sequence[Task]) -> str:
    """What can truly be said of the library: how large it is, what was checked, and what was run."""
    known = [each for each in tasks if each.field != "own"]
    flows = [one for each in known for one in each.workflows]
    tried = [one for one in flows if was_run(one)]
    covered = {each.task for each in tried}
    every = (
        t("at least one of each task")
        if len(covered) == len(known)
        else t("of {covered} tasks", covered=len(covered))
    )
    return t(
        "{known} tasks and {flows:,} workflows, checked against their sources and run: {tried} "
        "of them, {every}, ran here to their end on example files or rendered scenes, with their "
        "results checked. Nobody else has validated them.",
        known=len(known),
        flows=len(flows),
        tried=len(tried),
        every=every,
    )


def was_run(workflow: Workflow) -> bool:
    """Whether this very workflow was run here to its end with right results."""
    return ran(workflow, _record(RECORD.stat().st_mtime_ns if RECORD.exists() else 0))


def ran_on(workflow: Workflow) -> str:
    """On what a workflow was run here, when, and what was measured; empty where it was not."""
    if not was_run(workflow):
        return ""
    kept = _record(RECORD.stat().st_mtime_ns)[workflow.id]
    data = "; ".join(f"{name}: {_specimen(spec)}" for name, spec in kept["on"].items())
    results = "; ".join(_measured(each) for each in kept["measured"])
    return t("Run here on {at} on {data}. {results}.", at=kept["at"], data=data, results=results)


@lru_cache(maxsize=2)
def _record(_changed: int) -> dict[str, Any]:
    return read_record()


def _specimen(spec: Any) -> str:
    if isinstance(spec, str):
        kind, _, name = spec.partition(":")
        file = name.rpartition("/")[2]
        return (
            t("the example file {file}", file=file)
            if kind == "example"
            else t("the real file {file}", file=file)
        )
    if "pair" in spec:
        sensor = spec.get("sensor", "optical")
        side, what = spec.get("side", "after"), spec["pair"]
        return t("the {side} of a rendered {sensor} pair of a {what}", side=side, sensor=sensor, what=what)
    return t("a rendered {scene} scene", scene=spec.get("scene", "optical"))


def _measured(each: Mapping[str, Any]) -> str:
    low, high = each.get("low"), each.get("high")
    if high is None:
        due = t("at least {low:g}", low=low)
    elif low is None:
        due = t("at most {high:g}", high=high)
    else:
        due = t("{low:g} to {high:g}", low=low, high=high)
    measure = str(each["measure"]).replace("_", " ").replace("iou with", "IoU with the true")
    return f"{str(each['of']).lstrip('$')}: {measure} {each['value']:g} ({t('{due} was due', due=due)})"


def rows(tasks: Sequence[Task], words: str = "", field: str | None = None) -> tuple[Row, ...]:
    """The tasks of a field, by the nearest to words where some are given, else as fields and names go."""
    within = [each for each in tasks if field in (None, each.field)]
    if words.strip():
        plain = words.strip().casefold().replace(" ", "_")
        near = {each.id: score for each, score in search(within, words, MOST_FOUND)}
        literal = {each.id for each in within if plain in each.id}
        within = [each for each in within if each.id in near or each.id in literal]
        within.sort(key=lambda each: (each.id not in literal, -near.get(each.id, 0.0), each.id))
        best = max(near.values(), default=0.0)
        within = [each for each in within if each.id in literal or near.get(each.id, 0) >= best / 3]
    else:
        order = {name: at for at, name in enumerate(FIELDS)}
        within.sort(key=lambda each: (order.get(each.field, 99), each.id))
    return tuple(_row(each) for each in within)


def _row(task: Task) -> Row:
    tried = sum(was_run(each) for each in task.workflows)
    return Row(task.id, title_of(task.id), task.field, task.goal, len(task.workflows), tried)


def fields(tasks: Sequence[Task]) -> dict[str, int]:
    """How many tasks each field has, in the order in which fields are shown."""
    counts = {name: sum(each.field == name for each in tasks) for name in FIELDS}
    return {name: count for name, count in counts.items() if count}


# -- what data allow -------------------------------------------------------------------------------


def possible(tasks: Sequence[Task], things: Mapping[str, Thing]) -> tuple[Possible, ...]:
    """What can be done with these things, one workflow a task: those that use most of them first.

    Workflows whose preconditions hold come first; then those that lack one thing, with what that is.
    """
    own = tuple(each for each in tasks if each.field == "own")
    fits = {each.workflow.id: each for each in _fits(tuple(things.items()), own)}
    found: list[tuple[tuple[float, ...], Possible]] = []
    for task in tasks:
        best = min(
            ((_rank(fits[each.id]), at, each) for at, each in enumerate(task.workflows)),
            key=lambda one: one[:2],
            default=None,
        )
        if best is None or not fits[best[2].id].inputs:
            continue
        chosen = fits[best[2].id]
        wrong = len(chosen.missing) + len(chosen.lacks)
        if wrong <= 1:
            found.append((best[0], Possible(task, chosen, was_run(best[2]), _lacking(chosen))))
    found.sort(key=lambda each: (*each[0], each[1].task.id))
    return tuple(each for _, each in found)


@lru_cache(maxsize=16)
def _fits(things: tuple[tuple[str, Thing], ...], own: tuple[Task, ...]) -> tuple[Fit, ...]:
    at_hand = dict(things)
    return tuple(fit(each, at_hand) for task in (*library(), *own) for each in task.workflows)


def _rank(found: Fit) -> tuple[float, ...]:
    """Less is better: what is wrong, data left unused, what was not run here, and how little is asked."""
    said = sum(len(each.needs.said()) for each in found.workflow.inputs if each.name in found.inputs)
    return (
        len(found.missing) + len(found.lacks),
        -len(found.inputs),
        not was_run(found.workflow),
        -said,
    )


def _lacking(found: Fit) -> str:
    said = [
        t("{name} is missing: {about}", name=title_of(each.name), about=each.about or each.needs)
        for each in found.missing
    ]
    return "; ".join([*said, *map(str, found.lacks)])


# -- one workflow ----------------------------------------------------------------------------------


def nodes_of(workflow: Workflow, bound: Mapping[str, str] | None = None) -> tuple[Node, ...]:
    """A workflow's inputs and steps for the graph, before it runs; `bound` has what is given, by input."""
    used = {ref.name for step in workflow.steps for ref in step.references}
    given = bound or {}
    inputs = [
        Node(each.name, title_of(each.name), given.get(each.name) or each.needs.kind, "input")
        for each in workflow.inputs
        if each.name in used
    ]
    names = {each.id for each in inputs}
    steps = [
        Node(
            step.id,
            title_of(step.id),
            step.tool,
            "waiting",
            tuple(
                dict.fromkeys(
                    each
                    for each in (*(ref.name for ref in step.references), *step.after)
                    if each in names or each in workflow.step_ids
                )
            ),
        )
        for step in workflow.order()
    ]
    return (*inputs, *steps)


def about_html(task: Task, workflow: Workflow) -> str:
    """What a workflow wants, gives, fails of and is from, as markup; every value is escaped."""
    wants = "".join(
        f"<li><b>{_safe(title_of(each.name))}</b> {_safe(each.about or str(each.needs))} "
        f"<code>{_safe(str(each.needs))}</code>{t(' (may be left out)') if each.optional else ''}</li>"
        for each in workflow.inputs
    )
    fails = "".join(
        f"<li><b>{_safe(each.shows)}</b> {_safe(each.cause)} <i>{_safe(each.then)}</i></li>"
        for each in task.failures
    )
    parts = [f"<h4>{t('It wants')}</h4><ul>{wants}</ul>"]
    if fails:
        parts.append(f"<h4>{t('What goes wrong, why, and what then')}</h4><ul>{fails}</ul>")
    sources = [_source(each.title, each.where, each.for_what) for each in task.sources]
    if sources:
        parts.append(f"<h4>{t('Sources')}</h4><ul>{''.join(sources)}</ul>")
    return f"<div class='az-flow-about'>{''.join(parts)}</div>"


def _source(title: str, where: str, what: str) -> str:
    address = f"https://doi.org/{where[4:]}" if where.startswith("doi:") else where
    said = f" <small>{t('for {what}', what=_safe(what))}</small>" if what else ""
    if not address.startswith(("https://", "http://")):
        return f"<li>{_safe(title)} <small>{_safe(where)}</small>{said}</li>"
    link = f"<a href='{_safe(address)}' rel='noopener noreferrer' target='_blank'>{_safe(title)}</a>"
    return f"<li>{link}{said}</li>"


def _safe(text: str) -> str:
    return html.escape(text, quote=True)


__all__ = [
    "FIELDS",
    "MOST_SHOWN",
    "Possible",
    "Row",
    "about_html",
    "fields",
    "nodes_of",
    "possible",
    "ran_on",
    "rows",
    "statement",
    "title_of",
    "was_run",
]
