"""Runs the library's workflows to their end on what their task names, checks the results, keeps the record.

`library/ran.json` is written by `copilot workflow run --record` alone, and says of each workflow that was
run: on what, what was measured against what, the digest of the workflow that ran, and when. A workflow that
was changed since counts as not run.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.workflows.engine import Report, Run
from copilot.workflows.facts import known
from copilot.workflows.instantiate import Instance, Question, fit, instance
from copilot.workflows.model import Check, Task, Workflow, WorkflowError
from copilot.workflows.quality import measure
from copilot.workflows.reading import LIBRARY
from copilot.workflows.trying import Brought, bring

if TYPE_CHECKING:
    from copilot.session import Session

RECORD = LIBRARY / "ran.json"
_EXPECTED = {"of", "measure", "low", "high", "iou_with", "why"}


@dataclass(frozen=True)
class Trial:
    """How a workflow did on what its task is tried on."""

    workflow: Workflow
    report: Report
    on: Mapping[str, Any]
    measured: tuple[Mapping[str, Any], ...]
    """What was expected of the results, with the value that was found."""

    @property
    def ok(self) -> bool:
        """Whether it ran to its end without help, and its results are what they must be."""
        return self.report.ok and bool(self.measured) and all(each["met"] for each in self.measured)

    def to_json(self) -> dict[str, Any]:
        """What the record keeps of it."""
        return {
            "digest": self.workflow.digest,
            "on": self.on,
            "measured": [dict(each) for each in self.measured],
            "steps": len(self.workflow.steps),
            "calls": self.report.calls,
            "seconds": round(self.report.seconds, 2),
            "at": datetime.now(UTC).date().isoformat(),
        }


def trial(session: Session, task: Task, workflow: Workflow) -> Trial:
    """Run one workflow in a session on what its task names. Raises WorkflowError for what cannot be tried."""
    name = workflow.id.partition("/")[2]
    said = task.tried_on
    expected = said.get("expect", {}).get(name)
    if not expected:
        raise WorkflowError(f"{task.id} names nothing that must come of {name!r} (try: expect).")
    specs = {each.name: said.get("data", {}).get(each.name) for each in workflow.inputs}
    with tempfile.TemporaryDirectory(prefix="workflow-") as folder:
        brought = {key: bring(spec, Path(folder)) for key, spec in specs.items() if spec is not None}
        handles = {key: _added(session, key, each) for key, each in brought.items()}
        wanted = {
            key: value
            for key, value in said.get("parameters", {}).items()
            if workflow.parameter(key) is not None
        }
        report = Run(session, _bound(session, workflow, handles, wanted)).run()
        measured = tuple(_measured(session, report, each, brought) for each in expected)
    return Trial(workflow, report, specs, measured)


def _bound(session: Session, workflow: Workflow, handles: Mapping[str, str], values: Any) -> Instance:
    things = {each: known(session.state, session.world(), each, session.events) for each in handles.values()}
    chosen = fit(workflow, things, handles)
    if chosen.lacks:
        raise WorkflowError(f"{workflow.id} cannot run on this: {'; '.join(map(str, chosen.lacks))}.")
    made = instance(chosen, things, values)
    if not isinstance(made, Instance):
        raise WorkflowError(f"{workflow.id} asks: {' '.join(each.text for each in made)}")
    return made


def _added(session: Session, name: str, brought: Brought) -> str:
    event = session.call_tool("add_file", {"file": str(brought.path), "name": name}, source="workflow")
    if not event.ok:
        raise WorkflowError(f"{brought.path.name} cannot be added: {event.text}")
    found = next(
        (event.data[key] for key in ("raster", "vector", "table", "document") if event.data.get(key)), None
    )
    if found is None:
        raise WorkflowError(f"{brought.path.name} gave nothing to run on: {event.text}")
    return str(found)


def _measured(
    session: Session, report: Report, expected: Mapping[str, Any], brought: Mapping[str, Brought]
) -> dict[str, Any]:
    extra = set(expected) - _EXPECTED
    if extra or "of" not in expected:
        raise WorkflowError(f"An expectation has {', '.join(sorted(_EXPECTED))}, and must say of what.")
    of = str(expected["of"]).lstrip("$")
    data = _data_of(session, report, of.partition(".")[0])
    artifact = _result(report, of)
    path = session.world().artifacts.find(artifact) if artifact is not None else None
    low, high = expected.get("low"), expected.get("high")
    if "iou_with" in expected:
        value = _iou(path, str(expected["iou_with"]), brought)
        name = f"iou_with {expected['iou_with']}"
    else:
        name = str(expected["measure"])
        if name.startswith("figure."):
            from copilot.workflows.quality import reading

            value = reading(Check(name, low=low, high=high), None, data).value
        else:
            value = measure(name, path) if path is not None else None
    met = value is not None and (low is None or value >= low) and (high is None or value <= high)
    shown = None if value is None else float(f"{value:.6g}")
    return {"of": expected["of"], "measure": name, "low": low, "high": high, "value": shown, "met": met}


def _result(report: Report, of: str) -> str | None:
    from copilot.workflows.engine import values_of

    return values_of(report.steps, report.instance).get(of)


def _data_of(session: Session, report: Report, step: str) -> Mapping[str, Any]:
    seq = next((each.seq for each in report.steps if each.step == step), None)
    return next((each.data for each in session.events if each.seq == seq), {})


def _iou(path: Path | None, truth: str, brought: Mapping[str, Brought]) -> float | None:
    """The intersection over union of a mask and the truth: `changed` of a pair, or a land cover's name."""
    import numpy as np

    from data.raster.files import opened
    from data.scenes.model import COVERS

    if path is None:
        return None
    name, _, of = truth.partition(" of ")
    chosen = [each for key, each in brought.items() if (not of or key == of)]
    pair = next((each.pair for each in chosen if each.pair is not None), None)
    scene = next((each.scene for each in reversed(chosen) if each.scene is not None), None)
    if name == "changed" and pair is not None:
        right = pair.changed
    elif name in COVERS and scene is not None:
        right = scene.landcover == COVERS.index(name)
    elif name == "clouds" and scene is not None:
        right = scene.clouds
    else:
        raise WorkflowError(f"There is no truth {truth!r}: changed, clouds, or one of {', '.join(COVERS)}.")
    with opened(path) as source:
        found = source.read(1, masked=True)
    mask = np.asarray(found.filled(0) != 0)
    if mask.shape != right.shape:
        return None
    union = int((mask | right).sum())
    return float((mask & right).sum() / union) if union else 1.0


# -- the record ------------------------------------------------------------------------------------


def read_record(path: Path = RECORD) -> dict[str, Any]:
    """By workflow id, what the record keeps; nothing where there is none."""
    if not path.is_file():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write_record(trials: Iterator[Trial] | list[Trial], path: Path = RECORD) -> dict[str, Any]:
    """Take trials that went well into the record, and out what did not. What it then holds."""
    record = read_record(path)
    for each in trials:
        record.pop(each.workflow.id, None)
        if each.ok:
            record[each.workflow.id] = each.to_json()
    text = json.dumps(dict(sorted(record.items())), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return record


def ran(workflow: Workflow, record: Mapping[str, Any] | None = None) -> bool:
    """Whether the record says that this very workflow was run here to its end, with right results."""
    kept = (read_record() if record is None else record).get(workflow.id)
    return kept is not None and bool(kept["digest"] == workflow.digest)


__all__ = ["RECORD", "Question", "Trial", "ran", "read_record", "trial", "write_record"]
