"""An upload is brought in by a process of its own: what goes in and comes out of it as plain JSON.

brought = bring_apart(incoming, reader)      # as data.uploads.bring.bring
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from data.apart.reader import Reader
from data.uploads.bring import bring
from data.uploads.brought import Asked, Brought, Incoming
from data.uploads.errors import UploadError


def bring_apart(incoming: Incoming, reader: Reader) -> Brought:
    """The artifact that the file becomes. Raises UploadError, also when the process breaks down on it."""
    answer = reader.read(
        partial(bring_plain, _job(incoming)),
        about=incoming.shown,
        error=UploadError,
        reads=[incoming.path, *incoming.beside.values()],
        folder=incoming.folder,
    )
    return _brought(answer)


def bring_plain(job: dict[str, Any]) -> dict[str, Any]:
    """`data.uploads.bring.bring` of a job, its artifact as plain JSON. Raises UploadError."""
    return answer_of(bring(incoming_of(job)))


def _job(incoming: Incoming) -> dict[str, Any]:
    return {
        "path": str(incoming.path.absolute()),
        "name": incoming.name,
        "folder": str(incoming.folder.absolute()),
        "asked": asdict(incoming.asked),
        "beside": {suffix: str(path.absolute()) for suffix, path in incoming.beside.items()},
        "ours": incoming.ours,
    }


def incoming_of(job: Mapping[str, Any]) -> Incoming:
    """The file that a job is about."""
    return Incoming(
        path=Path(job["path"]),
        name=str(job["name"]),
        folder=Path(job["folder"]),
        asked=Asked(**job["asked"]),
        beside={suffix: Path(path) for suffix, path in job["beside"].items()},
        ours=bool(job["ours"]),
    )


def answer_of(brought: Brought) -> dict[str, Any]:
    """What is said of an artifact, as JSON; the time of its item as ISO 8601."""
    item = dict(brought.item)
    when = item.get("datetime")
    item["datetime"] = when.isoformat() if isinstance(when, datetime) else None
    kept = {**asdict(brought), "path": str(brought.path), "facts": dict(brought.facts), "item": item}
    plain: dict[str, Any] = json.loads(json.dumps(kept, default=str))
    return plain


def _brought(answer: Mapping[str, Any]) -> Brought:
    item = dict(answer["item"])
    if item.get("datetime"):
        item["datetime"] = datetime.fromisoformat(item["datetime"])
    bbox, point = answer["bbox"], answer["point"]
    return Brought(
        kind=answer["kind"],
        path=Path(answer["path"]),
        suffix=answer["suffix"],
        summary=answer["summary"],
        what=answer["what"],
        notes=tuple(answer["notes"]),
        bbox=None if bbox is None else (bbox[0], bbox[1], bbox[2], bbox[3]),
        point=None if point is None else (point[0], point[1]),
        bands=answer["bands"],
        facts=answer["facts"],
        item=item,
        part=answer["part"],
        parts=tuple(answer["parts"]),
        title=answer["title"],
    )
