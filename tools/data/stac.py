"""A session's rasters and features as a STAC catalogue (version 1.1): a zip that needs nothing else.

An item is what came with an upload, or is read off the file: footprint in degrees (cut at the
antimeridian, RFC 7946), projection and raster extension fields, bands, and the call that made it. Items
point at what they were derived from. The files lie beside their items.
"""

from __future__ import annotations

import json
import math
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from state.log import Event
from state.model import Artifact, Bbox, State
from tools.artifacts import about
from tools.base import ToolError, World
from tools.data.provenance import azimuth_version
from tools.map.files import VECTOR_SUFFIXES

if TYPE_CHECKING:
    import pystac

MAX_BYTES = 8_000_000_000
"""The files of a catalogue, together."""
PROJECTION = "https://stac-extensions.github.io/projection/v2.0.0/schema.json"
RASTER = "https://stac-extensions.github.io/raster/v2.0.0/schema.json"
MEDIA_TYPES = {
    ".tif": "image/tiff; application=geotiff", ".parquet": "application/vnd.apache.parquet",
    ".geojson": "application/geo+json", ".gpkg": "application/geopackage+sqlite3",
}  # fmt: skip
_CATALOGUE = "catalog.json"
_DECIMALS = 7
"""Of degrees: about a centimetre."""


def write_stac(state: State, world: World, target: Path, *, session_id: str) -> int:
    """Write the catalogue as a zip and return how many items it has.

    Raises ToolError for a session without rasters or features, and for too much of them.
    """
    import pystac

    found = [
        (each, path)
        for each in state.artifacts
        if each.kind in ("raster", "vector") and (path := world.artifacts.find(each.id)) is not None
    ]
    if not found:
        raise ToolError(
            "A STAC catalogue holds rasters and features, and this session has made none yet; "
            "add_file brings one in."
        )
    size = sum(path.stat().st_size for _, path in found)
    if size > MAX_BYTES:
        raise ToolError(
            f"The session's rasters and features take {size / 1e9:.1f} GB, and a catalogue holds "
            f"{MAX_BYTES / 1e9:g} GB; download them one by one."
        )
    catalogue = pystac.Catalog(
        id=session_id,
        title=world.session or session_id,
        description=f"What a session of Azimuth {azimuth_version()} made, with the calls that made it.",
    )
    known = {each.id for each, _ in found}
    for artifact, path in found:
        item = _item(artifact, path, world)
        catalogue.add_item(item)
        for source in _sources(world, artifact):
            if source in known and source != artifact.id:
                item.add_link(
                    pystac.Link("derived_from", f"../{source}/{source}.json", "application/geo+json")
                )
    _write(catalogue, found, target)
    return len(found)


def _write(catalogue: pystac.Catalog, found: Sequence[tuple[Artifact, Path]], target: Path) -> None:
    import pystac

    with tempfile.TemporaryDirectory(prefix="azimuth-stac-") as folder:
        catalogue.normalize_and_save(folder, catalog_type=pystac.CatalogType.SELF_CONTAINED)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as packed:
            root = Path(folder)
            for each in sorted(root.rglob("*.json"), key=lambda path: (path.name != _CATALOGUE, str(path))):
                packed.write(each, each.relative_to(root).as_posix())
            for artifact, path in found:  # compressed already
                packed.write(path, f"{artifact.id}/{path.name}", zipfile.ZIP_STORED)


def _item(artifact: Artifact, path: Path, world: World) -> pystac.Item:
    """The item of an artifact; its asset lies beside it."""
    import pystac

    fields = _raster_fields(path) if artifact.kind == "raster" else _vector_fields(path)
    told = about(world, artifact.id).get("stac")
    if isinstance(told, dict):  # what came with an upload says more: when it was taken, by what
        item = pystac.Item.from_dict(json.loads(json.dumps(told)))
        bands = (((told.get("assets") or {}).get("data") or {}).get("bands")) or []
        fields["bands"] = [{**own, **said} for own, said in zip(fields["bands"], bands, strict=False)]
        item.properties = {**fields["properties"], **item.properties}
        item.stac_extensions = sorted({*item.stac_extensions, *fields["extensions"]})
        item.assets.clear()
    else:
        made = _made(world, artifact)
        item = pystac.Item(
            id=artifact.id,
            geometry=fields["geometry"],
            bbox=fields["bbox"],
            datetime=pystac.utils.str_to_datetime(made.at if made else "1970-01-01T00:00:00Z"),
            properties=fields["properties"],
            stac_extensions=fields["extensions"],
        )
    item.id = artifact.id
    item.properties |= {
        "title": artifact.name,
        "description": f"{artifact.summary}. Made by {artifact.made_by}.".removeprefix(". "),
        "azimuth:made_by": artifact.made_by,
        "azimuth:kind": artifact.kind,
    }
    media = MEDIA_TYPES.get(path.suffix, "application/octet-stream")
    more = {"bands": fields["bands"]} if fields["bands"] else {}
    asset = pystac.Asset(f"./{path.name}", media_type=media, roles=["data"], extra_fields=more)
    item.add_asset("data", asset)
    return item


