"""Where a raster lies: its own grid, a world file beside it, control points, or a camera's position."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rasterio
from affine import Affine
from pyproj import CRS
from pyproj.exceptions import CRSError
from rasterio.control import GroundControlPoint
from rasterio.rpc import RPC

from data.readers.geometry import FARTHEST_DEG
from data.readers.sidecars import names_a_file
from data.uploads.brought import Box, Incoming
from data.uploads.errors import UploadError, shown
from data.vector.systems import code_of

WORLD_SUFFIXES = (
    ".tfw",
    ".tifw",
    ".tiffw",
    ".pgw",
    ".pngw",
    ".jgw",
    ".jpgw",
    ".jpegw",
    ".j2w",
    ".jp2w",
    ".wld",
)
BESIDE_SUFFIXES = (*WORLD_SUFFIXES, ".prj")
_MAX_SIDECAR_BYTES = 65_536


@dataclass(frozen=True)
class Placing:
    """Where a raster's pixels lie; `crs` and `transform` are both there, or both None."""

    crs: CRS | None = None
    transform: Affine | None = None
    changed: bool = False
    """Whether the file does not say so itself."""
    gcps: tuple[GroundControlPoint, ...] = ()
    rpcs: RPC | None = None
    """With control points or rational polynomials the raster has to be warped onto a grid first."""
    notes: tuple[str, ...] = ()


def crs_named(text: str) -> CRS:
    """The coordinate system that a user or a .prj names. Raises UploadError."""
    try:
        if names_a_file(text):
            raise ValueError
        return CRS.from_user_input(text.strip())
    except (CRSError, ValueError, UnicodeError):
        raise UploadError(
            f"{shown(text)} is no coordinate system that is known; EPSG:4326 or EPSG:32631 would work."
        ) from None


def asked_crs(incoming: Incoming, told: CRS | None, notes: list[str]) -> CRS | None:
    """The coordinate system that was asked for, else the one that the file tells; said where they differ."""
    if not incoming.asked.crs:
        return told
    asked = crs_named(incoming.asked.crs)
    if told is not None and not told.equals(asked, ignore_axis_order=True):
        notes.append(f"It says that it is in {code_of(told)}; it was read in {code_of(asked)}, as was asked.")
    return asked


def placing_of(source: rasterio.DatasetReader, incoming: Incoming) -> Placing:
    """Where an open raster lies. Raises UploadError for a place that is off the globe."""
    # Of an ASCII grid GDAL only supposes it; that is said further down, and its .prj goes before.
    told = source.crs and source.driver != "AAIGrid"
    crs = CRS.from_user_input(source.crs) if told else None
    transform = None if source.transform.is_identity else source.transform
    notes: list[str] = []
    changed = False
    if transform is None and (world := _world_file(incoming)) is not None:
        transform, changed = world, True
        notes.append("Its place comes from the world file beside it.")
    if transform is not None and not _is_sound(transform):
        raise UploadError(
            f"{incoming.shown} places its pixels with numbers that cannot be ({_numbers(transform)}); "
            "export it again with its georeference."
        )
    if transform is None:
        return _without_grid(source, crs, incoming)
    named = asked_crs(incoming, crs, notes) or _prj(incoming)
    if named is not None:
        changed = changed or crs is None or not crs.equals(named)
        crs = named
    if crs is None:
        crs, note = _assumed(source, transform, incoming)
        notes.append(note)
        if crs is None:
            return Placing(notes=tuple(notes))
        changed = True
    _check_on_globe(source, crs, transform, incoming)
    return Placing(crs, transform, changed, notes=tuple(notes))


def _without_grid(source: rasterio.DatasetReader, crs: CRS | None, incoming: Incoming) -> Placing:
    points, points_crs = source.gcps
    if len(points) >= 3 and (points_crs or incoming.asked.crs):
        found = crs_named(incoming.asked.crs) if incoming.asked.crs else CRS.from_user_input(points_crs)
        note = f"It was brought onto a grid by its {len(points)} ground control points, nearest neighbour."
        return Placing(found, gcps=tuple(points), changed=True, notes=(note,))
    if source.rpcs:
        note = (
            "It was brought onto a grid by its rational polynomials at one mean height "
            f"({source.rpcs.height_off:g} m), so hills and valleys are off."
        )
        return Placing(CRS.from_epsg(4326), rpcs=source.rpcs, changed=True, notes=(note,))
    return Placing()


def _assumed(source: rasterio.DatasetReader, transform: Affine, incoming: Incoming) -> tuple[CRS | None, str]:
    """Degrees, where the numbers can be degrees; else nothing, and what to ask for."""
    west, south, east, north = _bounds(transform, source.width, source.height)
    if -FARTHEST_DEG <= west < east <= FARTHEST_DEG + 0.001 and south >= -90.001 and north <= 90.001:
        return CRS.from_epsg(4326), (
            "It names no coordinate system; its coordinates look like degrees and were taken as EPSG:4326."
        )
    return None, (
        f"It names no coordinate system, and its coordinates (x {west:,.0f} to {east:,.0f}, "
        f"y {south:,.0f} to {north:,.0f}) are no degrees: add it again with crs, such as crs=EPSG:32631."
    )


