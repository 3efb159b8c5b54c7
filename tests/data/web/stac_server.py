"""A real STAC API for tests: stac-fastapi over pgstac on the tests' own PostgreSQL, with a few scenes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import httpx

COLLECTIONS = {"sentinel-2-l2a": "Sentinel-2 Level-2A", "landsat-c2-l2": "Landsat Collection 2 Level-2"}
SCENES: dict[str, tuple[str, str, float | None, tuple[float, float, float, float]]] = {
    "S2A_RTM_20240505": ("sentinel-2-l2a", "2024-05-05T10:40:21Z", 3.5, (3.0, 51.4, 4.6, 52.4)),
    "S2B_RTM_20240510": ("sentinel-2-l2a", "2024-05-10T10:40:21Z", 71.0, (3.0, 51.4, 4.6, 52.4)),
    "S2A_RTM_20230601": ("sentinel-2-l2a", "2023-06-01T10:40:21Z", 12.0, (3.0, 51.4, 4.6, 52.4)),
    "S2A_LYS_20240507": ("sentinel-2-l2a", "2024-05-07T10:30:21Z", 0.0, (4.2, 45.0, 5.4, 46.0)),
    "LC08_RTM_20240506": ("landsat-c2-l2", "2024-05-06T10:30:00Z", 20.0, (2.5, 51.0, 5.5, 53.0)),
    "S2A_FJI_WEST": ("sentinel-2-l2a", "2024-05-01T22:00:00Z", 5.0, (178.5, -18.5, 179.5, -17.5)),
    "S2A_FJI_EAST": ("sentinel-2-l2a", "2024-05-01T22:00:00Z", 6.0, (-179.8, -18.5, -179.0, -17.5)),
}
"""id -> (collection, time, cloud, box)."""
_WAIT_SECONDS = 40


def item(name: str, href: str) -> dict[str, Any]:
    """A scene as its STAC item; `href` is where its file `visual` lies."""
    collection, taken, cloud, (west, south, east, north) = SCENES[name]
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {
        "type": "Feature",
        "stac_version": "1.0.0",
        "id": name,
        "collection": collection,
        "bbox": [west, south, east, north],
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": {"datetime": taken, "eo:cloud_cover": cloud, "platform": name[:3].lower(), "gsd": 10.0},
        "assets": {"visual": {"href": href, "type": "image/tiff; application=geotiff", "roles": ["data"]}},
        "links": [],
    }


def collection(name: str) -> dict[str, Any]:
    """A collection as its STAC record."""
    span = [["2013-01-01T00:00:00Z", None]]
    return {
        "type": "Collection",
        "stac_version": "1.0.0",
        "id": name,
        "title": COLLECTIONS[name],
        "description": f"Scenes of {COLLECTIONS[name]}.",
        "license": "proprietary",
        "extent": {"spatial": {"bbox": [[-180, -90, 180, 90]]}, "temporal": {"interval": span}},
        "links": [],
    }


@contextmanager
def stac_api(database_url: str, folder: Path, href: str) -> Iterator[int]:
    """The port of a STAC API over the scenes, in that empty database."""
    socket_folder = parse_qs(urlsplit(database_url).query)["host"][0]
    database = urlsplit(database_url).path.lstrip("/")
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PG")},
        "PGUSER": "azimuth",
        "PGPASSWORD": "none",
        "PGHOST": quote(socket_folder, safe=""),
        "PGPORT": "5432",
        "PGDATABASE": database,
    }
    dsn = f"postgresql://azimuth@/{database}?host={socket_folder}"
    _pypgstac("migrate", "--dsn", dsn)
    rows = {
        "collections": [collection(each) for each in COLLECTIONS],
        "items": [item(each, href) for each in SCENES],
    }
    for table, records in rows.items():
        file = folder / f"{table}.ndjson"
        file.write_text("\n".join(map(json.dumps, records)))
        _pypgstac("load", table, str(file), "--method", "upsert", "--dsn", dsn)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "--factory", "stac_fastapi.pgstac.app:create_app"]
    log = folder / "log"
    with log.open("w") as told:
        running = subprocess.Popen(
            [*command, "--port", str(port), "--log-level", "warning"],
            env=environment,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=told,
        )
    try:
        _wait(running, f"http://127.0.0.1:{port}/", log)
        yield port
    finally:
        running.terminate()
        running.wait(10)


def _pypgstac(*arguments: str) -> None:
    program = Path(sys.executable).with_name("pypgstac")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, cwd="/")
    if done.returncode:
        raise RuntimeError(f"pypgstac {arguments[0]} failed: {done.stderr[-800:]}")


def _wait(running: subprocess.Popen[bytes], url: str, log: Path) -> None:
    ends = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < ends and running.poll() is None:
        try:
            if httpx.get(url, timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"The STAC API did not start: {log.read_text()[-800:]}")
