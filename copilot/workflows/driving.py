"""Drives a started workflow: its steps, its repairs and its report, in the turn that started it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from copilot.workflows.instantiate import Instance
from copilot.workflows.memory import Memory
from copilot.workflows.running import run

if TYPE_CHECKING:
    from copilot.session import Session
    from state.log import Event


def drive(session: Session, event: Event) -> Event:
    """Run the steps of the workflow that an event started; the event of the report on it."""
    artifact = str(event.data["workflow"])
    path = session.world().artifacts.find(artifact)
    if path is None:
        return event
    plain = json.loads(path.read_text(encoding="utf-8"))
    plain.pop("id", None)
    memory = Memory.of(session.engine.home, session.row.owner)
    report = run(session, Instance.from_json(plain), turn=event.turn, memory=memory)
    # A repaired workflow is an artifact of its own; what memory changed is told by its original.
    told = report.instance.id if session.state.artifact(report.instance.id) is not None else artifact
    return session.call_tool("workflow_report", {"workflow": told}, source="workflow", turn=event.turn)


__all__ = ["drive"]
