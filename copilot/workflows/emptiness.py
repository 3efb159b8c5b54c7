"""What is done where a run ends well and finds nothing: values go back to the workflow's own, and it is told.

Nothing is ever loosened beyond what the workflow itself takes, and what a person asked for stays: what then
still finds nothing is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from copilot.workflows.changing import Change
from copilot.workflows.engine import Report
from copilot.workflows.instantiate import ASKED, Instance
from copilot.workflows.preparing import with_change
from copilot.workflows.quality import measure

if TYPE_CHECKING:
    from copilot.session import Session

MOST_TRIED = 3


def is_empty(session: Session, report: Report) -> bool:
    """Whether one of a run's results has no feature, no row, or marks nothing."""
    return any(_is_empty(session, handle) for handle in report.answer.values())


def _is_empty(session: Session, handle: str) -> bool:
    artifact, path = session.state.artifact(handle), session.world().artifacts.find(handle)
    if artifact is None or path is None:
        return False
    if artifact.kind in ("vector", "detections"):
        return measure("count", path) == 0
    if artifact.kind == "table":
        return measure("rows", path) == 0
    return artifact.kind == "raster" and measure("classes", path) == 1 and measure("share_pct", path) == 0


def with_own_values(
    session: Session, report: Report, went: Callable[[Instance], Report], turn: int | None
) -> Report:
    """The run with a value of the workflow's own, where that finds something; else the run as it was."""
    if not report.ok or not is_empty(session, report):
        return report
    for change, said in _own_values(report.instance):
        after = with_change(session, report.instance, change, said, turn)
        again = went(after) if after is not report.instance else report
        if again.ok and not is_empty(session, again):
            return again
    return report


def _own_values(instance: Instance) -> Iterator[tuple[Change, str]]:
    """The first values that are neither the workflow's own, nor of the data, nor asked for, each set back."""
    found = [
        (Change("parameter", "", each.name, each.default), instance.parameters.get(each.name))
        for each in instance.workflow.parameters
        if each.default is not None
        and instance.parameters.get(each.name, each.default) != each.default
        and instance.because.get(each.name) != ASKED
        and not instance.because.get(each.name, "").endswith("of the data")
    ]
    for change, value in found[:MOST_TRIED]:
        yield change, f"nothing is found with {value}"


__all__ = ["is_empty", "with_own_values"]
