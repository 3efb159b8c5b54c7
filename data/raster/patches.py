"""Patches of equal pixels: their outlines as polygons, and the small ones taken away."""

from __future__ import annotations

import operator
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import rasterio
from numba import njit
from numpy.typing import NDArray

from data.raster.errors import RasterError
from data.raster.files import geotiff_profile, opened
from data.raster.windows import Band, Block, Grid, Place, compute, windows

if TYPE_CHECKING:
    import geopandas as gpd

Sign = Literal["<", "<=", "=", "!=", ">=", ">"]
Connectivity = Literal[4, 8]
COMPARE: dict[str, Callable[[Any, float], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
MAX_CORNERS = 3_000_000
"""Most corners of outlines, counted at the upper left of each: with more, polygons would fill the memory."""
MAX_SIEVED_CORNERS = 12_000_000
_WHOLE = ("uint8", "int8", "int16", "uint16", "int32")


@dataclass(frozen=True)
class Where:
    """A condition on a pixel's value."""

    sign: Sign
    value: float

    def __str__(self) -> str:
        return f"{self.sign} {self.value:g}"


def outlines(
    source: Path,
    *,
    band: int = 1,
    where: Where | None = None,
    connectivity: Connectivity = 4,
    min_area_m2: float = 0.0,
    simplify: float = 0.0,
) -> gpd.GeoDataFrame:
    """The outlines of patches of equal value, or of the pixels that meet `where`, in the raster's CRS.

    One row a polygon, the largest first: `value` (with `where` 1), `area_m2` on the WGS84 ellipsoid and
    `area_ha`, both of the pixels, whatever `simplify` (a length in the CRS's unit) then does to the outline.
    Neighbours that were simplified still touch (coverage simplification). Nodata has no polygon. GDAL's
    two-arm chain algorithm, as gdal_polygonize. Raises RasterError for floating-point pixels without `where`
    that are nearly all different, and where there would be millions of corners.
    """
    with _patches(source, band, where) as (file, mask, corners):
        if corners > MAX_CORNERS:
            raise RasterError(
                f"{source.name} breaks into too many patches: about {corners:,} corners, at most "
                f"{MAX_CORNERS:,}; sieve it, or give a condition that keeps larger areas."
            )
        with rasterio.open(file) as values, rasterio.open(mask) as valid:
            grid = Grid.of(values)
            found = list(_polygons(values, 1 if where else band, valid, connectivity))
    return _frame(found, grid, min_area_m2, simplify)


def sieve(
    source: Path,
    target: Path,
    *,
    min_px: int,
    band: int = 1,
    connectivity: Connectivity = 4,
    tags: Mapping[str, str] | None = None,
) -> int:
    """Give patches of fewer than `min_px` pixels their largest neighbour's value; how many pixels changed.

    GDAL's sieve filter; nodata stays and swallows nothing. The result lies in a file while it is made, and
    memory grows with the number of patches. Raises RasterError for floating-point pixels.
    """
    from rasterio import features

    with opened(source) as reader:
        dtype, nodata = reader.dtypes[band - 1], reader.nodatavals[band - 1]
    if dtype not in _WHOLE:
        raise RasterError(
            f"sieve takes classes in whole numbers, and {source.name} holds {dtype}; raster_calc rounds."
        )
    with (
        _patches(source, band, None) as (_, mask, corners),
        opened(source) as reader,
        rasterio.open(mask) as valid,
        tempfile.TemporaryFile(dir=target.parent) as room,
    ):
        if corners > MAX_SIEVED_CORNERS:
            raise RasterError(
                f"{source.name} breaks into over {MAX_SIEVED_CORNERS:,} patches; it is no map of classes."
            )
        grid = Grid.of(reader)
        room.truncate(grid.width * grid.height * np.dtype(dtype).itemsize)
        out = np.memmap(room, dtype=dtype, mode="r+", shape=(grid.height, grid.width))
        features.sieve(
            rasterio.band(reader, band),
            min_px,
            out=out,
            mask=rasterio.band(valid, 1),
            connectivity=connectivity,
        )
        profile = geotiff_profile(
            grid.width,
            grid.height,
            count=1,
            dtype=dtype,
            nodata=nodata,
            crs=grid.crs,
            transform=grid.transform,
        )
        changed = 0
        with rasterio.open(target, "w", **profile) as writer:
            for window in windows(grid):
                rows, columns = window.toslices()
                made = np.asarray(out[rows, columns])
                changed += int((made != reader.read(band, window=window)).sum())
                writer.write(made, 1, window=window)
            writer.update_tags(**(tags or {}))
        return changed


@contextmanager
def _patches(source: Path, band: int, where: Where | None) -> Iterator[tuple[Path, Path, int]]:
    """A file of patches, one that is 1 where a pixel belongs to one, and how many corners they have.

    With a condition both are the same file; without one the first is the source itself.
    """
    with opened(source) as reader:
        if where is None and reader.dtypes[band - 1] not in (*_WHOLE, "float32"):
            raise RasterError(
                f"Pixels of type {reader.dtypes[band - 1]} cannot be grouped by value; give a condition "
                "such as where='> 0.4', or convert them with raster_calc."
            )
    corners: list[int] = []

    def keep(blocks: list[Block], place: Place) -> NDArray[Any]:
        values = blocks[0][0]
        if where is not None:
            kept = COMPARE[where.sign](values, where.value) & np.isfinite(values)
            values = np.where(kept, np.float32(1), np.float32(np.nan))
        corners.append(_corners(values))
        kept_px: NDArray[Any] = np.isfinite(values).astype(np.uint8)
        return kept_px

    with tempfile.TemporaryDirectory(prefix="patches-") as folder:
        mask = Path(folder) / "mask.tif"
        compute([Band(source, (band,))], mask, keep, halo=1, dtype="uint8", nodata=None)
        yield (mask if where else source), mask, sum(corners)


@njit(cache=True, nogil=True)
def _corners(values: Any) -> int:
    """How many valid pixels differ from the one above and from the one to the left; the margin apart."""
    found = 0
    for i in range(1, values.shape[0] - 1):
        for j in range(1, values.shape[1] - 1):
            value = values[i, j]
            if value == value and values[i - 1, j] != value and values[i, j - 1] != value:
                found += 1
    return found


def _polygons(
    values: rasterio.DatasetReader, band: int, valid: rasterio.DatasetReader, connectivity: Connectivity
) -> Iterator[tuple[Any, float]]:
    import shapely
    from rasterio import features

    shapes = features.shapes(
        rasterio.band(values, band), rasterio.band(valid, 1), connectivity, values.transform
    )
    for shape, value in shapes:
        shell, *holes = shape["coordinates"]
        yield shapely.Polygon(shell, holes), float(value)


def _frame(
    found: list[tuple[Any, float]], grid: Grid, min_area_m2: float, simplify: float
) -> gpd.GeoDataFrame:
    import geopandas as gpd
    import shapely

    shapes = np.array([shape for shape, _ in found], dtype=object)
    frame = gpd.GeoDataFrame({"value": [value for _, value in found]}, geometry=shapes, crs=grid.crs)
    frame["area_m2"] = _areas(frame, grid)
    frame["area_ha"] = (frame["area_m2"] / 10_000).round(6)
    frame = frame[frame["area_m2"] >= min_area_m2].sort_values("area_m2", ascending=False, kind="stable")
    frame = frame.reset_index(drop=True)
    if simplify and len(frame):
        thinner = shapely.coverage_simplify(frame.geometry.to_numpy(), simplify)
        frame = frame.set_geometry(gpd.GeoSeries(thinner, index=frame.index, crs=grid.crs))
    return frame


def _areas(frame: gpd.GeoDataFrame, grid: Grid) -> list[float]:
    """Geodesic areas, m². Long edges get points between, since a row of pixels is no geodesic."""
    import shapely
    from pyproj import Geod

    if grid.crs is None:
        raise RasterError(
            "polygonize needs to know where the raster lies, and it has no CRS; place_raster gives it one."
        )
    step = 0.1 if grid.crs.is_geographic else 10_000.0
    fine = frame.set_geometry(shapely.segmentize(frame.geometry.to_numpy(), step), crs=grid.crs)
    geod = Geod(ellps="WGS84")
    return [
        round(abs(geod.geometry_area_perimeter(each)[0]), 3) for each in fine.geometry.to_crs("EPSG:4326")
    ]
