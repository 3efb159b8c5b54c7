"""STAC items (version 1.1) of what comes in: footprint, time, bands, coordinate system, statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import shapely
from pyproj import CRS

from data.readers.geometry import Extent
from data.readers.raster_info import RasterInfo
from data.uploads.brought import Box, Brought
from data.vector.systems import authority_code

PROJECTION = "https://stac-extensions.github.io/projection/v2.0.0/schema.json"
TABLE = "https://stac-extensions.github.io/table/v1.2.0/schema.json"
FIRST_DAY = "1800-01-01T00:00:00Z"
"""What has no time of its own was made between this and the day on which it came in."""
MEDIA = {
    ".tif": "image/tiff; application=geotiff", ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf", ".html": "text/html", ".txt": "text/plain", ".json": "application/json",
    ".xml": "application/xml", ".csv": "text/csv",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}  # fmt: skip
_STATISTICS = {
    "min": "minimum",
    "max": "maximum",
    "mean": "mean",
    "std": "stddev",
    "valid_pct": "valid_percent",
}


def raster_parts(
    path: Path,
    info: RasterInfo,
    extent: Extent | None,
    statistics: Sequence[Mapping[str, Any]],
    sampled: bool,
    point: tuple[float, float] | None,
) -> dict[str, Any]:
    """A raster's part of its item: {geometry, bbox, datetime, properties, asset, extensions}."""
    import rasterio

    from data.uploads.gdal import quiet_gdal

    properties: dict[str, Any] = {}
    if info.gsd_m:
        properties["gsd"] = info.gsd_m
    if info.sensor:
        properties["platform"] = info.sensor.lower()
    if point is not None:
        properties["camera"] = {"type": "Point", "coordinates": list(point)}
    properties["statistics:sampled"] = sampled
    with quiet_gdal(), rasterio.open(path, driver="GTiff") as source:
        if source.crs is not None and not source.transform.is_identity:
            properties.update(_projection(source))
        nodata = source.nodata
        dtypes = source.dtypes
    bands = []
    for number, name in enumerate(info.bands[: len(statistics)]):
        band: dict[str, Any] = {"name": name, "data_type": _data_type(dtypes[number])}
        if nodata is not None:
            band["nodata"] = nodata if nodata == nodata else "nan"
        known = {stac: statistics[number][own] for own, stac in _STATISTICS.items()}
        band["statistics"] = {key: value for key, value in known.items() if value is not None}
        bands.append(band)
    return {
        "geometry": None if extent is None else _geometry(extent),
        "bbox": None if extent is None else _flat_box((extent.west, extent.south, extent.east, extent.north)),
        "datetime": info.acquired,
        "properties": properties,
        "asset": {"roles": ["data"], "bands": bands},
        "extensions": [PROJECTION] if "proj:shape" in properties else [],
    }


def table_parts(
    columns: Sequence[tuple[str, str]], rows: int, bbox: Box | None, geometry: str | None
) -> dict[str, Any]:
    """The part of a table or of features."""
    properties: dict[str, Any] = {
        "table:columns": [{"name": name, "type": kind} for name, kind in columns],
        "table:row_count": rows,
    }
    if geometry:
        properties["table:primary_geometry"] = geometry
    return {
        "geometry": None if bbox is None else _box_geometry(bbox),
        "bbox": None if bbox is None else _flat_box(bbox),
        "datetime": None,
        "properties": properties,
        "asset": {"roles": ["data"]},
        "extensions": [TABLE],
    }


def whole_item(
    brought: Brought, artifact_id: str, title: str, source: Mapping[str, Any], today: date
) -> dict[str, Any]:
    """The STAC item of an artifact; its asset lies in the folder above. `source` is the file that came in."""
    import pystac

    parts = brought.item
    when: datetime | None = parts.get("datetime")
    properties = {
        "title": title,
        **parts.get("properties", {}),
        **{f"upload:{k}": v for k, v in source.items()},
    }
    if when is None:
        properties.update(
            start_datetime=FIRST_DAY, end_datetime=f"{today:%Y-%m-%d}T23:59:59Z", time_known=False
        )
    item = pystac.Item(
        id=artifact_id,
        geometry=parts.get("geometry"),
        bbox=parts.get("bbox"),
        datetime=when,
        properties=properties,
        stac_extensions=list(parts.get("extensions", ())),
    )
    asset = parts.get("asset", {})
    media = MEDIA.get(brought.suffix, "application/octet-stream")
    more = {key: value for key, value in asset.items() if key != "roles"}
    item.add_asset(
        "data",
        pystac.Asset(
            f"../{artifact_id}{brought.suffix}",
            title=title,
            media_type=media,
            roles=asset.get("roles"),
            extra_fields=more,
        ),
    )
    found = item.to_dict(include_self_link=False, transform_hrefs=False)
    if found.get("bbox") is None:
        found.pop("bbox", None)
    return found


def _projection(source: Any) -> dict[str, Any]:
    crs = CRS.from_user_input(source.crs)
    code = authority_code(crs.to_wkt())
    found: dict[str, Any] = {
        "proj:code": code,
        "proj:shape": [source.height, source.width],
        "proj:transform": list(source.transform)[:6],
        "proj:bbox": list(source.bounds),
    }
    if code is None:
        found["proj:wkt2"] = crs.to_wkt()
    return found


def _data_type(dtype: str) -> str:
    """STAC's name of a pixel type."""
    return {"complex_int16": "cint16", "complex64": "cfloat32", "complex128": "cfloat64"}.get(dtype, dtype)


def _geometry(extent: Extent) -> dict[str, Any]:
    if extent.outline is not None and extent.west <= extent.east:
        return dict(shapely.geometry.mapping(shapely.from_wkb(extent.outline)))
    return _box_geometry((extent.west, extent.south, extent.east, extent.north))


def _box_geometry(bbox: Box) -> dict[str, Any]:
    """The box, cut in two where it crosses the antimeridian (RFC 7946, 3.1.9)."""
    west, south, east, north = bbox
    if west <= east:
        return dict(shapely.geometry.mapping(shapely.box(west, south, east, north)))
    halves = [shapely.box(west, south, 180, north), shapely.box(-180, south, east, north)]
    return dict(shapely.geometry.mapping(shapely.MultiPolygon(halves)))


def _flat_box(bbox: Box) -> list[float]:
    return [round(float(side), 7) for side in bbox]
