"""A folder of rasters: each file becomes an image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from shapely.errors import ShapelyError
from shapely.geometry import shape

from data.raster.told import PROPERTY, any_said, told_by_product, told_of
from data.readers.base import BadRecord, ImageRow, Item, Noted, Reader, Rejected
from data.readers.files import RASTER_SUFFIXES, load_json, relative, share_of, walk
from data.readers.geometry import Extent, extent_of
from data.readers.quicklook import quicklook_png
from data.readers.raster_info import RasterInfo, raster_info
from data.readers.when import parse_time

Modality = Literal["optical", "multispectral", "panchromatic", "sar"]
_NOT_READ = frozenset({".vrt", ".nc", ".h5", ".hdf", ".hdf5", ".img", ".hgt"})
NO_PLACE = "no place: the raster has no coordinate system, so it is in the table but not on the map"


def sniff(source: Path) -> float:
    """Sure for a raster file; for a folder only when no label format wants it."""
    if source.is_file():
        return 0.9 if source.suffix.lower() in RASTER_SUFFIXES else 0.0
    return 0.5 * share_of(source, RASTER_SUFFIXES)


def read(source: Path) -> Iterator[Item]:
    """One image for each raster, with its quicklook."""
    for path in walk(source, RASTER_SUFFIXES | _NOT_READ if source.is_dir() else None):
        file = relative(path, source)
        if path.suffix.lower() in _NOT_READ:
            yield Rejected(
                file, None, f"{path.suffix.lower()} files are not read; a GeoTIFF of it would have worked"
            )
            continue
        try:
            row = image_row(path, file, quicklook=True)
        except BadRecord as error:
            yield Rejected(file, None, str(error))
            continue
        if row.extent is None:
            yield Noted(file, None, NO_PLACE)
        yield row


def image_row(path: Path, key: str, *, quicklook: bool) -> ImageRow:
    """The row of one raster. Raises BadRecord when it cannot be opened or, for the quicklook, read."""
    info = raster_info(path)
    row = ImageRow(
        key=key,
        name=path.name,
        extent=info.extent,
        sensor=info.sensor,
        modality=modality_of(info, path),
        gsd_m=info.gsd_m,
        acquired=info.acquired,
        width_px=info.width_px,
        height_px=info.height_px,
        bands=info.bands,
        path=path.resolve(),
        quicklook_png=quicklook_png(path, info.bands) if quicklook else None,
        properties={"dtype": info.dtype},
    )
    return _with_stac(row, path)


def modality_of(info: RasterInfo, path: Path) -> Modality | None:
    """What kind of sensor made it, where the file says so."""
    if (
        info.sensor == "Sentinel-1"
        or info.dtype.startswith("complex")
        or "sar" in path.stem.lower().split("_")
    ):
        return "sar"
    colours = [band for band in info.bands if band != "alpha"]
    if len(colours) > 3:
        return "multispectral"
    if set(colours) == {"red", "green", "blue"}:
        return "optical"
    return "panchromatic" if len(colours) == 1 and path.stem.lower().startswith("pan") else None


def _with_stac(row: ImageRow, path: Path) -> ImageRow:
    """The row with what its product's metadata and a STAC item of its name, lying beside it, say better."""
    if (told := told_by_product(path)) is not None:
        row = replace(row, properties={**row.properties, PROPERTY: told.text()})
    beside = path.with_suffix(".json")
    if not beside.is_file() or beside.is_symlink():
        return row
    try:
        item = load_json(beside)
    except BadRecord:
        return row
    if not isinstance(item, dict) or "stac_version" not in item:
        return row
    assets = item.get("assets")
    named = [
        each
        for each in (assets.values() if isinstance(assets, dict) else ())
        if isinstance(each, dict) and str(each.get("href", "")).rsplit("/", 1)[-1] == path.name
    ]
    return with_told(stac_facts(row, item), item, named[0] if named else {})


def with_told(row: ImageRow, item: dict[str, Any], asset: dict[str, Any]) -> ImageRow:
    """`row` with what a STAC item says of the numbers in the asset that is its raster."""
    told = told_of(item, asset)
    if told is None or not (told.scales or any_said(told.nothing)):
        return row
    return replace(row, properties={**row.properties, PROPERTY: told.text()})


def stac_facts(row: ImageRow, item: dict[str, Any]) -> ImageRow:
    """`row` with the time, sensor, pixel size and clouds of a STAC item, and its place where it has none."""
    found = item.get("properties")
    properties: dict[str, Any] = found if isinstance(found, dict) else {}
    acquired = parse_time(properties.get("datetime")) or parse_time(properties.get("start_datetime"))
    sensor = properties.get("platform") or properties.get("constellation")
    return replace(
        row,
        extent=row.extent or stac_extent(item),
        acquired=acquired or row.acquired,
        sensor=str(sensor) if sensor else row.sensor,
        gsd_m=row.gsd_m if row.gsd_m is not None else _number(properties.get("gsd")),
        cloud_pct=_number(properties.get("eo:cloud_cover")),
    )


def stac_extent(item: dict[str, Any]) -> Extent | None:
    """Where a STAC item lies; None when it does not say."""
    geometry = item.get("geometry")
    if not isinstance(geometry, dict):
        return None
    try:
        return extent_of(shape(geometry))
    except (ShapelyError, ValueError, TypeError, KeyError, AttributeError, IndexError):
        return None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


READER = Reader("rasters", "a folder of rasters (GeoTIFF, JPEG 2000, PNG, JPEG)", sniff, read)
