"""Writes a workflow for other hands: JSON, a script, a notebook, and CWL or WfFormat for other engines.

The script and the notebook run here, on `scripting`. The CWL document (v1.2) runs anywhere a CWL runner and
Azimuth are: each step is a command on files. WfFormat 1.5 (wfcommons.org) describes the graph, and a run of
it where there was one; it is not run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from copilot.workflows import actions
from copilot.workflows.engine import Report
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Parameter, Step, Workflow, reference
from copilot.workflows.scripts import notebook, script
from tools.conditions import KINDS
from tools.toolbox import toolbox

_WITHIN = re.compile(r"\$\{([A-Za-z_]\w*)\.(\w+)\}")


def workflow_json(workflow: Workflow, instance: Instance | None = None) -> str:
    """The workflow as it is imported elsewhere, with the values of an instance as its defaults."""
    return _text(with_values(workflow, instance).to_json())


def with_values(workflow: Workflow, instance: Instance | None) -> Workflow:
    """The workflow whose defaults are the values that an instance was run with."""
    from dataclasses import replace

    if instance is None:
        return workflow
    values = instance.parameters
    return replace(
        workflow,
        parameters=tuple(replace(p, default=values.get(p.name, p.default)) for p in workflow.parameters),
    )


# -- CWL ---------------------------------------------------------------------------------------------


def cwl(workflow: Workflow, instance: Instance | None = None) -> str:
    """A CWL v1.2 workflow, as JSON: `cwltool --preserve-environment PYTHONPATH FILE --image scene.tif`."""
    workflow = with_values(workflow, instance)
    document = {
        "cwlVersion": "v1.2",
        "class": "Workflow",
        "label": workflow.title,
        "doc": f"{workflow.id}: {workflow.goal} {workflow.when}".strip(),
        "inputs": {**dict(_cwl_data(workflow)), **dict(_cwl_parameters(workflow))},
        "outputs": dict(_cwl_outputs(workflow)),
        "steps": {each.id: _cwl_step(workflow, each) for each in workflow.order()},
    }
    return _text(document)


def _cwl_data(workflow: Workflow) -> Iterator[tuple[str, Any]]:
    for each in workflow.inputs:
        yield each.name, {"type": "File?" if each.optional else "File", "doc": f"{each.about} ({each.needs})"}


def _cwl_parameters(workflow: Workflow) -> Iterator[tuple[str, Any]]:
    for each in workflow.parameters:
        said = {"type": _cwl_type(each), "doc": f"{each.why} {each.unit}".strip()}
        if each.default is not None:
            said["default"] = each.default if _cwl_type(each) != "string" else _as_text(each.default)
        yield each.name, said


def _cwl_type(parameter: Parameter) -> str:
    """Numbers and truths are themselves; whatever else is passed as text."""
    if isinstance(parameter.default, bool):
        return "boolean"
    numeric = [v for v in (parameter.default, parameter.low, parameter.high) if v is not None]
    if numeric and all(isinstance(each, (int, float)) for each in numeric) and not parameter.choices:
        return "double" if any(isinstance(each, float) for each in numeric) else "long"
    return "string"


def _cwl_outputs(workflow: Workflow) -> Iterator[tuple[str, Any]]:
    for each in workflow.gives:
        step, _, key = each.lstrip("$").partition(".")
        keys = _results(workflow.step(step))
        for one in [key] if key else keys[:1]:
            yield f"{step}__{one}", {"type": "File?", "outputSource": f"{step}/{one}"}
        yield f"{step}__said", {"type": "File", "outputSource": f"{step}/said"}


def _cwl_step(workflow: Workflow, step: Step) -> dict[str, Any]:
    names: dict[str, str] = {}
    for each in step.references:
        source = str(each)[1:]
        if each.name in workflow.step_ids:
            key = each.key or actions.main_key(toolbox().get(workflow.step(each.name).tool))
            names[source] = f"{each.name}/{key}"
        else:
            names[source] = each.name
    inputs: dict[str, Any] = {}
    for source, where in names.items():
        parameter = workflow.parameter(source)
        kind = _cwl_type(parameter) if parameter is not None else "File"
        prefix = "file:" if parameter is None else "text:" if kind == "string" else "value:"
        optional = parameter is None and _may_lack(workflow, source, where)
        inputs[_flat(source)] = {
            "type": f"{kind}?" if optional else kind,
            "inputBinding": {"prefix": f"{prefix}{_flat(source)}=", "separate": False, "position": 2},
        }
    for before in step.after:
        inputs[f"after__{before}"] = {"type": "File"}
        names[f"after__{before}"] = f"{before}/said"
    checks = [{k: v for k, v in vars(each).items() if v not in ("", None)} for each in step.checks]
    return {
        "label": step.method or step.tool,
        "doc": step.why,
        "run": {
            "class": "CommandLineTool",
            "baseCommand": ["python", "-m", "copilot", "workflow", "step"],
            "arguments": [
                {"valueFrom": step.tool, "position": 0},
                {"prefix": "--args", "valueFrom": _escaped(_flat_args(step.args)), "position": 1},
                {"prefix": "--checks", "valueFrom": _escaped(checks), "position": 1},
            ],
            "inputs": inputs,
            "outputs": {
                **{key: {"type": "File?", "outputBinding": {"glob": f"{key}.*"}} for key in _results(step)},
                "said": {"type": "File", "outputBinding": {"glob": "step.json"}},
            },
        },
        "in": {_flat(source): where for source, where in names.items()},
        "out": [*_results(step), "said"],
    }


def _may_lack(workflow: Workflow, source: str, where: str) -> bool:
    given = workflow.input(source)
    return given.optional if given is not None else "/" in where  # a step's results may be fewer


def _results(step: Step) -> list[str]:
    """The keys of what a step may make, its main one first."""
    tool = toolbox().get(step.tool)
    return list(dict.fromkeys(e.argument for e in tool.effects if e.kind in KINDS and not e.in_place))


def _flat(source: str) -> str:
    """A reference's name where no dots are allowed."""
    return source.replace(".", "__")


