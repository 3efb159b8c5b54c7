"""Shapefiles, GeoPackages and GeoParquet, in any coordinate system."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio
import shapely
from numpy.typing import NDArray
from pyogrio.errors import DataLayerError, DataSourceError
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError

from data.readers.base import BadRecord, Item, Rejected
from data.readers.dates import ColumnTimes
from data.readers.features import OnTheMap, table_batch, times_noted
from data.readers.geometry import extents_of
from data.readers.sidecars import names_a_file


def to_wgs84(crs: str | dict[str, object] | None) -> Transformer | None:
    """A transformer into degrees; None when the coordinates are degrees already, or nothing is said.

    Raises BadRecord for a coordinate system that PROJ does not know.
    """
    if crs is None:
        return None
    try:
        if names_a_file(crs if isinstance(crs, str) else json.dumps(crs)):
            raise CRSError("it names a file")
        found = CRS.from_user_input(crs)
    except CRSError:
        raise BadRecord(
            f"the coordinate system {str(crs)[:60]!r} is not known; WGS84 would have worked"
        ) from None
    wgs84 = CRS.from_epsg(4326)
    return (
        None
        if found.equals(wgs84, ignore_axis_order=True)
        else Transformer.from_crs(found, wgs84, always_xy=True)
    )


def shape_items(
    attributes: pa.Table, wkb: NDArray[np.object_], transformer: Transformer | None, first_row: int, file: str
) -> Iterator[Item]:
    """Features out of typed columns and WKB; rows without a usable geometry are rejected."""
    shapes = shapely.from_wkb(wkb, on_invalid="ignore")
    if transformer is not None:
        shapes = shapely.transform(shapes, transformer.transform, interleaved=False)
    on_map = OnTheMap()
    extents = extents_of(on_map.shapes(shapes))
    yield from on_map.noted(file)
    rows = np.arange(first_row, first_row + len(shapes))
    for index in np.flatnonzero(extents.problem != None):  # noqa: E711 - elementwise over an object array
        yield Rejected(file, int(rows[index]), extents.problem[index])
    good = np.flatnonzero(extents.problem == None)  # noqa: E711
    if len(good):
        kept = attributes if len(good) == len(rows) else attributes.take(pa.array(good))
        times = ColumnTimes()
        yield table_batch(kept, extents.take(good), rows[good], file, times)
        yield from times_noted(kept.column_names, times, file)


def layer_items(path: Path, driver: str, file: str, rows_per_batch: int) -> Iterator[Item]:
    """All layers of a file that pyogrio opens with this driver."""
    try:
        layers = [str(name) for name, kind in pyogrio.list_layers(path) if kind is not None]
        for layer in layers:
            if pyogrio.read_info(path, layer=layer)["driver"] != driver:
                raise BadRecord(f"the content is not a {driver}, whatever its name says")
            label = file if len(layers) == 1 else f"{file}/{layer}"
            yield from _layer(path, layer, label, rows_per_batch)
    except (DataSourceError, DataLayerError, RuntimeError, ValueError) as error:
        text = str(error).splitlines()[0].replace(str(path), path.name)
        raise BadRecord(f"the file cannot be read: {text[:160]}") from None


def _layer(path: Path, layer: str, file: str, rows_per_batch: int) -> Iterator[Item]:
    first_row = 1
    with pyogrio.open_arrow(path, layer=layer, batch_size=rows_per_batch, use_pyarrow=True) as (meta, reader):
        transformer = to_wgs84(meta["crs"])
        geometry = meta["geometry_name"] or "wkb_geometry"
        for batch in reader:
            if batch.num_rows == 0:
                continue
            table = pa.Table.from_batches([batch])
            wkb = table.column(geometry).to_numpy()
            attributes = table.drop_columns([geometry])
            yield from shape_items(attributes, wkb, transformer, first_row, file)
            first_row += batch.num_rows


def parquet_metadata(path: Path) -> pq.FileMetaData:
    """The footer of a Parquet file; BadRecord when it is none."""
    if path.stat().st_size == 0:
        raise BadRecord("the file is empty")
    try:
        return pq.read_metadata(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise BadRecord(f"the file is not Parquet: {str(error).splitlines()[0][:100]}") from None
