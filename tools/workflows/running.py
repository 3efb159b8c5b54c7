"""Start a workflow, change its graph, and tell how far it has come.

A started workflow is an artifact of the session: its graph, the data and the values that it is bound to. Its
steps are calls like any other, which the copilot makes after this one, in the same turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from state.codec import canonical
from state.model import Artifact, State
from tools.artifacts import artifact_file, id_or_name
from tools.base import Step, World, tool
from tools.phrases import listed, number_of
from tools.workflows.finding import procedures

WorkflowHandle = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="A started workflow: its id or its name.",
        json_schema_extra={"format": "workflow"},
    ),
]


@tool("knowledge", changes_state=True, gives=("workflow",), reads_files=True)
def workflow_run(
    state: State,
    world: World,
    *,
    workflow: Annotated[
        str,
        Field(
            min_length=1,
            max_length=300,
            description="A task or task/workflow of the library, one of one's own, a started one's id to "
            "run it elsewhere, or a goal in words.",
        ),
    ],
    data: Annotated[
        dict[str, str] | None,
        Field(description="Handles by the workflow's data; what is left out is chosen among what is there."),
    ] = None,
    parameters: Annotated[
        dict[str, Any] | None, Field(description="Values by the workflow's parameters, else its defaults.")
    ] = None,
) -> Step:
    """Run a procedure of several steps on the data at hand, each step checked, and repaired where it can be.

    The workflow that fits the data best is taken; its steps follow in this turn, and its report comes last.

    Example: copilot call workflow_run workflow=burn_severity/one_date data='{"after": "raster-5ce4e1"}'

    Asked as: do the whole flood assessment | run the burn severity workflow on these two | assess the flood
    between these two images | do the same for the other image | run it with 0.3 instead
    """
    bound = procedures(world).bound(state, world, workflow, data or {}, parameters or {})
    graph = bound["workflow"]
    steps = [each["tool"] for each in graph["steps"]]
    on = listed([f"{name} = {handle}" for name, handle in bound["inputs"].items()])
    step = _kept(state, world, bound)
    text = f"{graph['id']} ({graph['title']}) on {on}: {number_of(len(steps), 'step')}, {listed(steps)}."
    return Step(step, text, {"workflow": bound["id"], "steps": steps, "bound": _values(bound)})


@tool("knowledge", changes_state=True, needs=("workflow",), gives=("workflow",))
def workflow_adjust(
    state: State,
    world: World,
    *,
    workflow: WorkflowHandle,
    change: Annotated[
        dict[str, Any],
        Field(
            description="kind (parameter and argument set a value; insert, replace and skip change a step; "
            "together: several, in parts), with step, name, value, tool, args or parts as it needs."
        ),
    ],
    step: Annotated[str, Field(max_length=100, description="The step that did not end well.")] = "",
    failed: Annotated[str, Field(max_length=600, description="How it failed.")] = "",
    because: Annotated[str, Field(max_length=200, description="The cause that the change is against.")] = "",
) -> Step:
    """Change a started workflow: set a value, insert, replace or skip a step; says what and why.

    Example: copilot call workflow_adjust workflow=workflow-f10d00 change='{"kind": "parameter", "name": "min_area_m2", "value": 9}'

    Asked as: use another index in that workflow | filter the speckle before | set the threshold of the
    workflow to 0.3 | replace that step | skip the land mask | leave that step of the workflow out
    """  # noqa: E501 - an example is one line
    before = _bound(state, world, workflow)
    after = procedures(world).changed(before, change, step=step, failed=failed, because=because)
    text = f"{before['id']} becomes {after['id']}: {after['adjustments'][-1]['said']}"
    why = (
        f", since {step} failed ({because}): {failed}" if failed else f", since {because}" if because else ""
    )
    return Step(
        _kept(state, world, after),
        f"{text}{why}" if why.endswith(".") else f"{text}{why}.",
        {"workflow": after["id"], "adjustment": after["adjustments"][-1]},
    )


@tool("knowledge", needs=("workflow",), reads_files=True)
def workflow_report(state: State, world: World, *, workflow: WorkflowHandle) -> Step:
    """Tell how far a workflow has come: each step's result and checks, what was repaired, what it gives.

    Example: copilot call workflow_report workflow=workflow-f10d00

    Asked as: how did the workflow go | which step failed | what did the workflow change | why was that step
    there
    """
    told = procedures(world).report(state, world, _bound(state, world, workflow))
    done = sum(each["status"] in ("done", "reused") for each in told["steps"])
    return Step(
        state, str(told["said"]), {"run": told, "done": done, "of": len(told["steps"]), "ok": told["ok"]}
    )


def _bound(state: State, world: World, handle: str) -> dict[str, Any]:
    path = artifact_file(state, world, id_or_name(state, handle, "workflow"), "workflow")
    plain: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return plain


def _kept(state: State, world: World, bound: Mapping[str, Any]) -> State:
    """The state with a bound workflow as an artifact: its content says what its id is."""
    path = world.artifacts.path(bound["id"], ".json")
    path.write_text(canonical(bound), encoding="utf-8")
    graph = bound["workflow"]
    about = f"{number_of(len(graph['steps']), 'step')} on {number_of(len(bound['inputs']), 'input')}"
    name = str(graph["title"] or graph["id"])[:100]
    return state.with_artifact(
        Artifact(bound["id"], "workflow", name, about, f"workflow {graph['id']}"[:200])
    )


def _values(bound: Mapping[str, Any]) -> dict[str, Any]:
    return {name: bound[name] for name in ("inputs", "parameters", "because")}


TOOLS = (workflow_run, workflow_adjust, workflow_report)
