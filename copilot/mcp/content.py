"""Files that come as an argument's content and go with the answer: for a service of another machine."""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from mcp import types

from copilot.mcp import resources
from copilot.mcp.offered import takes_content
from copilot.mcp.wire import MIB
from copilot.session import Session
from data.room import disk_full, free_bytes, quota_bytes, taken_bytes
from state.model import Artifact
from tools.base import Tool, ToolError

MAX_BYTES = 32 * MIB
_LEAST_CONTENT = 201
"""A handle is no longer than 200 characters."""
_ENDINGS = {"raster": ".tif", "vector": ".geojson", "table": ".csv"}


def taken_in(session: Session, tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with handles in place of content, which is brought in first. Raises ToolError."""
    kinds = takes_content(tool)
    return {
        name: _handle(session, value, kinds[name])
        if name in kinds and isinstance(value, str) and len(value) >= _LEAST_CONTENT
        else value
        for name, value in given.items()
    }


def _handle(session: Session, value: str, kind: str) -> str:
    """The handle of a file's content, read as an upload is."""
    if len(value) > MAX_BYTES * 4 // 3 + 4:
        raise ToolError(
            f"A file of more than {MAX_BYTES // MIB} MiB cannot come as an argument; cut out a part."
        )
    try:
        content = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise ToolError(f"The {kind} is neither a handle nor a file's content in base64.") from None
    name = f"mcp-{sha256(content).hexdigest()[:16]}{_ENDINGS[kind]}"
    _write(session.engine.uploads(session.row.owner), name, content)
    event = session.call_tool("add_file", {"file": name, "name": f"the client's {kind}"}, source="mcp")
    handle = event.data.get(kind)
    if not event.ok or not isinstance(handle, str):
        raise ToolError(event.text if not event.ok else f"What came is no {kind}: {event.text}")
    return handle


def _write(folder: Path, name: str, content: bytes) -> None:
    """Keep it as one of the owner's uploads, within what those may take."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / name).is_file():
        return
    if free_bytes(folder) < len(content):
        raise ToolError(disk_full())
    if taken_bytes(folder) + len(content) > quota_bytes():
        raise ToolError(
            f"With this file the uploads take more than {quota_bytes() / 1e9:g} GB, which is the most."
        )
    part = folder / f".{secrets.token_hex(6)}.part"
    part.write_bytes(content)
    os.replace(part, folder / name)


def embedded(session: Session, artifact: Artifact) -> types.EmbeddedResource | types.ResourceLink:
    """An artifact with its content; only a link to it where that is too large."""
    uri, _ = resources.address_of(session, artifact)
    try:
        found = resources.read(session, uri)[0]
    except (resources.NoResource, ToolError):
        return resources.link_to(session, artifact)
    return types.EmbeddedResource(type="resource", resource=found)