def _made(world: World, artifact: Artifact) -> Event | None:
    """The call that made an artifact: the first whose state has it."""
    for event in world.log:
        there = (event.state or {}).get("artifacts", ()) if event.kind == "call" else ()
        if any(each["id"] == artifact.id for each in there):
            return event
    return None


def _sources(world: World, artifact: Artifact) -> list[str]:
    """The ids of the artifacts that went into one."""
    found = about(world, artifact.id).get("inputs") or []
    return list(dict.fromkeys(str(each.get("key")) for each in found))


def _raster_fields(path: Path) -> dict[str, Any]:
    """Footprint, projection and bands of a raster file."""
    import rasterio
    from rasterio.warp import transform_bounds

    from data.raster.files import opened

    with opened(path) as source:
        properties: dict[str, Any] = {"proj:shape": [source.height, source.width]}
        where: tuple[dict[str, Any] | None, list[float] | None] = (None, None)
        resolution = None
        if source.crs is not None:
            code = source.crs.to_authority()
            properties |= {
                "proj:code": ":".join(code) if code else None,
                "proj:transform": [float(each) for each in list(source.transform)[:6]],
                "proj:bbox": [float(side) for side in source.bounds],
            }
            if code is None:
                properties["proj:wkt2"] = source.crs.to_wkt(version="WKT2_2019")
            try:
                where = _place(transform_bounds(source.crs, "EPSG:4326", *source.bounds))
            except rasterio.errors.RasterioError:
                where = (None, None)
            if source.crs.is_projected:
                resolution = float(abs(source.transform.a)) * float(source.crs.linear_units_factor[1])
        bands = [_band(source, number, resolution) for number in range(1, source.count + 1)]
    return {
        "geometry": where[0],
        "bbox": where[1],
        "properties": properties,
        "bands": bands,
        "extensions": [PROJECTION, *([RASTER] if resolution is not None else [])],
    }


def _band(source: Any, number: int, resolution_m: float | None) -> dict[str, Any]:
    names = {"complex_int16": "cint16", "complex64": "cfloat32", "complex128": "cfloat64"}
    dtype = source.dtypes[number - 1]
    band: dict[str, Any] = {
        "name": source.descriptions[number - 1] or f"b{number}",
        "data_type": names.get(dtype, dtype),
    }
    nodata = source.nodatavals[number - 1]
    if nodata is not None:
        band["nodata"] = "nan" if math.isnan(nodata) else nodata
    if source.units[number - 1]:
        band["unit"] = source.units[number - 1]
    if resolution_m is not None:
        band["raster:spatial_resolution"] = resolution_m
    return band


def _vector_fields(path: Path) -> dict[str, Any]:
    """Footprint of features, and the coordinate system that they are kept in."""
    from tools.map.files import in_degrees, placed, stored_vector, vector_box

    if path.suffix not in VECTOR_SUFFIXES:
        return {"geometry": None, "bbox": None, "properties": {}, "bands": [], "extensions": []}
    frame = stored_vector(path)
    there = placed(in_degrees(frame))
    geometry, bbox = _place(vector_box(there)) if len(there) else (None, None)
    code = ("EPSG", "4326") if frame.crs is None else frame.crs.to_authority()
    system = {"proj:code": ":".join(code)} if code else {"proj:code": None, "proj:wkt2": frame.crs.to_wkt()}
    return {
        "geometry": geometry,
        "bbox": bbox,
        "properties": {**system, "azimuth:features": len(frame)},
        "bands": [],
        "extensions": [PROJECTION],
    }


def _place(box: Bbox) -> tuple[dict[str, Any] | None, list[float] | None]:
    """A box as GeoJSON and as STAC's bbox; nothing for one that is off the globe."""
    import shapely

    if not all(math.isfinite(side) for side in box):
        return None, None
    west, south, east, north = (round(side, _DECIMALS) for side in box)
    south, north = max(south, -90.0), min(north, 90.0)
    if east - west >= 360:
        west, east = -180.0, 180.0
    west, east = _wrapped(west), _wrapped(east) if east != 180 else 180.0
    if west <= east:
        shape: Any = shapely.box(west, south, east, north)
    else:
        halves = [shapely.box(west, south, 180, north), shapely.box(-180, south, east, north)]
        shape = shapely.MultiPolygon([half for half in halves if half.area > 0])
    return dict(shapely.geometry.mapping(shape)), [west, south, east, north]


def _wrapped(lon_deg: float) -> float:
    return lon_deg if -180 <= lon_deg <= 180 else (lon_deg + 180) % 360 - 180
