"""Runs one workflow on many: images, pairs, dates, areas; each item in a session of its own, several at once.

    batch = begin(session, "water_mapping", items_of(flow, files))
    report = run_batch(session, batch)        # again after a kill: each item goes on where it was

A session's state holds a hundred artifacts at most, so an item is a session beside the one that asked: it has
a log, so it can be undone, replayed and exported (`opened` gives its owner a copy). What is known of a batch
lies in a folder of the home: what is to be done, and a file an item with how far it is. The results come
into the session that asked as one table, a row an item, failures with their reasons.
"""

from __future__ import annotations

import csv
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from copilot.workflows.batch_item import (
    STOP,
    read_json,
    run_item,
    run_item_with,
    write_json,
)
from copilot.workflows.model import Workflow, WorkflowError
from copilot.workflows.side_by_side import engine_place
from data.progress import Unheard
from state.jobs import Caller
from state.store import now
from tools.base import ToolError

if TYPE_CHECKING:
    from copilot.engine import Engine
    from copilot.session import Session

MOST_ITEMS = 2000
LOOK_S = 0.3
"""How often the files of a batch are looked at while it runs."""
Status = Literal["waiting", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True)
class Item:
    """What one run of a batch is given."""

    name: str
    data: Mapping[str, str] = field(default_factory=dict)
    """By the workflow's input: a file, an upload's name, or a handle of the session that asks."""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ItemRun:
    """How far one item is."""

    number: int
    name: str
    status: Status = "waiting"
    said: str = ""
    session: str = ""
    """The id of the item's own session."""
    steps_done: int = 0
    steps: int = 0
    figures: Mapping[str, float] = field(default_factory=dict)
    """The numbers that the answer's steps gave, by `step.key`."""
    results: Mapping[str, str] = field(default_factory=dict)
    """What the workflow gives, by reference: handles of the item's session."""
    failed_step: str = ""
    repaired: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class BatchReport:
    """How far a batch is."""

    id: str
    workflow: str
    items: tuple[ItemRun, ...]
    table: str | None = None
    """The table of results in the session that asked; None until it has ended."""
    seconds: float = 0.0
    cancelled: bool = False

    @property
    def ok(self) -> bool:
        """Whether every item went well."""
        return bool(self.items) and all(each.status == "done" for each in self.items)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {**asdict(self), "ok": self.ok, "items": [asdict(each) for each in self.items]}


Heard = Callable[[ItemRun], None]


def items_of(
    workflow: Workflow, files: Sequence[str], shared: Mapping[str, str] | None = None
) -> tuple[Item, ...]:
    """An item for each file, or for each group of files with commas between ("before.tif,after.tif").

    They go, in their order, to the inputs that `shared` does not give; of a group, `input=file` says which.
    Raises WorkflowError.
    """
    free = [each.name for each in workflow.inputs if each.name not in (shared or {})]
    needed = [each.name for each in workflow.inputs if each.name in free and not each.optional]
    made = []
    for group in files:
        parts = [each.strip() for each in group.split(",") if each.strip()]
        named = dict(each.split("=", 1) for each in parts if each.split("=", 1)[0] in free and "=" in each)
        plain = [each for each in parts if each.split("=", 1)[0] not in named]
        left = [each for each in (needed or free) if each not in named]
        if len(plain) > len(left) or len(named) + len(plain) < len(needed):
            wants = ", ".join(needed or free) or "nothing more"
            raise WorkflowError(f"{group!r} does not fit: {workflow.id} wants {wants} for each item.")
        data = {**named, **dict(zip(left, plain, strict=False))}
        made.append(Item(" and ".join(Path(each).stem for each in data.values()), {**(shared or {}), **data}))
    return tuple(made)


