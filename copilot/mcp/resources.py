"""What a client can read of a session: its state, layers, tables, figures, map and log.

azimuth://SESSION/state            azimuth://SESSION/layers/LAYER.geojson    azimuth://SESSION/figures/ID.json
azimuth://SESSION/log              azimuth://SESSION/layers/LAYER.png        azimuth://SESSION/artifacts/ID
azimuth://SESSION/map.png          azimuth://SESSION/tables/ID.csv
"""

from __future__ import annotations

import base64
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import types

from copilot.mcp.wire import MIB
from copilot.session import Session
from copilot.view.pictures import layer_picture
from state.codec import to_json
from state.model import Artifact
from tools.base import ToolError
from tools.data.downloads import geojson_bytes
from tools.vectors import kept_vector_of

SCHEME = "azimuth"
MAX_BYTES = 32 * MIB
"""The largest content that is given at once; the app's downloads have no such limit."""
GEOJSON, PNG, CSV, JSON = "application/geo+json", "image/png", "text/csv", "application/json"
_ADDRESS = re.compile(rf"{SCHEME}://([A-Za-z0-9_-]{{1,100}})/([a-z.]+)(?:/([A-Za-z0-9_.-]{{1,200}}))?")
_TYPES = {
    ".tif": "image/tiff", ".png": PNG, ".csv": CSV, ".json": JSON, ".geojson": GEOJSON,
    ".parquet": "application/vnd.apache.parquet", ".html": "text/html", ".py": "text/x-python",
    ".geoparquet": "application/vnd.apache.parquet", ".gpkg": "application/geopackage+sqlite3",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".kml": "application/vnd.google-earth.kml+xml", ".fgb": "application/flatgeobuf",
    ".zip": "application/zip", ".txt": "text/plain", ".md": "text/markdown",
}  # fmt: skip
_FOLDERS = {"table": "tables", "figure": "figures", "vector": "layers", "detections": "layers"}
_TEMPLATES = (
    ("state", "The state of a session", JSON),
    ("log", "Everything that was asked and called in a session, and what it came to", JSON),
    ("map.png", "The map of a session as a picture", PNG),
    ("layers/{layer}.geojson", "A layer's features, by the layer's id or an artifact's", GEOJSON),
    ("layers/{layer}.png", "A raster layer as a picture in Web Mercator", PNG),
    ("tables/{table}.csv", "A table of a session", CSV),
    ("figures/{figure}.json", "A figure of a session, as Plotly draws it", JSON),
    (
        "artifacts/{artifact}",
        "An artifact as it is kept: GeoTIFF, GeoParquet, JSON",
        "application/octet-stream",
    ),
)


class NoResource(Exception):
    """There is nothing at that address, in a sentence."""


def templates() -> list[types.ResourceTemplate]:
    """The kinds of addresses."""
    return [
        types.ResourceTemplate(
            name=path.split("/")[0].split(".")[0],
            uri_template=f"{SCHEME}://{{session}}/{path}",
            description=f"{about}.",
            mime_type=kind,
        )
        for path, about, kind in _TEMPLATES
    ]


def there(session: Session) -> list[types.Resource]:
    """What there is to read in a session."""
    base = f"{SCHEME}://{session.id}"
    found = [
        types.Resource(
            name="state", uri=f"{base}/state", title=f"The state of {session.name}", mime_type=JSON
        ),
        types.Resource(name="log", uri=f"{base}/log", title=f"The log of {session.name}", mime_type=JSON),
        types.Resource(name="map", uri=f"{base}/map.png", title=f"The map of {session.name}", mime_type=PNG),
    ]
    for layer in session.state.map.layers:
        kind = ("png", PNG) if layer.kind == "raster" else ("geojson", GEOJSON)
        uri = f"{base}/layers/{layer.id}.{kind[0]}"
        found.append(types.Resource(name=layer.id, uri=uri, title=layer.name, mime_type=kind[1]))
    return [*found, *(resource_of(session, each) for each in session.state.artifacts)]


def resource_of(session: Session, artifact: Artifact) -> types.Resource:
    """An artifact as a resource."""
    uri, kind = address_of(session, artifact)
    about = f"{artifact.kind}: {artifact.summary}"
    return types.Resource(name=artifact.id, uri=uri, title=artifact.name, description=about, mime_type=kind)


def link_to(session: Session, artifact: Artifact) -> types.ResourceLink:
    """An artifact as a link in what a call came to."""
    found = resource_of(session, artifact)
    return types.ResourceLink(type="resource_link", **found.model_dump(exclude_none=True))


