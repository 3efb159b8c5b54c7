"""What another server's tool answers, as a step: its words as data, its files as artifacts of the session."""

from __future__ import annotations

import base64
import binascii
import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from copilot.mcp.declared import clean
from copilot.mcp.wire import MIB
from state.codec import canonical
from state.model import State
from tools.artifacts import Call, about
from tools.base import Reach, Step, ToolError, World
from tools.data.downloads import geojson_bytes
from tools.phrases import one_line
from tools.python.files_in import add_file
from tools.rasters import raster_of
from tools.vectors import kept_vector_of

MAX_SAID = 6000
"""How many characters of an answer are kept."""
MAX_DATA_BYTES = 64 * 1024
MAX_FILES = 8
MAX_FILE_BYTES = 32 * MIB
MAX_SENT_BYTES = 24 * MIB
"""What may be sent as the content of one handle."""
_ENDINGS = {
    "image/tiff": ".tif", "image/png": ".png", "image/jpeg": ".jpg", "image/jp2": ".jp2",
    "application/geo+json": ".geojson", "application/json": ".json", "application/pdf": ".pdf",
    "application/geopackage+sqlite3": ".gpkg", "application/vnd.google-earth.kml+xml": ".kml",
    "application/vnd.apache.parquet": ".parquet", "text/csv": ".csv", "text/html": ".html",
    "text/plain": ".txt",
}  # fmt: skip


@dataclass(frozen=True)
class File:
    """A file that came with an answer, or is still to be fetched."""

    name: str
    kind: str
    """Its media type."""
    content: bytes = b""
    url: str = ""
    """Where it is on the web, where it did not come along."""


@dataclass(frozen=True)
class Answer:
    """What a tool answered."""

    text: str
    failed: bool = False
    data: Any = None
    files: tuple[File, ...] = ()


def file_of(uri: str, kind: str | None, text: str | None, blob: str | None) -> File:
    """A resource's content as a file. Raises ToolError for one that is too large or broken."""
    if blob is not None and len(blob) > MAX_FILE_BYTES * 4 // 3 + 4:
        raise ToolError(f"A file of the answer is larger than {MAX_FILE_BYTES // MIB} MiB.")
    try:
        content = base64.b64decode(blob, validate=True) if blob is not None else (text or "").encode()
    except (binascii.Error, ValueError):
        raise ToolError("A file of the answer came broken: it is no base64.") from None
    if len(content) > MAX_FILE_BYTES:
        raise ToolError(f"A file of the answer is larger than {MAX_FILE_BYTES // MIB} MiB.")
    return File(name_of(uri, kind or ""), kind or "", content)


def name_of(uri: str, kind: str) -> str:
    """A plain name for a file, from the end of its address, with an ending that fits its type."""
    last = unquote(urlsplit(uri).path or urlsplit(uri).netloc).rstrip("/").rpartition("/")[2]
    plain = re.sub(r"[^\w.()-]+", "_", one_line(last).replace("…", ""))[-80:].lstrip(".-_") or "answer"
    ending = _ENDINGS.get(kind.split(";")[0].strip().lower(), "")
    return plain if not ending or plain.lower().endswith(ending) else f"{plain}{ending}"


