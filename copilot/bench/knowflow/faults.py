"""The fault bench: faults put into the data, the values or the calls of gold workflows.

A case is kept (gold/faults.jsonl) where the gold's calls on what is spoiled fail or come out wrong, and where
a remedy that is written down here, put in by hand, brings the gold's result back within
`results.REPAIRED`. So the share that is repaired says what the engine finds by itself, not what can be saved.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.bench.knowflow.bringing import bring
from copilot.bench.knowflow.doors import DOOR_FAULTS, FaultyEngine
from copilot.bench.knowflow.gold import FOLDER, Gold, gold
from copilot.bench.knowflow.playing import add
from copilot.bench.knowflow.results import EXACT, REPAIRED
from copilot.bench.knowflow.scoring import Row
from copilot.bench.knowflow.spoiling import FILE_FAULTS, spoil
from copilot.bench.knowflow.systems import judged
from copilot.engine import Engine
from copilot.workflows.instantiate import Instance
from copilot.workflows.memory import Memory
from copilot.workflows.model import WorkflowError
from copilot.workflows.reading import library
from copilot.workflows.running import run as run_workflow

if TYPE_CHECKING:
    from copilot.session import Session

VALUE_FAULTS = ("empty_result", "finds_nothing")
"""A value that was asked for lets nothing through."""
KINDS = (*FILE_FAULTS, *VALUE_FAULTS, *DOOR_FAULTS)


@dataclass(frozen=True)
class Case:
    """One fault in one gold workflow."""

    id: str
    """`GOLD@KIND`."""
    kind: str
    gold: str
    input: str = ""
    """The data that are spoiled."""
    tool: str = ""
    """The tool whose door the fault stands at."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The values that are asked for instead of the gold's."""
    seed: int = 1

    def to_json(self) -> dict[str, Any]:
        """As a line of the file has it."""
        plain = {"id": self.id, "kind": self.kind, "gold": self.gold, "input": self.input, "tool": self.tool}
        return {
            key: value
            for key, value in {**plain, "values": dict(self.values), "seed": self.seed}.items()
            if value
        }

    @property
    def of(self) -> Gold:
        """The gold workflow that it is in."""
        return next(each for each in gold() if each.id == self.gold)

    @property
    def within(self) -> Any:
        """How near the result must come."""
        return REPAIRED if self.kind in FILE_FAULTS else EXACT


