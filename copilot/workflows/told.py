"""What a report of a run tells, before it is a page: figures, numbers with their calls, method, limits."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from copilot.workflows.changing import since
from copilot.workflows.following import Node, nodes
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Task, WorkflowError
from copilot.workflows.procedures import looked, started
from state.model import Layer, State
from tools.base import ToolError, World
from tools.map.geometry import camera_for

if TYPE_CHECKING:
    from copilot.session import Session

FIGURE_PX = 900
MOST_FIGURES = 8
MOST_ROWS = 30
_NO_NUMBERS = frozenset({"width_px", "height_px", "bands", "layers", "zoom"})


@dataclass(frozen=True)
class Figure:
    """A picture of what a step made, or was given."""

    title: str
    said: str
    png: bytes


@dataclass(frozen=True)
class Number:
    """A number of the answer with the call that it is from."""

    name: str
    value: float
    step: str
    seq: int
    tool: str


@dataclass(frozen=True)
class Table:
    """The first rows of a table that the workflow gives."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    of: int


@dataclass(frozen=True)
class Told:
    """All that a report says of one run."""

    title: str
    id: str
    goal: str
    when: str
    session: str
    ok: bool
    said: str
    data: tuple[tuple[str, str, str], ...]
    """(input, what it is, where it is from)."""
    values: tuple[tuple[str, str, str, str], ...]
    """(parameter, value with unit, from where, why)."""
    nodes: tuple[Node, ...]
    edges: tuple[tuple[str, str], ...]
    map: bytes | None
    figures: tuple[Figure, ...]
    numbers: tuple[Number, ...]
    tables: tuple[Table, ...]
    repairs: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]
    limits: tuple[str, ...]
    at: str


def told(session: Session, handle: str) -> Told:
    """What there is to tell of a started workflow of the session. Raises WorkflowError for what is none."""
    world, state = session.world(), session.state
    if state.artifact(handle) is None:
        raise WorkflowError(f"There is no started workflow {handle[:60]!r} in this session.")
    instance = started(world, handle)
    report = looked(state, world, instance)
    made = nodes(session, handle)
    workflow = instance.workflow
    task = _task(workflow.task)
    answer = {each.lstrip("$").partition(".")[0] for each in workflow.gives}
    shown = _shown(state, instance, made, answer)
    return Told(
        title=workflow.title,
        id=workflow.id,
        goal=workflow.goal,
        when=workflow.when,
        session=f"{session.name} ({session.id})",
        ok=report.ok,
        said=" ".join(each.said for each in made if each.id in answer and each.said),
        data=tuple(_data(state, instance)),
        values=tuple(_values(instance)),
        nodes=made,
        edges=workflow.edges,
        map=_map(state, world, shown, workflow.title),
        figures=tuple(_figures(world, shown))[:MOST_FIGURES],
        numbers=tuple(_numbers(session, made, answer)),
        tables=tuple(_tables(world, state, made, answer)),
        repairs=tuple(_repairs(instance)),
        sources=tuple(_sources(instance, task)),
        limits=tuple(_limits(instance, task, report.ok, made)),
        at=session.events[-1].at if session.events else "",
    )


def _task(name: str) -> Task | None:
    from copilot.workflows.reading import library

    return next((each for each in library() if each.id == name), None)


def _data(state: State, instance: Instance) -> Iterator[tuple[str, str, str]]:
    for name, handle in instance.inputs.items():
        artifact = state.artifact(handle)
        if artifact is None:
            yield name, handle, "an image of the catalogue; that of the built-in sample is made up"
        else:
            yield name, f"{artifact.name}: {artifact.summary} ({handle})", artifact.made_by


def _values(instance: Instance) -> Iterator[tuple[str, str, str, str]]:
    for name, value in instance.parameters.items():
        said = instance.workflow.parameter(name)
        unit = f" {said.unit}" if said is not None and said.unit else ""
        yield name, f"{value}{unit}", instance.because.get(name, ""), said.why if said is not None else ""


def _shown(
    state: State, instance: Instance, made: tuple[Node, ...], answer: set[str]
) -> list[tuple[str, str, Layer]]:
    """(title, what is said, layer) of the results and of the data that are on the map, results first."""
    found: list[tuple[str, str, Layer]] = []
    for node in made:
        for handle in node.results.values() if node.id in answer else ():
            found.extend((each.name, node.said, each) for each in state.map.layers if each.artifact == handle)
    for name, handle in instance.inputs.items():
        found.extend((f"{name}: {e.name}", "", e) for e in state.map.layers if e.artifact == handle)
    return found


