"""A server of files by ranges, one that knows no ranges, and others that get ranges wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

PX = 1200
ORIGIN = (500_000.0, 5_800_000.0)
PIXEL_M = 10.0


def write_cog(path: Path) -> Path:
    """A Cloud Optimized GeoTIFF with overviews in which every pixel tells its row and column."""
    rows, columns = np.mgrid[0:PX, 0:PX]
    noise = np.random.default_rng(1).integers(0, 65_535, (PX, PX))
    values = np.stack([rows, columns, noise]).astype("uint16")
    plain = path.with_suffix(".plain.tif")
    profile = {"driver": "GTiff", "width": PX, "height": PX, "count": 3, "dtype": "uint16", "nodata": 0}
    at = Affine(PIXEL_M, 0, ORIGIN[0], 0, -PIXEL_M, ORIGIN[1])
    with rasterio.open(plain, "w", crs="EPSG:32631", transform=at, **profile) as target:
        target.write(values)
        target.scales, target.offsets = (0.5, 1.0, 1.0), (10.0, 0.0, 0.0)
        target.descriptions = ("row", "column", "noise")
    from rasterio.shutil import copy

    copy(plain, path, driver="COG", compress="DEFLATE", blocksize=256, overview_resampling="nearest")
    plain.unlink()
    return path


def values_of(source: rasterio.DatasetReader, **how: Any) -> NDArray[np.float32]:
    """What the numbers of an open raster mean, by its own scales, offsets and nodata."""
    stored = source.read(masked=True, **how)
    scales, offsets = (np.array(each)[:, None, None] for each in (source.scales, source.offsets))
    return (stored.astype("float64") * scales + offsets).filled(np.nan).astype("float32")


def file_server(folder: Path, asked: list[str]) -> Starlette:
    """`/files/…` by ranges (each range goes into `asked`), and servers that get it wrong."""

    async def told(request: Request) -> Response:
        asked.append(request.headers.get("range", "all"))
        return FileResponse(folder / request.path_params["name"])

    async def whole(request: Request) -> Response:
        return Response((folder / request.path_params["name"]).read_bytes())

    async def moved(request: Request) -> Response:
        return RedirectResponse(f"/files/{request.path_params['name']}")

    async def inside(request: Request) -> Response:
        return RedirectResponse(f"http://127.0.0.1:8080/files/{request.path_params['name']}")

    def wrong(change: Callable[[int, bytes, int], tuple[str, bytes]]) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            content = (folder / request.path_params["name"]).read_bytes()
            found = re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers["range"])
            assert found is not None
            first, last = int(found[1]), min(int(found[2]), len(content) - 1)
            said, body = change(first, content[first : last + 1], len(content))
            return Response(body, 206, {"content-range": said})

        return answer

    def other_place(first: int, body: bytes, size: int) -> tuple[str, bytes]:
        return f"bytes {first + 1}-{first + len(body)}/{size}", body

    def too_much(first: int, body: bytes, size: int) -> tuple[str, bytes]:
        return f"bytes {first}-{first + len(body) - 1}/{size}", body * 3

    def grows(first: int, body: bytes, size: int) -> tuple[str, bytes]:
        return f"bytes {first}-{first + len(body) - 1}/{size + first}", body

    return Starlette(
        routes=[
            Route("/files/{name}", told),
            Route("/whole/{name}", whole),
            Route("/moved/{name}", moved),
            Route("/inside/{name}", inside),
            Route("/other_place/{name}", wrong(other_place)),
            Route("/too_much/{name}", wrong(too_much)),
            Route("/grows/{name}", wrong(grows)),
            Mount("/static", StaticFiles(directory=folder)),
        ]
    )