def workflow_for(session: Session, said: str, files: Sequence[str] = ()) -> tuple[Workflow, dict[str, Any]]:
    """The workflow that a name, a started one's id or a goal means on the first item's files, and its values.

    Raises WorkflowError.
    """
    from copilot.workflows.facts import known, of_file
    from copilot.workflows.memory import Memory
    from copilot.workflows.procedures import Library, started

    artifact = session.state.artifact(said)
    if artifact is not None and artifact.kind == "workflow":
        kept = started(session.world(), said)
        return kept.workflow, dict(kept.parameters)
    library = Library(Memory.of(session.engine.home, session.row.owner))
    things = {}
    for each in files:
        path = Path(each)
        if session.state.artifact(each) is None and path.is_file():
            vector = path.suffix.lower() in (".geojson", ".gpkg", ".shp", ".parquet", ".kml")
            things[each] = of_file(path, "vector" if vector else "raster")
        else:
            things[each] = known(session.state, session.world(), each, session.events)
    return library.chosen(said, things, {}).workflow, {}


def begin(
    session: Session,
    workflow: str | Workflow,
    items: Sequence[Item],
    parameters: Mapping[str, Any] | None = None,
    *,
    repairs: bool = True,
) -> str:
    """Put down what is to be done: the batch's id. Nothing is run. Raises WorkflowError."""
    if not 1 <= len(items) <= MOST_ITEMS:
        raise WorkflowError(f"A batch has 1 to {MOST_ITEMS} items, not {len(items)}.")
    values: dict[str, Any] = {}
    if isinstance(workflow, str):
        workflow, values = workflow_for(session, workflow, tuple(items[0].data.values()))
    for each in items:
        for name, value in {**(parameters or {}), **each.parameters}.items():
            parameter = workflow.parameter(name)
            problem = parameter.problem(value) if parameter else f"{workflow.id} has no parameter {name!r}."
            if problem is not None:
                raise WorkflowError(problem)
        if gone := [name for name in each.data if workflow.input(name) is None]:
            known = ", ".join(one.name for one in workflow.inputs)
            raise WorkflowError(f"{workflow.id} has no input {gone[0]!r}; it has {known}.")
    batch = f"batch-{secrets.token_hex(4)}"
    folder = _folder(session.engine, batch)
    folder.mkdir(parents=True)
    brought = [
        {
            "name": each.name,
            "data": dict(_brought(session, batch, at, each)),
            "parameters": dict(each.parameters),
        }
        for at, each in enumerate(items)
    ]
    plain = {
        "id": batch,
        "session": session.id,
        "owner": session.row.owner,
        "workflow": workflow.to_json(),
        "parameters": {**values, **(parameters or {})},
        "items": brought,
        "repairs": repairs,
        "at": now(),
    }
    write_json(folder / "batch.json", plain)
    return batch


def run_batch(
    session: Session, batch: str, *, stop: threading.Event | None = None, heard: Heard | None = None
) -> BatchReport:
    """Run what is not done of a batch, to its end or until `stop`; its table is then in the session.

    In the background worker's processes where the engine has one, else here, one item after another.
    Items that failed before are run again, and what they had done is not. Raises WorkflowError.
    """
    started = time.perf_counter()
    stop = stop or threading.Event()
    folder, plain = _open(session, batch)
    (folder / STOP).unlink(missing_ok=True)
    for each in look(session, batch).items:
        if each.status in ("running", "failed", "cancelled"):
            write_json(folder / f"{each.number}.json", {**_said(each), "status": "waiting", "said": ""})
    open_ones = [each.number for each in look(session, batch).items if each.status == "waiting"]
    told = threading.Event()
    watcher = threading.Thread(
        target=_watch, args=(session, batch, stop, told, heard), name="batch", daemon=True
    )
    watcher.start()
    try:
        _run_items(session, plain, folder, open_ones, stop)
    finally:
        told.set()
        watcher.join()
    report = look(session, batch)
    seconds = round(time.perf_counter() - started, 2)
    if stop.is_set() or any(each.status in ("waiting", "running") for each in report.items):
        return replace(report, seconds=seconds, cancelled=True)
    table = _table(session, report)
    write_json(folder / "done.json", {"table": table, "seconds": seconds})
    return replace(report, table=table, seconds=seconds)


