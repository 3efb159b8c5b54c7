"""Uploads that go to disk as they come, so that their size never shows in the process's memory."""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from copilot.server.guard import Denied, from_our_page, guarded, the_live
from copilot.server.owner import owner_of
from data.room import QUOTA_VARIABLE, disk_full, free_bytes, quota_bytes, ran_out, taken_bytes

DEFAULT_MAX_GB = 4.0
LONGEST_NAME = 120
_BUFFER_BYTES = 1 << 20


def max_upload_bytes() -> int:
    """The largest upload, bytes: $AZIMUTH_MAX_UPLOAD_GB, else 4 GB."""
    return int(float(os.environ.get("AZIMUTH_MAX_UPLOAD_GB", DEFAULT_MAX_GB)) * 1e9)


@guarded
async def upload(request: Request) -> Response:
    """PUT: the body becomes a file of the owner's upload folder; the answer is {name, bytes}.

    The name is what tools are given; where the file lies is nobody's business over the web.
    """
    from_our_page(request)
    owner = owner_of(request)
    if owner is None:
        raise Denied(403, "Open Azimuth's page first; uploads belong to a browser.")
    limit = max_upload_bytes()
    said = request.headers.get("content-length", "")
    declared = int(said) if said.isdigit() else 0
    if declared > limit:
        raise Denied(413, too_large(limit))
    folder = the_live().engine.uploads(owner)
    name = safe_name(str(request.path_params["name"]))
    left = await run_in_threadpool(_room, folder, name)
    if free_bytes(folder) < declared:
        raise Denied(507, "There is not enough free disk space for this file.")
    if declared > left:
        raise Denied(413, too_many())
    written = await _receive(request, folder / name, limit, left)
    return JSONResponse({"name": name, "bytes": written})


def _room(folder: Path, name: str) -> int:
    """What the folder may still take, bytes, once the file of that name is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    before = folder / name
    return quota_bytes() - taken_bytes(folder) + (before.stat().st_size if before.is_file() else 0)


async def _receive(request: Request, target: Path, limit: int, left: int) -> int:
    """Write the body beside its place and move it there when it is whole."""
    part = target.with_name(f".{secrets.token_hex(6)}.part")
    written, waiting = 0, bytearray()
    try:
        with part.open("wb") as file:
            async for chunk in request.stream():
                written += len(chunk)
                if written > limit:
                    raise Denied(413, too_large(limit))
                if written > left:
                    raise Denied(413, too_many())
                waiting += chunk
                if len(waiting) >= _BUFFER_BYTES:
                    if free_bytes(target.parent) < 0:
                        raise Denied(507, disk_full())
                    await run_in_threadpool(file.write, bytes(waiting))
                    waiting.clear()
            file.write(waiting)
        if written == 0:
            raise Denied(400, "The file is empty.")
        part.replace(target)
    except OSError as error:
        if ran_out(error):
            raise Denied(507, disk_full()) from None
        raise
    finally:
        part.unlink(missing_ok=True)
    return written


def too_many() -> str:
    """The sentence for a file that would make the uploads of a browser too large."""
    return (
        f"With this file the uploads of this browser take more than {quota_bytes() / 1e9:g} GB "
        f"(${QUOTA_VARIABLE}), which is the most; whoever runs Azimuth can make room, and a file under a "
        "name that is there already takes that one's place."
    )


def too_large(limit: int) -> str:
    """The sentence for a file over the limit."""
    return (
        f"The file is larger than {limit / 1e9:g} GB, which is the most that can be uploaded; "
        "whoever runs Azimuth can bring it in there, with copilot data ingest."
    )


def safe_name(name: str) -> str:
    """A file name without folders, hidden names or control characters. Raises Denied when nothing is left."""
    plain = unicodedata.normalize("NFKC", name).replace("\\", "/").split("/")[-1]
    words = re.findall(r"[\w.()+-]+", plain)
    found = "_".join(words).lstrip(".")
    if len(found) > LONGEST_NAME:
        # What tells files apart stands at the beginning and at the end of a name.
        found = f"{found[: LONGEST_NAME - 41].rstrip('._')}_{found[-40:].lstrip('._')}"
    if not found:
        raise Denied(400, "The file needs a name of letters and digits.")
    return found


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    return [Route("/api/uploads/{name}", upload, methods=["PUT"])]
