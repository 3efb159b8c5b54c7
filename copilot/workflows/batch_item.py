"""One item of a batch: its session, its run, and the file that says how far it is; in whatever process."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.workflows.model import WorkflowError
from data.progress import Cancelled, Progress
from state.store import UnknownSession

if TYPE_CHECKING:
    from copilot.engine import Engine
    from copilot.session import Session
    from copilot.workflows.engine import Report, StepRun
    from copilot.workflows.instantiate import Instance

STOP = "stop"
"""A file of this name in a batch's folder: no item begins another step."""
_NAMED = re.compile(r"[^\w.-]+")
_NO_FIGURES = frozenset({"bands", "width_px", "height_px", "count_px", "zoom", "layers"})
_MOST_FIGURES = 24


def run_item(progress: Progress, place: Mapping[str, Any], folder: str, number: int) -> None:
    """One item of a batch in a worker, which opens the home for itself."""
    from copilot.workflows.side_by_side import canonical_place, engine_at

    run_item_with(engine_at(canonical_place(place)), progress, Path(folder), number)


def run_item_with(engine: Engine, progress: Progress, folder: Path, number: int) -> None:
    """Run one item to its end, or to the step at which the batch is stopped; its file says how it went."""
    plain = read_json(folder / "batch.json")
    item = plain["items"][number]
    file = folder / f"{number}.json"
    told: dict[str, Any] = {**read_json(file), "number": number, "name": item["name"], "status": "running"}
    told["steps"] = len(plain["workflow"]["steps"])
    stop = threading.Event()
    try:
        session = _session(engine, plain, item, told)
        write_json(file, told)
        instance = _bound(session, plain, item)
        report = _run(session, plain, instance, progress, stop, folder, told)
        told.update(_outcome(session, report))
    except Cancelled:
        told.update(status="cancelled", said="It was stopped.")
    except WorkflowError as error:
        told.update(status="failed", said=str(error), failed_step="data")
    write_json(file, told)


def _run(
    session: Session,
    plain: Mapping[str, Any],
    instance: Instance,
    progress: Progress,
    stop: threading.Event,
    folder: Path,
    told: dict[str, Any],
) -> Report:
    from copilot.workflows.memory import Memory
    from copilot.workflows.running import run

    done: set[str] = set()
    steps = max(1, len(instance.workflow.steps))

    def heard(step: StepRun) -> None:
        if step.status in ("done", "reused"):
            done.add(step.step)
        told.update(steps_done=min(len(done), steps), said=f"{step.tool} {step.status}")
        write_json(folder / f"{told['number']}.json", told)
        if (folder / STOP).exists():
            stop.set()
        progress.tell(len(done) / (steps + 1), f"{told['name']}: {step.step} ({step.tool}) {step.status}.")

    if (folder / STOP).exists():
        stop.set()
    memory = Memory.of(session.engine.home, plain["owner"])
    return run(session, instance, heard=heard, stop=stop, memory=memory, repairs=bool(plain["repairs"]))


def _session(
    engine: Engine, plain: Mapping[str, Any], item: Mapping[str, Any], told: dict[str, Any]
) -> Session:
    """The item's session: the one of before where there is one, so that it goes on."""
    from copilot.session import Session

    if told.get("session"):
        with suppress(UnknownSession):
            return Session.open(str(told["session"]), engine=engine)
    row = engine.store.create(
        batch_owner(str(plain["owner"])),
        f"{plain['workflow']['title']}: {item['name']}"[:100],
        parent=plain["session"],
    )
    told["session"] = row.id
    return Session(row, engine)


def _bound(session: Session, plain: Mapping[str, Any], item: Mapping[str, Any]) -> Instance:
    from copilot.workflows.facts import known
    from copilot.workflows.instantiate import Instance, fit, instance
    from copilot.workflows.model import Workflow

    workflow = Workflow.from_json(plain["workflow"])
    handles = {name: _added(session, name, str(value)) for name, value in item["data"].items()}
    things = {each: known(session.state, session.world(), each, session.events) for each in handles.values()}
    chosen = fit(workflow, things, handles)
    # What the data lack is a step's precondition too, and may be repaired there.
    made = instance(chosen, things, {**plain["parameters"], **item["parameters"]})
    if not isinstance(made, Instance):
        raise WorkflowError(" ".join(each.text for each in made))
    return made


