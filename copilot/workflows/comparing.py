"""Compares two runs of a workflow: what was given, what was done, and the numbers and masks that came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.workflows.engine import Report
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Step
from copilot.workflows.procedures import looked, started

if TYPE_CHECKING:
    from copilot.session import Session


@dataclass(frozen=True)
class Comparison:
    """Two runs beside each other: (first, second) by what differs; None where one has it not."""

    first: str
    second: str
    inputs: Mapping[str, tuple[str | None, str | None]]
    parameters: Mapping[str, tuple[Any, Any]]
    steps: Mapping[str, tuple[str | None, str | None]]
    """By step, its call as text, or its status where that alone differs."""
    numbers: Mapping[str, tuple[float | None, float | None]]
    """Every number that both or one of the answers give, also those that are alike."""
    overlap: Mapping[str, float]
    """By the reference of a mask that both give on one grid: the intersection over union."""

    @property
    def alike(self) -> bool:
        """Whether nothing that was given or done differs."""
        return not (self.inputs or self.parameters or self.steps)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {**asdict(self), "alike": self.alike}

    def __str__(self) -> str:
        if self.alike:
            return f"{self.first} and {self.second} are the same run."
        said = [f"{name} {a} / {b}" for name, (a, b) in {**self.inputs, **self.parameters}.items()]
        said += [f"{name}: {a or 'not there'} / {b or 'not there'}" for name, (a, b) in self.steps.items()]
        said += [f"{name} {a} / {b}" for name, (a, b) in self.numbers.items() if a != b]
        said += [f"{name} overlap {value:.3f}" for name, value in self.overlap.items()]
        return f"{self.first} / {self.second}: {'; '.join(said)}."


def compare(session: Session, first: str, second: str, other: Session | None = None) -> Comparison:
    """Compare two started workflows of a session, or the second of another one. Raises WorkflowError."""
    there = other or session
    one, two = started(session.world(), first), started(there.world(), second)
    done = looked(session.state, session.world(), one), looked(there.state, there.world(), two)
    return Comparison(
        first,
        second,
        _differing(one.inputs, two.inputs),
        _differing(one.parameters, two.parameters),
        _differing(_calls(one, done[0]), _calls(two, done[1])),
        _all(_numbers(session, done[0]), _numbers(there, done[1])),
        _overlaps(session, done[0], there, done[1]),
    )


def _calls(instance: Instance, report: Report) -> dict[str, str]:
    gone = {e.step: f" ({e.status})" for e in report.steps if e.status not in ("done", "reused")}
    return {each.id: f"{_call(each)}{gone.get(each.id, '')}" for each in instance.workflow.steps}


def _call(step: Step) -> str:
    return f"{step.tool}({', '.join(f'{key}={value}' for key, value in step.args.items())})"


def _numbers(session: Session, report: Report) -> dict[str, float]:
    from copilot.workflows.batch_item import figures

    return dict(figures(session, report))


def _differing(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {key: pair for key, pair in _all(one, two).items() if pair[0] != pair[1]}


def _all(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {key: (one.get(key), two.get(key)) for key in dict.fromkeys([*one, *two])}


def _overlaps(session: Session, one: Report, there: Session, two: Report) -> dict[str, float]:
    found = {}
    for name, handle in one.answer.items():
        other = two.answer.get(name)
        if other is None or not handle.startswith("raster-"):
            continue
        paths = session.world().artifacts.find(handle), there.world().artifacts.find(other)
        if paths[0] is not None and paths[1] is not None:
            value = mask_iou(paths[0], paths[1])
            if value is not None:
                found[name] = value
    return found


def mask_iou(one: Path, two: Path) -> float | None:
    """The intersection over union of what two masks of bytes mark; None where their grids differ."""
    import numpy as np

    from data.raster.errors import RasterError
    from data.raster.files import opened

    try:
        with opened(one) as a, opened(two) as b:
            if (
                a.dtypes[0] != "uint8"
                or b.dtypes[0] != "uint8"
                or a.shape != b.shape
                or a.transform != b.transform
            ):
                return None
            first, second = (np.asarray(each.read(1, masked=True).filled(0) != 0) for each in (a, b))
    except RasterError:
        return None
    union = int((first | second).sum())
    return round(int((first & second).sum()) / union, 6) if union else 1.0


__all__ = ["Comparison", "compare", "mask_iou"]