def _prj(incoming: Incoming) -> CRS | None:
    beside = incoming.beside.get(".prj")
    return None if beside is None else crs_named(_small_text(beside, incoming))


def _world_file(incoming: Incoming) -> Affine | None:
    """The six numbers of the world file beside a raster: they place the middle of the first pixel."""
    path = next((incoming.beside[each] for each in WORLD_SUFFIXES if each in incoming.beside), None)
    if path is None:
        return None
    try:
        a, d, b, e, c, f = (float(each.replace(",", ".")) for each in _small_text(path, incoming).split())
    except ValueError:
        raise UploadError(
            f"The world file {shown(path.name)} beside {incoming.shown} does not hold six numbers; "
            "write it again or take it away."
        ) from None
    return Affine(a, b, c, d, e, f) @ Affine.translation(-0.5, -0.5)


def _small_text(path: Path, incoming: Incoming) -> str:
    if path.stat().st_size > _MAX_SIDECAR_BYTES:
        raise UploadError(
            f"{shown(path.name)} beside {incoming.shown} has {path.stat().st_size:,} bytes, too many for "
            "such a file; take it away."
        )
    return path.read_bytes().decode("utf-8-sig", "replace").strip()


def _is_sound(transform: Affine) -> bool:
    numbers = tuple(transform)[:6]
    return all(math.isfinite(each) and abs(each) < 1e15 for each in numbers) and transform.determinant != 0


def _numbers(transform: Affine) -> str:
    return ", ".join(f"{each:g}" for each in tuple(transform)[:6])


def _bounds(transform: Affine, width: int, height: int) -> Box:
    corners = [transform @ corner for corner in ((0, 0), (width, 0), (0, height), (width, height))]
    x, y = [corner[0] for corner in corners], [corner[1] for corner in corners]
    return min(x), min(y), max(x), max(y)


def _check_on_globe(source: rasterio.DatasetReader, crs: CRS, transform: Affine, incoming: Incoming) -> None:
    """A raster whose corners and middle are all nowhere has a wrong CRS; space around a disc is well."""
    from pyproj import Transformer
    from pyproj.exceptions import ProjError

    west, south, east, north = _bounds(transform, source.width, source.height)
    said = (
        f"{incoming.shown} lies at x {west:,.6g} to {east:,.6g}, y {south:,.6g} to {north:,.6g}, "
        f"which is off the globe in {crs.to_string()[:40]}; name its coordinate system with crs."
    )
    if crs.is_geographic:
        degree = math.degrees(crs.axis_info[0].unit_conversion_factor) if crs.axis_info else 1.0
        wide = 541 / degree
        if south < -90.5 / degree or north > 90.5 / degree or west < -wide or east > wide:
            raise UploadError(said)
        return
    if not crs.is_projected:
        raise UploadError(
            f"{incoming.shown} is in {shown(crs.name)}, which is no place on the globe; "
            "name its coordinate system with crs."
        )
    try:
        to_degrees = Transformer.from_crs(crs, CRS.from_epsg(4326), always_xy=True)
        spots = [transform @ (source.width * x, source.height * y) for x in (0, 0.5, 1) for y in (0, 0.5, 1)]
        found = [to_degrees.transform(x, y) for x, y in spots]
    except ProjError:
        raise UploadError(said) from None
    if not any(math.isfinite(lon) and math.isfinite(lat) and abs(lat) <= 90.001 for lon, lat in found):
        raise UploadError(said)


_DMS = re.compile(r"-?[\d.]+")


def camera_point(tags: dict[str, Any]) -> tuple[float, float] | None:
    """(longitude, latitude) of a photo's EXIF GPS as GDAL lists it: `(51) (55) (12.3)` and `N`; else None."""
    lat = _degrees(tags.get("EXIF_GPSLatitude"), tags.get("EXIF_GPSLatitudeRef"), "S", 90)
    lon = _degrees(tags.get("EXIF_GPSLongitude"), tags.get("EXIF_GPSLongitudeRef"), "W", 180)
    if lat is None or lon is None or (lat == 0 and lon == 0):
        return None
    return lon, lat


def _degrees(text: object, ref: object, negative: str, most: float) -> float | None:
    try:
        parts = [float(each) for each in _DMS.findall(str(text or ""))]
    except ValueError:
        return None
    if not 1 <= len(parts) <= 3 or not str(ref or "").strip():
        return None
    value = math.fsum(part / 60**power for power, part in enumerate(parts))
    if not math.isfinite(value) or not 0 <= value <= most:
        return None
    return round(-value if str(ref).strip().upper().startswith(negative) else value, 7)