@lru_cache(maxsize=1)
def cases(folder: Path = FOLDER) -> tuple[Case, ...]:
    """Every case. Raises WorkflowError where the file is not there."""
    path = folder / "faults.jsonl"
    if not path.is_file():
        raise WorkflowError(f"There is no {path.name} in {folder}; the bench's faults are not here.")
    return tuple(Case(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def engine_for(case: Case, home: Path, catalogue: str) -> Engine:
    """The engine in which the fault of a case stands, where it stands at a door."""
    if case.kind not in DOOR_FAULTS:
        return Engine(home=home, store_url="sqlite://", catalogue_url=catalogue, background=None)
    return FaultyEngine(
        home=home,
        store_url="sqlite://",
        catalogue_url=catalogue,
        background=None,
        fault=case.kind,
        tool=case.tool,
    )


def placed(case: Case, session: Session, folder: Path) -> dict[str, str]:
    """The files of a case in a session, the spoiled one among them: handles by the input's name."""
    found = {}
    for name, spec in case.of.data.items():
        path = bring(spec, folder).path
        if name == case.input and case.kind in FILE_FAULTS:
            path = spoil(case.kind, path, folder, case.seed)
        found[name] = add(session, name, path)
    return found


def library_instance(case: Case, handles: Mapping[str, str]) -> Instance:
    """The library's workflow on a case's data with the gold's values, or those that the fault asks for."""
    of = case.of
    flow = next(w for t in library() if t.id == of.task for w in t.workflows if w.id == of.workflow)
    values = {**of.parameters, **case.values}
    because = dict.fromkeys(case.values, "the request")
    return Instance(flow, dict(handles), values, because)


def measure(case: Case, system: str, folder: Path, engine: Engine, memory: Memory | None) -> Row:
    """One case: whether its run comes to the gold's result without a person."""
    import time

    from copilot.session import Session

    session = Session.open(engine=engine)
    started = time.perf_counter()
    try:
        handles = placed(case, session, folder)
        report = run_workflow(
            session, library_instance(case, handles), memory=memory if system != "no_memory" else None,
            repairs=system != "no_adjustment",
        )  # fmt: skip
        row = judged(
            system, case.of, session, handles, report, time.perf_counter() - started, within=case.within
        )
        return replace(row, id=case.id, fault=case.kind)
    finally:
        engine.remove_session(session.id)


# -- which cases there are ---------------------------------------------------------------------------

Remedy = tuple[tuple[str, Mapping[str, Any]], ...]
"""Tools put in front of the spoiled data, one behind the other; `$@` is what came before, `$other` the
other raster of the task, `$names` the bands as they were."""

_ONTO_OTHER: Remedy = (("raster_reproject", {"raster": "$@", "like": "$other", "resampling": "bilinear"}),)
_PLACED: Remedy = (
    ("place_raster", {"raster": "$@", "bbox": "$box"}),
    ("raster_reproject", {"raster": "$@", "like": "$other"}),
)

REMEDIES: Mapping[str, tuple[Remedy, ...]] = {
    "cloud": (
        (("cloud_removal", {"image": "$@", "others": ["$other"]}),),
        (("cloud_removal", {"image": "$@"}),),
    ),
    "haze": ((("image_dehazing", {"image": "$@"}),),),
    "noise": ((("denoising", {"image": "$@"}),),),
    "speckle": ((("speckle_filter", {"raster": "$@"}),),),
    "low_contrast": ((("histogram_match", {"raster": "$@", "reference": "$other"}),),),
    "unnamed_bands": ((("name_bands", {"raster": "$@", "bands": "$names"}),),),
    "band_order": ((("name_bands", {"raster": "$@", "bands": "$swapped"}),),),
    "missing_crs": (_PLACED,),
    "wrong_crs": (_PLACED,),
    "other_crs": (_ONTO_OTHER,),
    "other_resolution": (_ONTO_OTHER,),
    "shifted_pair": ((("coregister", {"raster": "$@", "reference": "$other"}),),),
    "nodata_stripes": ((("fill_nodata", {"raster": "$@"}),),),
    "decibels": ((("to_decibel", {"raster": "$@", "inverse": True}),),),
    "uncalibrated": ((("toa_reflectance", {"raster": "$@", "gain": 0.0001}),),),
    "broken_shapes": ((("make_valid", {"vector": "$@"}),),),
}


def candidates(kind: str, among: tuple[Gold, ...]) -> Iterator[Case]:
    """Gold workflows that a fault may be put into."""
    for of in among:
        if kind in DOOR_FAULTS:
            tool = of.calls[len(of.calls) // 2]["tool"]
            yield Case(f"{of.id}@{kind}", kind, of.id, tool=tool)
        elif kind in VALUE_FAULTS:
            values = _tight(kind, of)
            if values:
                yield Case(f"{of.id}@{kind}", kind, of.id, values=values)
        else:
            for name in of.data:
                if _suits(kind, of, name):
                    yield Case(f"{of.id}@{kind}", kind, of.id, input=name)
                    break


def _tight(kind: str, of: Gold) -> dict[str, Any]:
    """Values of a workflow's own range that let next to nothing through."""
    flow = next((w for t in library() if t.id == of.task for w in t.workflows if w.id == of.workflow), None)
    for each in flow.parameters if flow is not None else ():
        small = (
            each.name.startswith(("min_", "least_", "smallest_"))
            if kind == "empty_result"
            else "score" in each.name or "confidence" in each.name
        )
        if small and each.high is not None and each.high > (of.parameters.get(each.name) or 0):
            return {each.name: each.high}
    return {}


def _suits(kind: str, of: Gold, name: str) -> bool:
    spec = json.dumps(of.data[name])
    vector = ".geojson" in spec or any(
        f'"made": "{each}"' in spec for each in ("zones", "points", "lines", "outlines")
    )
    if kind == "broken_shapes":
        return '"made": "zones"' in spec
    if vector or ".csv" in spec or ".txt" in spec:
        return False
    # Numbers that stand for classes have no noise, haze or contrast.
    made = any(f'"made": "{each}"' in spec for each in ("classes", "cover")) or "classes.tif" in spec
    radar = '"sar"' in spec or "radar.tif" in spec or "sar.tif" in spec
    if kind in ("speckle", "decibels"):
        return radar
    if kind in ("cloud", "haze", "band_order", "unnamed_bands", "uncalibrated"):
        return (
            not radar
            and not made
            and '"made"' not in spec
            and "elevation" not in spec
            and "dem.tif" not in spec
        )
    pair = sum(".tif" in json.dumps(each) or "pair" in json.dumps(each) for each in of.data.values()) > 1
    if kind in ("missing_crs", "wrong_crs", "other_crs", "other_resolution", "shifted_pair"):
        return pair and name != next(iter(of.data))
    return not made


__all__ = [
    "KINDS",
    "REMEDIES",
    "Case",
    "candidates",
    "cases",
    "engine_for",
    "measure",
    "placed",
]
