"""The small files that intents, requests and examples work on: made here, and rendered, not imagery.

`python -m copilot.bench.build.example_files` writes them anew, the same bytes every time: `scene.tif`, a
six-band reflectance scene (x 10,000) of a lake, a park, fields and a town near Delft; `pan.tif`, its visible
light on pixels half as wide; `dem.tif`, a hill of 90 m on a slope; `airfield.tif`, planes on a stand in
colour, and `apron.tif`, planes in radar, by the scene renderer; `sar.tif`, amplitudes with four-look speckle
and three ships; `fields.geojson`, the outlines of the scene's parts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from pyproj import Transformer

from data.schema import RENDERED

FOLDER = Path(__file__).parents[1] / "intents" / "files"
SIDE_PX = 96
PIXEL_M = 10.0
CRS = "EPSG:32631"
ORIGIN = (594_000.0, 5_763_000.0)
"""Easting and northing of the upper left corner, near Delft, metres."""
AIRFIELD_SEED = 15
APRON_SEED = 15
BANDS = ("blue", "green", "red", "nir", "swir16", "swir22")
COVERS: dict[str, tuple[float, ...]] = {
    "fields": (0.04, 0.07, 0.06, 0.32, 0.20, 0.12),
    "bare field": (0.09, 0.12, 0.16, 0.24, 0.31, 0.27),
    "park": (0.03, 0.06, 0.04, 0.46, 0.18, 0.08),
    "lake": (0.06, 0.05, 0.03, 0.02, 0.01, 0.01),
    "town": (0.13, 0.14, 0.16, 0.20, 0.25, 0.24),
}
"""Surface reflectance by band: typical values, not measured ones."""
PARTS: dict[str, tuple[int, int, int, int]] = {
    "bare field": (0, 0, 40, 30),
    "park": (50, 8, 86, 38),
    "lake": (10, 50, 44, 84),
    "town": (56, 52, 94, 92),
}
"""First column, first row, last column, last row, pixels; the rest is fields."""


def transform(pixel_m: float = PIXEL_M) -> Affine:
    """From (column, row) to metres."""
    return Affine(pixel_m, 0, ORIGIN[0], 0, -pixel_m, ORIGIN[1])


def scene() -> NDArray[np.uint16]:
    """(6, 96, 96) reflectance x 10,000, with a little noise and two nodata pixels (0)."""
    random = np.random.default_rng(4)
    values = np.empty((len(BANDS), SIDE_PX, SIDE_PX))
    values[:] = np.array(COVERS["fields"])[:, None, None]
    for name, (left, top, right, bottom) in PARTS.items():
        values[:, top:bottom, left:right] = np.array(COVERS[name])[:, None, None]
    values *= random.normal(1, 0.03, values.shape)
    scaled = np.clip(np.rint(values * 10_000), 1, 65_535).astype(np.uint16)
    scaled[:, 0, :2] = 0
    return scaled


def pan() -> NDArray[np.uint16]:
    """(192, 192) mean reflectance x 10,000 of the visible bands, on pixels of 5 m with their own texture."""
    random = np.random.default_rng(6)
    grey = np.kron(scene()[:3].mean(axis=0), np.ones((2, 2)))
    return np.rint(grey * random.normal(1, 0.02, grey.shape)).astype(np.uint16)


def dem() -> NDArray[np.float32]:
    """(96, 96) heights, metres: a cone of 90 m in the middle of a slope of 2 %; pixels of 30 m."""
    rows, columns = np.mgrid[0:SIDE_PX, 0:SIDE_PX]
    distance_m = 30 * np.hypot(rows - 48, columns - 48)
    heights_m: NDArray[np.float32] = (
        20 + 0.02 * 30 * columns + np.clip(90 - 0.1 * distance_m, 0, None)
    ).astype(np.float32)
    return heights_m


def sar() -> NDArray[np.float32]:
    """(96, 96) amplitudes of four looks: sea, land in the north, three ships."""
    random = np.random.default_rng(5)
    intensity = np.full((SIDE_PX, SIDE_PX), 0.01)
    intensity[:20] = 0.12
    for row, column in ((40, 20), (60, 70), (80, 44)):
        intensity[row : row + 2, column : column + 5] = 4.0
    return np.sqrt(intensity * random.gamma(4, 1 / 4, intensity.shape)).astype(np.float32)


def airfield(path: Path) -> None:
    """Planes and cars on a stand, 256 x 256 pixels of 0.6 m in colour, by the scene renderer."""
    from data.scenes import render

    stand = render(AIRFIELD_SEED, "optical", 256, 0.6, theme="airport", plain=True, maps=False)
    profile = {"driver": "GTiff", "width": 256, "height": 256, "count": 3, "dtype": "uint8", "tiled": True}
    look = {"compress": "jpeg", "jpeg_quality": 90, "photometric": "ycbcr"}
    place = Affine(0.6, 0, ORIGIN[0], 0, -0.6, ORIGIN[1])
    with rasterio.open(path, "w", crs=CRS, transform=place, **profile, **look) as target:
        target.write(stand.pixels)
        target.update_tags(source=RENDERED)


def apron(path: Path) -> None:
    """Planes in radar, 128 x 128 amplitudes of 1 m as bytes, by the scene renderer."""
    from data.scenes import render

    seen = render(APRON_SEED, "sar", 128, 1.0, theme="airport", plain=True, maps=False)
    amplitude = seen.pixels[:1].astype(float)
    scaled = np.clip(amplitude / np.percentile(amplitude, 99.8) * 255, 0, 255).astype(np.uint8)
    profile = {"driver": "GTiff", "width": 128, "height": 128, "count": 1, "dtype": "uint8"}
    place = Affine(1, 0, ORIGIN[0], 0, -1, ORIGIN[1])
    with rasterio.open(path, "w", crs=CRS, transform=place, compress="deflate", **profile) as target:
        target.write(scaled)
        target.set_band_description(1, "vv")
        target.update_tags(source=RENDERED)


def outlines() -> dict[str, Any]:
    """The parts of the scene as GeoJSON (RFC 7946)."""
    to_degrees = Transformer.from_crs(CRS, "EPSG:4326", always_xy=True)

    def corner(column: int, row: int) -> list[float]:
        x, y = transform() @ (column, row)
        return [round(each, 7) for each in to_degrees.transform(x, y)]

    features = []
    for name, (left, top, right, bottom) in PARTS.items():
        at = ((left, top), (left, bottom), (right, bottom), (right, top), (left, top))
        ring = [corner(column, row) for column, row in at]
        geometry = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "properties": {"name": name}, "geometry": geometry})
    return {"type": "FeatureCollection", "features": features}


def write(folder: Path = FOLDER) -> None:
    """Write the files."""
    airfield(folder / "airfield.tif")
    apron(folder / "apron.tif")
    _write(folder / "scene.tif", scene(), transform(), BANDS, nodata=0)
    _write(folder / "pan.tif", pan()[np.newaxis], transform(PIXEL_M / 2), ("pan",), nodata=0)
    _write(folder / "dem.tif", dem()[np.newaxis], transform(30), ("height",), nodata=-9999)
    _write(folder / "sar.tif", sar()[np.newaxis], transform(), ("vv",), nodata=None)
    (folder / "fields.geojson").write_text(json.dumps(outlines(), indent=1) + "\n", encoding="utf-8")


def _write(
    path: Path, values: NDArray[Any], place: Affine, bands: tuple[str, ...], nodata: float | None
) -> None:
    count, height, width = values.shape
    profile = {"driver": "GTiff", "count": count, "height": height, "width": width, "dtype": values.dtype}
    with rasterio.open(
        path, "w", crs=CRS, transform=place, nodata=nodata, compress="deflate", **profile
    ) as target:
        target.write(values)
        for number, name in enumerate(bands, start=1):
            target.set_band_description(number, name)
        if len(bands) == len(BANDS):
            target.scales = (1e-4,) * count
            target.update_tags(ACQUISITIONDATETIME="2023-07-14T10:40:00Z")


if __name__ == "__main__":
    write()
