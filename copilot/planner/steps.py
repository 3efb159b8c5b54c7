"""The embedded planner's answers to the steps of an agent that are no tool calls: plan, modules, reflection."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from copilot.planner.answer_first import Done
from copilot.planner.declared.idioms.vision import of_many
from copilot.planner.plan import Plan
from copilot.planner.situation import Call
from tools.toolbox import toolbox

OTHER_WAYS = {
    "filter_class": "filter_lccclass",
    "filter_lccclass": "filter_class",
    "fit_layer": "fit_selection",
    "time_slider_plot": "scatter_plot",
    "detection_plot": "footprint_plot",
}
"""A tool that failed: the one that may reach the same another way. Arguments it does not have are left out."""


def submitted_plan(plan: Plan) -> dict[str, Any]:
    """The form of a whole plan."""
    calls = [{"tool": call.tool, "args": call.args} for call in plan.calls]
    return {"thought": _in_short(plan.calls), "calls": calls}


def submitted_modules(plan: Plan) -> dict[str, Any]:
    """The form of a plan's modules: the categories of its tools, in order."""
    modules = []
    for category, calls in itertools.groupby(plan.calls, lambda call: toolbox().get(call.tool).category):
        modules.append({"module": category, "task": _in_short(tuple(calls))})
    return {"modules": modules}


def submitted_reflection(done: Sequence[Done], rest: Sequence[Call]) -> tuple[dict[str, Any], Plan | None]:
    """The form of a reflection on a try, and the plan of the second where there is another way.

    `rest` is what the first try did not come to.
    """
    failed = next((each for each in done if not each.ok), None)
    if failed is None:
        return {"right": True, "again": False}, None
    form = {"right": False, "what_failed": f"{failed.call.tool} failed.", "why": failed.text}
    tried = {each.call.tool for each in done}
    other = OTHER_WAYS.get(failed.call.tool)
    if other is None or other in tried or other not in toolbox():
        return {**form, "instead": "No other tool does the same; the rest stands.", "again": False}, None
    calls = [
        _another_way(each.call, other) if each is failed else each.call
        for each in done
        if each is failed or each.ok
    ]
    note = f"I used {other} where {failed.call.tool} failed: {failed.text}"
    return (
        {**form, "instead": f"{other} in place of {failed.call.tool}.", "again": True},
        Plan((*calls, *rest), (note,)),
    )


def submitted_task_types(request: str, image: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The form of a request's task types: the likeliest, and those that are half as likely.

    `image` is what is known of the image that is looked at; a request for images of the catalogue is not about it.
    """
    from copilot.solutions import infer_tasks  # its head is a file of its own, which one agent reads

    found = infer_tasks(request, None if of_many(request) else image)
    return {"tasks": [each.task for each in found if each.score >= found[0].score / 2][:3]}


def thought_before(call: Call, done: Sequence[Done], left: int) -> str:
    """Why a call comes next, in a sentence."""
    last = done[-1] if done else None
    went = "" if last is None or last.ok else f"{last.call.tool} failed: {last.text} "
    after = f", then {left} more" if left else ""
    return f"{went}Next: {toolbox().get(call.tool).summary.rstrip('.')}{after}."


def said_between(done: Sequence[Done], left: Sequence[Call]) -> str:
    """What a step ends with whose tools cannot do what comes next."""
    made = ", ".join(each.call.tool for each in done) or "nothing"
    return f"Done so far: {made}. Next comes {left[0].tool}."


def _another_way(call: Call, tool: str) -> Call:
    taken = toolbox().get(tool).arguments.model_fields
    return Call(tool, {key: value for key, value in call.args.items() if key in taken})


def _in_short(calls: Sequence[Call]) -> str:
    if not calls:
        return "Nothing is to be done on the map or in the catalogue."
    return " ".join(toolbox().get(call.tool).summary for call in calls)