def _added(session: Session, name: str, value: str) -> str:
    """The handle of a file in the item's session, added once."""
    if ":" in value and session.world().catalogue.image(value) is not None:
        return value
    before = next(
        (e for e in session.events if e.tool == "add_file" and e.ok and e.args.get("file") == value), None
    )
    title = value.split("_", 3)[-1] if value.startswith("batch-") else Path(value).name
    event = before or session.call_tool(
        "add_file", {"file": value, "name": Path(title).stem[:60] or name}, source="workflow"
    )
    if not event.ok:
        raise WorkflowError(f"{Path(title).name} cannot be added: {event.text}")
    found = next(
        (event.data[key] for key in ("raster", "vector", "table", "document") if event.data.get(key)), None
    )
    if found is None:
        raise WorkflowError(f"{Path(title).name} gave nothing to run on: {event.text}")
    return str(found)


def _outcome(session: Session, report: Report) -> dict[str, Any]:
    status = "done" if report.ok else "cancelled" if report.cancelled else "failed"
    said = report.trouble.said if report.trouble is not None else ""
    repaired = [
        f"{each.get('step')}: {each.get('said')} ({each.get('because')})"
        for each in report.instance.adjustments
        if each.get("failed")
    ]
    return {
        "status": status,
        "said": said if said else "It was stopped." if report.cancelled else _answer(session, report),
        "failed_step": report.trouble.step if report.trouble is not None else "",
        "figures": dict(list(figures(session, report))[:_MOST_FIGURES]),
        "results": report.answer,
        "repaired": repaired,
        "seconds": round(report.seconds, 2),
        "steps_done": sum(each.status in ("done", "reused") for each in report.steps),
        "steps": len(report.steps),
    }


def _answer(session: Session, report: Report) -> str:
    given = {each.lstrip("$").partition(".")[0] for each in report.instance.workflow.gives}
    return " ".join(each.said for each in report.steps if each.step in given)[:1000]


def figures(session: Session, report: Report) -> Iterator[tuple[str, float]]:
    """The numbers that the calls of the answer's steps gave, by `step.key`."""
    given = {each.lstrip("$").partition(".")[0] for each in report.instance.workflow.gives}
    by_seq = {each.seq: each for each in session.events}
    for step in report.steps:
        event = by_seq.get(step.seq) if step.seq is not None else None
        if step.step not in given or event is None:
            continue
        for key, value in event.data.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and key not in _NO_FIGURES:
                yield f"{step.step}.{key}", float(value)


def batch_owner(owner: str) -> str:
    """Whose the items' sessions are: they stand in nobody's list, and are reached by the batch alone."""
    return f"{owner[:90]}-batch"


def link_upload(engine: Engine, owner: str, path: Path, name: str) -> str:
    """A file among the uploads of the batches of an owner, without taking its room twice: its name there."""
    folder = engine.uploads(batch_owner(owner))
    folder.mkdir(parents=True, exist_ok=True)
    kept = f"{_NAMED.sub('-', name)[:120]}{path.suffix}"
    try:
        os.link(path, folder / kept)
    except OSError:  # another file system
        shutil.copyfile(path, folder / kept)
    return kept


def read_json(path: Path) -> dict[str, Any]:
    """What a file says; nothing where it is not there."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, plain: Mapping[str, Any]) -> None:
    """Whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    part.write_text(json.dumps(plain, ensure_ascii=False, default=str), encoding="utf-8")
    part.replace(path)


__all__ = [
    "STOP",
    "batch_owner",
    "figures",
    "link_upload",
    "read_json",
    "run_item",
    "run_item_with",
    "write_json",
]
