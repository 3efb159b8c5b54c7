"""Drives a started workflow: its steps, its repairs and its report, in the turn that started it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copilot.workflows.memory import Memory
from copilot.workflows.running import run

if TYPE_CHECKING:
    from copilot.session import Session
    from state.log import Event


def drive(session: Session, event: Event) -> Event:
    """Run the steps of the workflow that an event started; the event of the report on it."""
    from copilot.workflows.following import live
    from copilot.workflows.model import WorkflowError
    from copilot.workflows.procedures import started
    from copilot.workflows.proposing import proposer
    from copilot.workflows.side_by_side import side_by_side

    artifact = str(event.data["workflow"])
    try:
        instance = started(session.world(), artifact)
    except WorkflowError:
        return event
    memory = Memory.of(session.engine.home, session.row.owner)
    with live(session, artifact, instance) as (running, heard):
        report = run(
            session,
            instance,
            turn=event.turn,
            memory=memory,
            heard=heard,
            stop=running.stop,
            ahead=side_by_side(session),
            propose=proposer(session),
        )
    # A repaired workflow is an artifact of its own; what memory changed is told by its original.
    told = report.instance.id if session.state.artifact(report.instance.id) is not None else artifact
    return session.call_tool("workflow_report", {"workflow": told}, source="workflow", turn=event.turn)


__all__ = ["drive"]
