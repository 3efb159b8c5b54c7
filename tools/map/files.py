"""Vector and raster files as layers use them: what they cover, and the picture of an image."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data.catalogue.write import QUICKLOOKS, folder_of
from data.schema import DatasetInfo
from state.model import Bbox
from tools.base import ToolError, World
from tools.map.geometry import union_box
from tools.map.rendered import rendered_raster, shown_rendered
from tools.outside import may_open
from tools.places import box

if TYPE_CHECKING:
    import geopandas as gpd

VECTOR_SUFFIXES = (".parquet", ".geoparquet", ".geojson", ".json", ".gpkg", ".fgb", ".shp")


def read_vector(path: Path, *, keep_empty: bool = False) -> gpd.GeoDataFrame:
    """A vector file in longitude and latitude, without rows that have no place unless those are kept too.

    Raises ToolError when it has no readable geometries.
    """
    frame = in_degrees(stored_vector(path))
    return frame if keep_empty else placed(frame)


def stored_vector(path: Path) -> gpd.GeoDataFrame:
    """A vector file as it is kept: all rows, in its own coordinate system. Raises ToolError."""
    import geopandas as gpd  # 0.05 s, which a list of tools does without

    from data.vector.files import read_geoparquet

    try:
        if path.suffix in (".parquet", ".geoparquet"):
            return read_geoparquet(path)
        return gpd.read_file(path)
    except (ValueError, OSError, RuntimeError) as error:
        raise ToolError(f"{path.name} holds no geometries that can be read.") from error


def in_degrees(frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Features in longitude and latitude, flat; those without a coordinate system are taken to be so."""
    if frame.geometry.has_z.any():
        frame = frame.set_geometry(frame.geometry.force_2d())
    return frame if frame.crs is None or frame.crs == "EPSG:4326" else frame.to_crs("EPSG:4326")


def placed(frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """The features that have a place."""
    return frame[~(frame.geometry.isna() | frame.geometry.is_empty)]


def vector_box(frame: gpd.GeoDataFrame) -> Bbox:
    """The narrowest box around the features. Raises ToolError when there are none."""
    parts = frame.geometry.explode(ignore_index=True).bounds.to_numpy().tolist()
    if not parts or not all(math.isfinite(side) for part in parts for side in part):
        raise ToolError("There are no features with a place to show.")
    return box(union_box([(w, s, e, n) for w, s, e, n in parts]))


def raster_box(path: Path) -> tuple[Bbox, int]:
    """A raster's box and its number of bands. Raises ToolError for one without a place on the globe."""
    from rasterio.errors import RasterioError  # 0.06 s, which a list of tools does without
    from rasterio.warp import transform_bounds

    from data.raster.errors import RasterError
    from data.raster.files import opened

    try:
        with opened(path) as source:
            if source.crs is None:
                raise ToolError(f"{path.name} has no coordinate system, so it has no place on the map.")
            bounds = transform_bounds(source.crs, "EPSG:4326", *source.bounds)
            return box(bounds), int(source.count)
    except (RasterError, RasterioError) as error:
        raise ToolError(f"{path.name} is not a raster that can be read.") from error


def image_picture(world: World, record: dict[str, Any]) -> Path | None:
    """An image's quicklook, else its raster, where it is there; None for an image without pixels."""
    name, root = record.get("quicklook"), world.catalogue_root
    info = _dataset(world, record)
    if name and root is not None and info is not None:
        quicklook = folder_of(root, info) / QUICKLOOKS / Path(str(name)).name
        if quicklook.is_file():
            return quicklook
    return image_raster(world, record)


def image_raster(world: World, record: dict[str, Any]) -> Path | None:
    """An image's own raster, where it is there and may be opened: by who sees the data set it is of.

    Of a sample's record, the rendered scene.
    """
    if shown_rendered(world, record):
        return rendered_raster(world, record)
    return _own_raster(world, record)


def image_name(world: World, record: dict[str, Any]) -> str:
    """What the pixels of an image are called: a rendered scene says so."""
    name = str(record["name"])
    return f"{name} (rendered)" if shown_rendered(world, record) else name


def _own_raster(world: World, record: dict[str, Any]) -> Path | None:
    path = world.catalogue.raster(str(record["image_id"])) if record.get("path") else None
    info = _dataset(world, record)
    owner = info.owner if info is not None else None
    return path if path is not None and may_open(world, path, owner) else None


def _dataset(world: World, record: dict[str, Any]) -> DatasetInfo | None:
    return next((each for each in world.catalogue.datasets() if each.name == record["dataset"]), None)
