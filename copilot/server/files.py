"""Files that go out: artifacts of a session, its STAC catalogue, and quicklooks of the catalogue."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import threading
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from copilot.server.guard import LOCAL_OWNER, Denied, guarded, own_session, the_live
from copilot.server.owner import owner_of
from data.catalogue.base import Catalogue
from data.catalogue.write import QUICKLOOKS, folder_of
from state.model import Artifact, State
from tools.data.downloads import format_named, write_as
from tools.data.stac import write_stac
from tools.kept import BESIDE, has_own_name

TYPES = {
    ".csv": "text/csv; charset=utf-8", ".json": "application/json", ".geojson": "application/geo+json",
    ".parquet": "application/vnd.apache.parquet", ".py": "text/x-python; charset=utf-8", ".png": "image/png",
    ".ipynb": "application/x-ipynb+json", ".tif": "image/tiff", ".html": "application/octet-stream",
    ".gpkg": "application/geopackage+sqlite3", ".zip": "application/zip", ".fgb": "application/flatgeobuf",
    ".kml": "application/vnd.google-earth.kml+xml", ".geoparquet": "application/vnd.apache.parquet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8",
}  # fmt: skip
PROVENANCE = "provenance"
AT_ONCE = 2
"""Conversions that run at the same time; others wait."""
KEEP_FREE_BYTES = 500_000_000
_places = threading.BoundedSemaphore(AT_ONCE)
_KEPT_AS = (".tif", ".tiff", ".geojson", ".parquet", ".gpkg", ".csv")
"""What an uploaded file's name ends with, which another format's does not."""
_ARTIFACT = re.compile(r"[a-z]+-[0-9a-f]{4,64}")


@guarded
async def artifact(request: Request) -> Response:
    """GET ?format=: an artifact's file, as a download; only by an id that the session's state knows.

    Without a format it comes as it is kept; `provenance` is where a file that was written came from.
    """
    session = await own_session(request)
    wanted = str(request.path_params["artifact"])
    found = session.state.artifact(wanted)
    if found is None or not _ARTIFACT.fullmatch(wanted):
        raise Denied(404, f"This session has no artifact {wanted!r}.")
    folder = session.engine.artifacts(session.id)
    path = await run_in_threadpool(folder.find, wanted)
    if path is None or not inside(path, folder.folder):
        raise Denied(404, f"The file of {wanted} is gone; {found.made_by} makes it again.")
    asked = request.query_params.get("format")
    if asked == PROVENANCE:
        beside = path.with_name(f"{path.name}{BESIDE}")
        if not beside.is_file():
            raise Denied(404, f"Nothing is on record of where {wanted} came from.")
        name = f"{path.name if has_own_name(path) else file_name(found, path.suffix)}{BESIDE}"
        headers = {"Content-Disposition": disposition(name), "Cache-Control": "private, no-cache"}
        return FileResponse(beside, media_type=TYPES[".json"], headers=headers)
    if asked is not None:
        return await _converted(session.state, found, path, asked)
    media_type = TYPES.get(path.suffix, "application/octet-stream")
    headers = {
        "Content-Disposition": disposition(
            path.name if has_own_name(path) else file_name(found, path.suffix)
        ),
        "Cache-Control": "private, no-cache",
    }
    return FileResponse(path, media_type=media_type, headers=headers)


async def _converted(state: State, found: Artifact, path: Path, asked: str) -> Response:
    """The artifact in a format, written beside and removed when it is sent. Raises ToolError."""
    wanted = format_named(found, path, asked)
    # A raster's copies (overviews, nothing packed) may take some times its size.
    room = shutil.disk_usage(tempfile.gettempdir()).free - KEEP_FREE_BYTES
    if path.stat().st_size * 4 > room:
        raise Denied(507, "There is not enough free disk space to convert this file; take it as it is.")
    name = file_name(found, wanted.suffix)
    return await _made(
        f"{found.id}{wanted.suffix}", name, wanted.media_type, write_as, state, found, path, wanted
    )


@guarded
async def stac(request: Request) -> Response:
    """GET: the session's rasters and features as a STAC catalogue, zipped."""
    session = await own_session(request)

    def write(target: Path) -> None:
        write_stac(session.state, session.world(), target, session_id=session.id)

    return await _made("session.stac.zip", "session.stac.zip", "application/zip", write)


async def _made(
    kept_as: str, name: str, media_type: str, write: Callable[..., object], *given: object
) -> Response:
    """A file that `write(*given, path)` makes, sent as a download and removed when it is sent."""
    folder = Path(await run_in_threadpool(tempfile.mkdtemp, prefix="azimuth-download-"))
    target = folder / kept_as
    try:
        async with _converting():
            await run_in_threadpool(write, *given, target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    headers = {"Content-Disposition": disposition(name), "Cache-Control": "private, no-cache"}
    done = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(target, media_type=media_type, headers=headers, background=done)


@asynccontextmanager
async def _converting() -> AsyncIterator[None]:
    """Wait for a place among the conversions that run at once: each may use a core and a lot of disk."""
    while not _places.acquire(blocking=False):
        await asyncio.sleep(0.1)
    try:
        yield
    finally:
        _places.release()


@guarded
async def quicklook(request: Request) -> Response:
    """GET: an image's quicklook, by the image's id: the file's name comes from the catalogue."""
    image_id = str(request.path_params["image"])
    engine = the_live().engine
    catalogue = engine.catalogue_for(owner_of(request) or LOCAL_OWNER)
    path = await run_in_threadpool(quicklook_file, engine.catalogue_root, catalogue, image_id)
    if path is None:
        raise Denied(404, "This image comes without pixels.")
    return FileResponse(path, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})


def quicklook_file(root: Path | None, catalogue: Catalogue, image_id: str) -> Path | None:
    """The quicklook of an image that the catalogue, at `root`, shows; None when there is none."""
    row = catalogue.image(image_id)
    if row is None or root is None or not row.get("quicklook"):
        return None
    info = next(each for each in catalogue.datasets() if each.name == row["dataset"])
    folder = folder_of(root, info) / QUICKLOOKS
    path = folder / Path(str(row["quicklook"])).name
    return path if path.is_file() and inside(path, folder) else None


def inside(path: Path, folder: Path) -> bool:
    """Whether a file, links followed, lies in the folder."""
    return path.resolve().is_relative_to(folder.resolve())


def file_name(found: Artifact, suffix: str) -> str:
    """A name for the download, from the artifact's own: letters of any script, no path."""
    plain = unicodedata.normalize("NFKC", found.name)
    for each in (suffix, *_KEPT_AS):
        plain = plain.removesuffix(each)
    words = re.findall(r"[\w.-]+", plain)
    return ("-".join(words)[:80].strip(".-") or found.id) + suffix


def disposition(name: str) -> str:
    """A Content-Disposition that keeps the name whole (RFC 6266)."""
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    return [
        Route("/api/sessions/{session}/artifacts/{artifact}", artifact),
        Route("/api/sessions/{session}/stac", stac),
        Route("/api/quicklooks/{image:path}", quicklook),
    ]