def look(session: Session, batch: str) -> BatchReport:
    """How far a batch is, by what is on disk. Raises WorkflowError for one that is another's."""
    folder, plain = _open(session, batch)
    steps = len(plain["workflow"]["steps"])
    items = tuple(_item(folder, at, each["name"], steps) for at, each in enumerate(plain["items"]))
    done = read_json(folder / "done.json")
    return BatchReport(
        batch,
        str(plain["workflow"]["id"]),
        items,
        done.get("table"),
        float(done.get("seconds", 0.0)),
        (folder / STOP).exists(),
    )


def batches(session: Session) -> tuple[BatchReport, ...]:
    """The batches that the session began, the newest first."""
    root = _folder(session.engine, "batch-0").parent
    found = [(read_json(each / "batch.json"), each.name) for each in root.glob("batch-*")]
    mine = sorted(
        ((each["at"], name) for each, name in found if each.get("session") == session.id), reverse=True
    )
    return tuple(look(session, name) for _, name in mine)


def stop_batch(session: Session, batch: str) -> None:
    """Have a batch end after the steps that run now, whichever process runs it. Raises WorkflowError."""
    folder, _ = _open(session, batch)
    (folder / STOP).touch()


def opened(session: Session, batch: str, number: int) -> Session:
    """A copy of an item's session as the owner's own. Raises WorkflowError."""
    from copilot.session import Session as Opened

    items = look(session, batch).items
    if not 0 <= number < len(items) or not items[number].session:
        raise WorkflowError(f"{batch} has no item {number} that was begun.")
    theirs = Opened.open(items[number].session, engine=session.engine)
    return theirs.fork(name=items[number].name, owner=session.row.owner)


# -- inside ------------------------------------------------------------------------------------------


def _run_items(
    session: Session, plain: Mapping[str, Any], folder: Path, numbers: Sequence[int], stop: threading.Event
) -> None:
    from copilot.workflows.batch_workers import process_a_core

    engine = session.engine
    if not engine.background:
        for each in numbers:
            if stop.is_set():
                return
            run_item_with(engine, Unheard(), folder, each)
        return
    place = engine_place(engine)

    def one(number: int) -> None:
        if stop.is_set():
            return
        name = str(plain["items"][number]["name"])
        caller = Caller(
            session.id, 0, len(session.events) + 1, session.hash, "workflow_run",
            {"workflow": plain["workflow"]["id"], "item": name}, "workflow",
        )  # fmt: skip
        try:
            engine.desk.run(
                caller, f"{plain['workflow']['title']}: {name}", run_item, place, str(folder), number
            )
        except ToolError as error:
            before = read_json(folder / f"{number}.json")
            write_json(folder / f"{number}.json", {**before, "status": "failed", "said": str(error)})

    try:
        with (
            process_a_core(engine) as places,
            ThreadPoolExecutor(max(1, places), thread_name_prefix="batch") as pool,
        ):
            for future in [pool.submit(one, each) for each in numbers]:
                future.result()
    except ToolError as error:  # no scheduler answers
        raise WorkflowError(str(error)) from None


def _watch(
    session: Session, batch: str, stop: threading.Event, told: threading.Event, heard: Heard | None
) -> None:
    """Tell of items that change, and let the items' processes know when it is to stop."""
    last: dict[int, ItemRun] = {}
    while True:
        ended = told.wait(LOOK_S)
        if stop.is_set():
            (_folder(session.engine, batch) / STOP).touch()
        if (_folder(session.engine, batch) / STOP).exists():
            stop.set()
        for each in look(session, batch).items if heard is not None else ():
            if heard is not None and last.get(each.number, ItemRun(each.number, each.name)) != each:
                heard(each)
            last[each.number] = each
        if ended:
            return