def sent(state: State, world: World, schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as they go out: in place of a handle, what it stands for. Raises ToolError."""
    properties = schema.get("properties", {})
    return {name: _content(state, world, properties.get(name, {}), value) for name, value in given.items()}


def _content(state: State, world: World, schema: Mapping[str, Any], value: Any) -> Any:
    if "contentMediaType" not in schema or not isinstance(value, str):
        return value
    kind = schema.get("format")
    if kind == "raster":
        content = _bounded(raster_of(state, world, value).path, value)
    elif kind == "vector":
        content = geojson_bytes(kept_vector_of(state, world, value).frame)
    else:
        content = _table(state, world, value)
    if len(content) > MAX_SENT_BYTES:
        raise ToolError(
            f"{value!r} takes more than {MAX_SENT_BYTES // MIB} MiB, the most that is sent; cut out a part."
        )
    if schema.get("contentEncoding") == "base64" or kind == "raster":
        return base64.b64encode(content).decode()
    return content.decode("utf-8", "replace")


def _bounded(path: Path, handle: str) -> bytes:
    size = path.stat().st_size
    if size > MAX_SENT_BYTES:
        raise ToolError(
            f"{handle!r} takes {size / MIB:.0f} MiB, and {MAX_SENT_BYTES // MIB} are the most that is sent; "
            "cut out a part (raster_clip) first."
        )
    return path.read_bytes()


def _table(state: State, world: World, handle: str) -> bytes:
    import pandas as pd

    artifact = state.artifact(handle)
    path = world.artifacts.find(artifact.id) if artifact is not None and artifact.kind == "table" else None
    if path is None:
        raise ToolError(f"No table has the id {handle!r}; give one of the session's tables.")
    return pd.read_parquet(path).to_csv(index=False).encode()


def step_of(
    state: State, world: World, server: str, tool: str, given: Mapping[str, Any], answer: Answer
) -> Step:
    """The answer as a step on this state: taken from the record at a replay."""
    said = clean(answer.text, MAX_SAID)
    if answer.failed:
        return Step(
            state, f"{server} could not do it: {said or 'it does not say why.'}", failed=True, outside=True
        )
    step = Step(state, "")
    notes, made = [f"{server} answered: {said}" if said else f"{server} answered."], []
    for file in answer.files[:MAX_FILES]:
        try:
            step = _brought(step.state, world, tool, given, file)
        except ToolError as error:
            notes.append(f"{file.name} could not be brought in: {error}")
            continue
        made.append(step.state.artifacts[-1].id)
        notes.append(step.observation)
    if len(answer.files) > MAX_FILES:
        notes.append(f"It sent {len(answer.files)} files; the first {MAX_FILES} were taken.")
    data = {"server": server, "answer": _small(answer.data), "artifacts": made}
    return Step(
        step.state, " ".join(notes), {key: value for key, value in data.items() if value}, outside=True
    )


def _brought(state: State, world: World, tool: str, given: Mapping[str, Any], file: File) -> Step:
    """One file, brought in as an upload is: read apart, with the same checks."""
    beside = world.artifacts.about("document-answer").parent
    beside.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".answer-", dir=beside))
    try:
        path = folder / file.name
        if file.url:
            path = _fetched(folder, file)
        else:
            path.write_bytes(file.content)
        inside = replace(world, uploads=folder, reach=Reach(free=False))
        step: Step = add_file.function(state, inside, file=path.name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    call = Call(tool, dict(given))
    made = replace(step.state.artifacts[-1], made_by=str(call))
    known = {**about(world, made.id), "tool": tool, "arguments": dict(given)}
    world.artifacts.about(made.id).write_text(canonical(known), encoding="utf-8")
    return replace(step, state=step.state.with_artifact(made))


def _fetched(folder: Path, file: File) -> Path:
    """A file of the web, through the one guarded way out. Raises ToolError."""
    from data.web.errors import WebError
    from data.web.fetch import Fetcher

    try:
        with Fetcher() as fetcher:
            part = folder / ".part"
            head = fetcher.download(file.url, part, most_bytes=MAX_FILE_BYTES)
    except WebError as error:
        raise ToolError(str(error)) from None
    return part.rename(folder / name_of(file.url, file.kind or head.kind))


def _small(data: Any) -> Any:
    """Structured content, where it is small enough to be kept."""
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return json.loads(text) if len(text) <= MAX_DATA_BYTES else None


def links(blocks: Sequence[Any]) -> list[Any]:
    """The resource links of an answer, as many as are followed."""
    return [each for each in blocks if each.type == "resource_link"][:MAX_FILES]
