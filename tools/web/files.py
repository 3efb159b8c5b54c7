"""Files of the web, brought into the session as if they had been uploaded."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote, urlsplit

from pydantic import Field

from state.codec import canonical
from state.model import State
from tools.artifacts import Call, about
from tools.base import Reach, Step, World, tool
from tools.phrases import one_line
from tools.python.files_in import add_file
from tools.units import NewName
from tools.web.shared import OUTSIDE, Url, asking

MAX_BYTES = 2 * 1024**3
MAX_SECONDS = 600.0
_ENDINGS = {
    "image/tiff": ".tif",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/jp2": ".jp2",
    "application/geo+json": ".geojson",
    "application/json": ".json",
    "application/geopackage+sqlite3": ".gpkg",
    "application/vnd.google-earth.kml+xml": ".kml",
    "application/zip": ".zip",
    "application/pdf": ".pdf",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/plain": ".txt",
}


@tool(
    "web",
    changes_state=True,
    gives=("raster", "vector", "table", "document"),
    external=True,
    long_running=True,
)
def download_file(
    state: State,
    world: World,
    *,
    url: Url,
    name: Annotated[
        NewName | None, Field(description="What to call it; the file's name when left out.")
    ] = None,
) -> Step:
    """Download a file from the web and bring it in: a raster, features, a table or a document.

    It is read as an upload is, with the same checks: what add_file takes, this takes. At most 2 GiB.

    Example: copilot call download_file url=http://harbour.example/fields.geojson

    Asked as: download this file from the internet | fetch the GeoTIFF behind this link | get the
    shapefile from that address | load the data from this url | save the CSV of that site here | bring in the
    file at https://
    """
    from data.web.fetch import Fetcher
    from data.web.wire import Limits

    call = Call.of(download_file, url=url, name=name)
    beside = world.artifacts.about("document-download").parent
    beside.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".download-", dir=beside))
    try:
        with asking(), Fetcher(Limits(total_seconds=MAX_SECONDS, silent_seconds=30)) as fetcher:
            part = folder / ".part"
            head = fetcher.download(url, part, most_bytes=MAX_BYTES)
        file = part.rename(folder / _file_name(head.url, head.headers, head.kind))
        size = file.stat().st_size
        # The name alone is given, and the folder as the place of uploads: it is read as an upload is.
        inside = replace(world, uploads=folder, reach=Reach(free=False))
        step: Step = add_file.function(state, inside, file=file.name, name=name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    made = replace(step.state.artifacts[-1], made_by=str(call))
    known = {**about(world, made.id), "tool": call.tool, "arguments": call.args, "url": head.url}
    world.artifacts.about(made.id).write_text(canonical(known), encoding="utf-8")
    said = f"Downloaded {size:,} bytes from {head.url} ({OUTSIDE}). {step.observation}"
    return replace(
        step,
        state=step.state.with_artifact(made),
        observation=said,
        data={**step.data, "url": head.url, "bytes": size},
    )


def _file_name(url: str, headers: Mapping[str, str], kind: str) -> str:
    """A plain name for the file: what the server calls it, else the address's end, with a fitting ending."""
    said = re.search(r'filename="?([^";]+)"?', headers.get("content-disposition", ""))
    last = said[1] if said else unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2]
    plain = re.sub(r"[^\w.()-]+", "_", one_line(last).replace("…", ""))[-100:].lstrip(".-_") or "download"
    return plain if "." in plain else f"{plain}{_ENDINGS.get(kind, '')}"


TOOLS = (download_file,)