def _flat_args(value: Any) -> Any:
    if isinstance(value, str):
        found = reference(value)
        if found is not None:
            return f"${_flat(str(found)[1:])}"
        return _WITHIN.sub(lambda match: f"${{{match[1]}__{match[2]}}}", value)
    if isinstance(value, Mapping):
        return {key: _flat_args(each) for key, each in value.items()}
    return [_flat_args(each) for each in value] if isinstance(value, (list, tuple)) else value


def _escaped(value: Any) -> str:
    """JSON text in which CWL finds no expression: there `$(` and `${` begin one."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("$", "\\u0024") if "$(" in text or "${" in text else text


# -- WfFormat ----------------------------------------------------------------------------------------


def wfformat(
    workflow: Workflow, report: Report | None = None, size_of: Callable[[str], int] | None = None
) -> str:
    """The graph as WfFormat 1.5, and how long each step took where it was run.

    `size_of` gives the bytes of a result by its handle.
    """
    named = set(workflow.step_ids)
    made = {each.step: each for each in report.steps} if report is not None else {}
    given = dict(report.instance.inputs) if report is not None else {}
    files: dict[str, int] = {}
    tasks = []
    for step in workflow.order():
        tasks.append(
            {
                "name": step.tool,
                "id": step.id,
                "parents": [first for first, then in workflow.edges if then == step.id],
                "children": [then for first, then in workflow.edges if first == step.id],
                "inputFiles": list(dict.fromkeys(_wf_file(workflow, str(each)[1:]) for each in step.references
                                                 if each.name in named or workflow.input(each.name))),
                "outputFiles": [f"{step.id}.{key}" for key in _results(step)],
            }
        )  # fmt: skip
        for key in _results(step):
            handle = made[step.id].results.get(key) if step.id in made else None
            files[f"{step.id}.{key}"] = size_of(handle) if handle and size_of else 0
    for each in workflow.inputs:
        files[each.name] = size_of(given[each.name]) if size_of and each.name in given else 0
    document: dict[str, Any] = {
        "name": workflow.id,
        "description": workflow.goal or workflow.title,
        "createdAt": _now(),
        "schemaVersion": "1.5",
        "runtimeSystem": {"name": "Azimuth", "version": _version()},
        "workflow": {
            "specification": {
                "tasks": tasks,
                "files": [{"id": name, "sizeInBytes": size} for name, size in files.items()],
            }
        },
    }
    if report is not None:
        document["workflow"]["execution"] = _execution(report)
    return _text(document)


def _execution(report: Report) -> dict[str, Any]:
    return {
        "makespanInSeconds": round(report.seconds, 4),
        "executedAt": _now(),
        "tasks": [
            {
                "id": each.step,
                "runtimeInSeconds": round(each.seconds, 4),
                "command": {"program": "copilot", "arguments": ["call", each.tool]},
            }
            for each in report.steps
        ],
    }


def _wf_file(workflow: Workflow, source: str) -> str:
    name, _, key = source.partition(".")
    if name not in workflow.step_ids:
        return name
    return f"{name}.{key or actions.main_key(toolbox().get(workflow.step(name).tool))}"


def _version() -> str:
    import tomllib
    from pathlib import Path

    said = Path(__file__).parents[2] / "pyproject.toml"
    found = tomllib.loads(said.read_text(encoding="utf-8"))["project"]["version"] if said.is_file() else "0"
    return str(found)


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _text(plain: Any) -> str:
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


FORMATS: Mapping[str, tuple[str, Callable[[Workflow, Instance | None], str]]] = {
    "json": (".json", workflow_json),
    "script": (".py", script),
    "notebook": (".ipynb", notebook),
    "cwl": (".cwl", cwl),
    "wfformat": (".wf.json", lambda workflow, _: wfformat(workflow)),
}
"""By name: how the file's name ends, and what writes it."""

__all__ = ["FORMATS", "cwl", "notebook", "script", "wfformat", "with_values", "workflow_json"]