def address_of(session: Session, artifact: Artifact) -> tuple[str, str]:
    """(where an artifact is read in the form that most programs take, its media type)."""
    base = f"{SCHEME}://{session.id}"
    match artifact.kind:
        case "table":
            return f"{base}/tables/{artifact.id}.csv", CSV
        case "figure":
            return f"{base}/figures/{artifact.id}.json", JSON
        case "vector" | "detections":
            return f"{base}/layers/{artifact.id}.geojson", GEOJSON
    path = session.engine.artifacts(session.id).find(artifact.id)
    return f"{base}/artifacts/{artifact.id}", _TYPES.get(
        path.suffix if path else "", "application/octet-stream"
    )


def parsed(uri: str) -> tuple[str, str, str]:
    """(session, what, which) of an address. Raises NoResource."""
    found = _ADDRESS.fullmatch(uri)
    if found is None:
        raise NoResource(
            f"{uri[:200]!r} is no address of a session's; resources/templates/list says how they are."
        )
    return found[1], found[2], found[3] or ""


def read(session: Session, uri: str) -> list[types.TextResourceContents | types.BlobResourceContents]:
    """The content at an address of that session's. Raises NoResource, ToolError."""
    _, what, which = parsed(uri)
    name, _, ending = which.rpartition(".")
    match what, ending:
        case "state", _:
            content, kind = (
                _json({"session": session.id, "hash": session.hash, "state": to_json(session.state)}),
                JSON,
            )
        case "log", _:
            content, kind = _json(log_of(session)), JSON
        case "map.png", _:
            content, kind = _map(session), PNG
        case "layers", "geojson":
            content, kind = _features(session, name), GEOJSON
        case "layers", "png":
            content, kind = _picture(session, name), PNG
        case "tables", "csv":
            content, kind = _table(session, name), CSV
        case "figures", "json":
            content, kind = _file(session, name, lambda each: each.kind == "figure")[0], JSON
        case "artifacts", _:
            content, kind = _file(session, which, lambda each: True)
        case _:
            raise NoResource(f"There is nothing at {uri[:200]!r}; resources/list says what there is.")
    if len(content) > MAX_BYTES:
        raise NoResource(
            f"It takes {len(content) / MIB:.0f} MiB, and {MAX_BYTES // MIB} are the most; ask for less."
        )
    return [contents(uri, kind, content)]


def contents(uri: str, kind: str, content: bytes) -> types.TextResourceContents | types.BlobResourceContents:
    """Content as the protocol has it: text where it is text."""
    if kind in (JSON, CSV, GEOJSON) or kind.startswith("text/"):
        return types.TextResourceContents(uri=uri, mime_type=kind, text=content.decode("utf-8", "replace"))
    return types.BlobResourceContents(uri=uri, mime_type=kind, blob=base64.b64encode(content).decode())


def log_of(session: Session) -> list[dict[str, Any]]:
    """The events of a session without the states after them, which the log's hashes stand for."""
    left_out = ("state", "data")
    return [
        {
            key: value
            for key, value in vars(each).items()
            if key not in left_out and value not in (None, "", {})
        }
        for each in session.events
    ]


def _map(session: Session) -> bytes:
    from tools.map.export import ATTRIBUTION
    from tools.map.picture import draw_png
    from tools.map.webpage import map_title

    with tempfile.TemporaryDirectory(prefix="azimuth-map-") as folder:
        path = Path(folder) / "map.png"
        draw_png(session.state, session.world(), path, map_title(session.state.map), [ATTRIBUTION])
        return path.read_bytes()


def _features(session: Session, handle: str) -> bytes:
    return geojson_bytes(kept_vector_of(session.state, session.world(), handle).frame)


def _picture(session: Session, layer_id: str) -> bytes:
    layer = session.state.layer(layer_id)
    if layer is None or layer.kind != "raster":
        raise NoResource(f"The map has no raster layer {layer_id!r}.")
    return layer_picture(layer, session.world())


def _table(session: Session, artifact_id: str) -> bytes:
    import pandas as pd

    path = _path(session, artifact_id, lambda each: each.kind == "table")
    text: str = pd.read_parquet(path).to_csv(index=False)
    return text.encode()


def _file(session: Session, artifact_id: str, fits: Callable[[Artifact], bool]) -> tuple[bytes, str]:
    path = _path(session, artifact_id, fits)
    if path.stat().st_size > MAX_BYTES:
        raise NoResource(f"{artifact_id} takes more than {MAX_BYTES // MIB} MiB; download it in the app.")
    return path.read_bytes(), _TYPES.get(path.suffix, "application/octet-stream")


def _path(session: Session, artifact_id: str, fits: Callable[[Artifact], bool]) -> Path:
    artifact = session.state.artifact(artifact_id)
    if artifact is None or not fits(artifact):
        raise NoResource(f"This session has no {artifact_id!r} there; resources/list says what it has.")
    path = session.engine.artifacts(session.id).find(artifact.id)
    if path is None:
        raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
    return path


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
