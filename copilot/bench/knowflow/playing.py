"""Adds files to a session, and reads off what a run ended in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.bench.knowflow.results import kept
from copilot.workflows.engine import Report
from copilot.workflows.model import WorkflowError

if TYPE_CHECKING:
    from copilot.session import Session

_KINDS = ("raster", "vector", "table", "document")


def add(session: Session, name: str, path: Path) -> str:
    """A file in the session under a name: its handle. Raises WorkflowError for one that cannot be read."""
    event = session.call_tool("add_file", {"file": str(path), "name": name}, source="bench")
    found = next((event.data[key] for key in _KINDS if event.data.get(key)), None) if event.ok else None
    if found is None:
        raise WorkflowError(f"{path.name} cannot be added: {event.text}")
    return str(found)


def endings(session: Session, report: Report) -> dict[str, dict[str, Any]]:
    """By each reference of what a run gives, what it ended in (`results.kept`)."""
    answer = report.answer
    found: dict[str, dict[str, Any]] = {}
    for of in report.instance.workflow.gives:
        handle = answer.get(of)
        if handle is not None:
            found[of] = of_artifact(session, handle)
            continue
        step = of.lstrip("$").partition(".")[0]
        data = _data(session, next((each.seq for each in report.steps if each.step == step), None))
        found[of] = kept("", None, data)
    return found


def of_artifact(session: Session, handle: str) -> dict[str, Any]:
    """What one artifact of the session holds."""
    artifact = session.state.artifact(handle)
    path = session.world().artifacts.find(handle)
    return kept(artifact.kind if artifact is not None else "", path, {})


def _data(session: Session, seq: int | None) -> Mapping[str, Any]:
    return next((each.data for each in session.events if each.seq == seq), {})


__all__ = ["add", "endings", "of_artifact"]
