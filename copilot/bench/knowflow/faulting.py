"""Finds the cases of the fault bench: where a fault hurts, and a remedy put in by hand saves the result.

`python -m copilot.bench.knowflow.faulting PER_KIND [KIND …]` adds to gold/faults.jsonl; what is in it stays.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.bench.knowflow.bringing import bring
from copilot.bench.knowflow.doors import ALWAYS, DOOR_FAULTS
from copilot.bench.knowflow.faults import KINDS, REMEDIES, Case, Remedy, candidates, cases, engine_for, placed
from copilot.bench.knowflow.gold import FOLDER, Gold, gold
from copilot.bench.knowflow.scoring import wrong
from copilot.bench.knowflow.spoiling import FILE_FAULTS
from copilot.workflows.engine import Run
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Step, Workflow, WorkflowError
from copilot.workflows.reading import library

if TYPE_CHECKING:
    from copilot.session import Session

_MOST_TRIED = 8
"""Gold workflows that one kind of fault is tried in, for each case that is wanted."""


def proven(case: Case, folder: Path, home: Path) -> str:
    """Why a case is none; empty where the fault hurts and a remedy helps."""
    flow = _concrete(case)
    with tempfile.TemporaryDirectory(dir=home) as place:
        if _plays(case, flow, folder, Path(place)):
            return "does no harm"
    if case.kind in DOOR_FAULTS:
        # What passes by itself is put right by calling again.
        return "" if DOOR_FAULTS[case.kind][1] < ALWAYS else _by_a_sibling(case, folder, home)
    if case.kind not in FILE_FAULTS:
        return ""  # the gold's own value is the remedy
    for remedy in REMEDIES.get(case.kind, ()):
        try:
            mended = _with(flow, case, remedy, folder)
        except (KeyError, StopIteration):
            continue
        with tempfile.TemporaryDirectory(dir=home) as place:
            if _plays(case, mended, folder, Path(place)):
                return ""
    return "no remedy brings the result back"


def _concrete(case: Case) -> Workflow:
    """The library's workflow with the case's values, and its own checks."""
    of = case.of
    return next(w for t in library() if t.id == of.task for w in t.workflows if w.id == of.workflow)


def _plays(case: Case, flow: Workflow, folder: Path, home: Path) -> bool:
    from copilot.session import Session

    session = Session.open(engine=engine_for(case, home, f"{home}/none"))
    try:
        handles = placed(case, session, folder)
    except WorkflowError:
        return False
    return _ends(case, flow, session, handles)


def _ends(case: Case, flow: Workflow, session: Session, handles: Mapping[str, str]) -> bool:
    values = {**case.of.parameters, **case.values}
    inputs = {name: each for name, each in handles.items() if flow.input(name) is not None}
    if any(each.name not in inputs and not each.optional for each in flow.inputs):
        return False
    values = {each.name: values.get(each.name, each.default) for each in flow.parameters}
    report = Run(session, Instance(flow, inputs, values)).run()
    return report.ok and not wrong(session, case.of, case.within)


def _by_a_sibling(case: Case, folder: Path, home: Path) -> str:
    """Whether another workflow of the task comes to the same without the tool that is broken."""
    siblings = [w for t in library() if t.id == case.of.task for w in t.workflows if w.id != case.of.workflow]
    for flow in siblings:
        if any(each.tool == case.tool for each in flow.steps):
            continue
        with tempfile.TemporaryDirectory(dir=home) as place:
            if _plays(case, flow, folder, Path(place)):
                return ""
    return "no other workflow of the task comes to the same"


def _with(flow: Workflow, case: Case, remedy: Remedy, folder: Path) -> Workflow:
    """A workflow whose spoiled data go through a remedy first. Raises KeyError or StopIteration."""
    filled = _at_hand(case, folder)
    before: Any = f"${case.input}"
    new: list[Step] = []
    for number, (tool, args) in enumerate(remedy):
        plain = {key: _filled(value, before, filled) for key, value in args.items()}
        new.append(Step(f"remedy_{number}", tool, plain))
        if tool != "name_bands":  # which names them in place
            before = f"$remedy_{number}"
    last = new[-1].id
    steps = tuple(
        replace(
            each,
            args={key: _put(value, f"${case.input}", before) for key, value in each.args.items()},
            after=(*each.after, last),
        )
        for each in flow.steps
    )
    return replace(flow, steps=(*new, *steps))


def _filled(value: Any, before: str, filled: Mapping[str, Any]) -> Any:
    if value == "$@":
        return before
    if isinstance(value, list):
        return [_filled(each, before, filled) for each in value]
    return filled[value] if isinstance(value, str) and value.startswith("$") else value


def _put(value: Any, old: str, new: str) -> Any:
    if isinstance(value, list):
        return [_put(each, old, new) for each in value]
    return new if value == old else value


def _at_hand(case: Case, folder: Path) -> dict[str, Any]:
    """What a remedy may refer to: the other raster, where the good one lay, and what its bands were."""
    import rasterio
    from rasterio.warp import transform_bounds

    from data.raster.bands import band_names

    of: Gold = case.of
    found: dict[str, Any] = {}
    for name, spec in of.data.items():
        path = bring(spec, folder).path
        if path.suffix != ".tif":
            continue
        if name != case.input:
            found.setdefault("$other", f"${name}")
            continue
        with rasterio.open(path) as source:
            if source.crs is not None:
                found["$box"] = list(transform_bounds(source.crs, "EPSG:4326", *source.bounds))
            named = {said: number for number, said in enumerate(band_names(source), 1) if said}
            count = source.count
        if named:
            found["$names"] = named
            order = [count, *range(2, count), 1] if count > 1 else [1]
            found["$swapped"] = {said: order[number - 1] for said, number in named.items()}
    return found


def build(
    per_kind: int, kinds: Sequence[str] = KINDS, folder: Path = FOLDER, seed: int = 1
) -> dict[str, int]:
    """Add cases of those kinds that have fewer; how many there then are of each."""
    among = [each for each in gold(folder) if each.here]
    random.Random(seed).shuffle(among)
    known = cases(folder) if (folder / "faults.jsonl").is_file() else ()
    there = {each.id for each in known}
    counts = Counter(each.kind for each in known)
    with (
        tempfile.TemporaryDirectory(prefix="knowflow-faults-") as home,
        (folder / "faults.jsonl").open("a", encoding="utf-8") as target,
    ):
        files = Path(home) / "files"
        files.mkdir()
        for kind in kinds:
            for number, case in enumerate(candidates(kind, tuple(among))):
                if case.id in there:
                    continue
                if counts[kind] >= per_kind or number >= _MOST_TRIED * per_kind:
                    break
                try:
                    why = proven(case, files, Path(home))
                except (WorkflowError, ValueError, LookupError, TypeError, OSError, AttributeError) as error:
                    why = f"{type(error).__name__}: {error}"
                if why:
                    print(f"{case.id}: {why}", file=sys.stderr, flush=True)
                    continue
                counts[kind] += 1
                target.write(json.dumps(case.to_json(), ensure_ascii=False) + "\n")
                target.flush()
    return dict(counts)


if __name__ == "__main__":
    print(build(int(sys.argv[1]), sys.argv[2:] or KINDS))