def _brought(session: Session, batch: str, at: int, item: Item) -> Iterator[tuple[str, str]]:
    """What add_file is told for each of an item's data: a path, or the name of an upload of the batch's."""
    from copilot.workflows.batch_item import link_upload
    from tools.outside import file_named

    world = session.world()
    for name, value in item.data.items():
        artifact = session.state.artifact(value)
        if artifact is None and ":" in value and world.catalogue.image(value) is not None:
            yield name, value
            continue
        path = world.artifacts.find(value) if artifact is not None else None
        if path is None:
            try:
                found = file_named(world, value)
            except ToolError as error:
                raise WorkflowError(str(error)) from None
            if not found.ours:
                yield name, value if session.engine.served else str(found.path)
                continue
            path = found.path
        title = artifact.name if artifact is not None else path.stem
        yield name, link_upload(session.engine, session.row.owner, path, f"{batch}_{at}_{name}_{title}")


def _folder(engine: Engine, batch: str) -> Path:
    from copilot.engine import safe_id

    return engine.home / "workflows" / "batches" / safe_id(batch)


def _open(session: Session, batch: str) -> tuple[Path, dict[str, Any]]:
    try:
        folder = _folder(session.engine, batch)
    except ValueError:
        raise WorkflowError(f"{batch[:80]!r} is no batch.") from None
    plain = read_json(folder / "batch.json")
    if not plain or plain["owner"] != session.row.owner:
        raise WorkflowError(f"There is no batch {batch[:80]!r} of yours.")
    return folder, plain


def _item(folder: Path, at: int, name: str, steps: int) -> ItemRun:
    plain = read_json(folder / f"{at}.json")
    if not plain:
        return ItemRun(at, name, steps=steps)
    known = {key: value for key, value in plain.items() if key in ItemRun.__dataclass_fields__}
    return ItemRun(**{**known, "number": at, "name": name, "repaired": tuple(plain.get("repaired", ()))})


def _said(item: ItemRun) -> dict[str, Any]:
    plain = asdict(item)
    return {**plain, "repaired": list(item.repaired)}


def _table(session: Session, report: BatchReport) -> str | None:
    """The results as a table of the session: a row an item. None where the session has no room for one."""
    figures = list(dict.fromkeys(key for each in report.items for key in each.figures))
    head = ["item", "status", *figures, "failed step", "why", "repaired", "seconds", "session"]
    task = report.workflow.partition("/")[0]
    name = f"{report.id}-{task}.csv"
    uploads = session.engine.uploads(session.row.owner)
    uploads.mkdir(parents=True, exist_ok=True)
    with (uploads / name).open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(head)
        for each in report.items:
            failed = each.status != "done"
            rows.writerow(
                [each.name, each.status, *(each.figures.get(key, "") for key in figures), each.failed_step,
                 each.said if failed else "", "; ".join(each.repaired), each.seconds, each.session]
            )  # fmt: skip
    event = session.call_tool(
        "add_file", {"file": name, "name": f"{task} on {len(report.items)}"}, source="workflow"
    )
    return str(event.data["table"]) if event.ok and event.data.get("table") else None


def to_items(plain: Sequence[Mapping[str, Any]]) -> tuple[Item, ...]:
    """Items out of JSON: [{"name", "data": {}, "parameters": {}}]. Raises WorkflowError."""
    try:
        return tuple(
            Item(
                str(each.get("name") or f"item {at + 1}"),
                dict(each.get("data", {})),
                dict(each.get("parameters", {})),
            )
            for at, each in enumerate(plain)
        )
    except (AttributeError, TypeError, ValueError):
        raise WorkflowError(
            'An item of a batch is {"name", "data": {input: file}, "parameters": {}}.'
        ) from None


__all__ = [
    "BatchReport",
    "Item",
    "ItemRun",
    "batches",
    "begin",
    "items_of",
    "look",
    "opened",
    "run_batch",
    "stop_batch",
    "to_items",
    "workflow_for",
]