def _map(state: State, world: World, shown: list[tuple[str, str, Layer]], title: str) -> bytes | None:
    """The results over the data, drawn without a browser; None where nothing of it has a place."""
    import tempfile
    from pathlib import Path

    from tools.map.picture import draw_png

    boxes = [box for _, _, layer in shown if (box := _box(layer)) is not None]
    if not boxes:
        return None
    west, south, east, north = zip(*boxes, strict=True)
    bbox = (min(west), min(south), max(east), max(north))
    layers = tuple(replace(layer, visible=True) for _, _, layer in reversed(shown))
    camera = camera_for(bbox)
    view = replace(
        state, map=replace(state.map, layers=layers, center=camera.center, zoom=camera.zoom, swipe=None)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "map.png"
        try:
            draw_png(view, world, path, title, [])
        except (ToolError, OSError):
            return None
        return path.read_bytes()


def _box(layer: Layer) -> tuple[float, float, float, float] | None:
    options = dict(layer.options)
    if not all(side in options for side in ("west", "south", "east", "north")):
        return None
    west, south, east, north = (float(options[side]) for side in ("west", "south", "east", "north"))
    return west, south, east + (360 if east < west else 0), north


def _figures(world: World, shown: list[tuple[str, str, Layer]]) -> Iterator[Figure]:
    from tools.map.rasters import map_picture, png_of

    for title, said, layer in shown:
        if layer.kind != "raster":
            continue
        found = map_picture(layer, world, FIGURE_PX)
        if found is not None:
            yield Figure(title, said, png_of(found[0]))


def _numbers(session: Session, made: tuple[Node, ...], answer: set[str]) -> Iterator[Number]:
    by_seq = {each.seq: each for each in session.events}
    for node in made:
        event = by_seq.get(node.seq) if node.seq is not None else None
        if event is None:
            continue
        for check in node.checks:
            if check["value"] is not None:
                yield Number(
                    f"{check['measure']} (checked)", float(check["value"]), node.id, event.seq, node.tool
                )
        for key, value in event.data.items() if node.id in answer else ():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and key not in _NO_NUMBERS:
                yield Number(key, float(value), node.id, event.seq, node.tool)


def _tables(world: World, state: State, made: tuple[Node, ...], answer: set[str]) -> Iterator[Table]:
    import pyarrow.parquet as pq

    for node in made:
        for handle in node.results.values() if node.id in answer else ():
            artifact = state.artifact(handle)
            path = world.artifacts.find(handle) if artifact is not None and artifact.kind == "table" else None
            if artifact is None or path is None or path.suffix != ".parquet":
                continue
            whole = pq.read_table(path)
            keep = [each for each in whole.column_names if each != "geometry"][:10]
            rows = tuple(
                tuple(_cell(row[key]) for key in keep)
                for row in whole.select(keep).slice(0, MOST_ROWS).to_pylist()
            )
            yield Table(artifact.name, tuple(keep), rows, whole.num_rows)


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)[:80]


def _repairs(instance: Instance) -> Iterator[str]:
    for each in instance.adjustments:
        if each.get("failed"):
            yield f"{each['step']} failed ({each.get('because')}): {each['failed']} So: {each['said']}."
        elif each.get("said"):
            yield f"Changed: {each['said']}{since(each)}."


def _sources(instance: Instance, task: Task | None) -> Iterator[tuple[str, str]]:
    for source in task.sources if task is not None else ():
        yield f"{source.title}{f' (for {source.for_what})' if source.for_what else ''}", source.where
    for each in instance.workflow.sources:
        yield each, ""


def _limits(instance: Instance, task: Task | None, ok: bool, made: tuple[Node, ...]) -> Iterator[str]:
    from copilot.workflows.recording import ran

    if not ok:
        left = [each.id for each in made if each.status not in ("finished", "repaired", "skipped")]
        yield f"The run did not come to its end: {', '.join(left)} are open or failed."
    if task is None:
        yield "The workflow is one person's own; it was not checked against sources."
    elif ran(instance.workflow):
        yield "The workflow was checked against its sources, and run on the data of its record."
    else:
        yield "The workflow was checked against its sources; no run of it as it now is, is kept."
    unmeasured = [each.id for each in made if not each.checks and each.status != "skipped"]
    if unmeasured:
        yield f"No limit is set for what {', '.join(unmeasured)} made."
    for failure in task.failures if task is not None else ():
        yield f"{failure.shows} Cause: {failure.cause} Then: {failure.then}"


def png_size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG, pixels."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as opened:
        return int(opened.width), int(opened.height)


def arguments_of(node: Node) -> str:
    """A node's arguments on one line."""
    return ", ".join(f"{key}={_said(value)}" for key, value in node.args.items())


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_said(each)}" for key, each in value.items()) + "}"
    return str(value)


__all__ = ["Figure", "Number", "Table", "Told", "arguments_of", "png_size", "told"]
