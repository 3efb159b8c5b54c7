"""Patches of equal pixels: their outlines as polygons, and the small ones taken away."""

from __future__ import annotations

import operator
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import rasterio
from numba import njit
from numpy.typing import NDArray
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import geotiff_profile, opened
from data.raster.looks import nothing_in, nothing_tag
from data.raster.windows import Grid, Place, missing_in, read_block, readable, windows

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
MAX_SIEVED = 12_000_000
"""Most patches that sieve numbers while it finds them: 20 bytes each."""
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
    background: bool = False,
) -> gpd.GeoDataFrame:
    """The outlines of patches of equal value, or of the pixels that meet `where`, in the raster's CRS.

    One row a polygon, the largest first: `value` (with `where` 1), `area_m2` on the WGS84 ellipsoid and
    `area_ha`, both of the pixels, whatever `simplify` (a length in the CRS's unit) then does to the outline.
    Neighbours that were simplified still touch (coverage simplification). Nodata has no polygon. GDAL's
    two-arm chain algorithm, as gdal_polygonize.

    What a mask marks as nothing has none either, unless `background`: the value that its file names, else 0
    where there is one other value beside it. `attrs["background"]` is that value, None where there is none.

    Raises RasterError for floating-point pixels without `where` that are nearly all different, and where
    there would be millions of corners.
    """
    with opened(source) as reader:
        nothing = None if where or background else nothing_in(reader, band)
    with _patches(source, band, where, nothing) as (file, mask, corners):
        if corners > MAX_CORNERS:
            raise RasterError(
                f"{source.name} breaks into too many patches: about {corners:,} corners, at most "
                f"{MAX_CORNERS:,}; sieve it, or give a condition that keeps larger areas."
            )
        with ExitStack() as stack:
            values = stack.enter_context(opened(file, threads="1"))
            valid = None if mask is None else rasterio.band(stack.enter_context(rasterio.open(mask)), 1)
            grid = Grid.of(values)
            found = list(_polygons(values, 1 if where else band, valid, connectivity))
    if nothing is None and not where and not background and _is_mask({value for _, value in found}):
        nothing, found = 0.0, [each for each in found if each[1] != 0]
    frame = _frame(found, grid, min_area_m2, simplify)
    frame.attrs["background"] = nothing
    return frame


def _is_mask(values: set[float]) -> bool:
    """Whether the values of patches are those of a mask: 0 for nothing, and one other."""
    return len(values) == 2 and 0 in values


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

    GDAL's sieve filter; nodata stays and swallows nothing. Read and written by strips; memory grows with the
    number of patches. Raises RasterError for floating-point pixels, and for millions of patches.
    """
    from data.raster.sieving import Sieve

    with opened(source, threads="1") as reader:
        dtype, nodata = reader.dtypes[band - 1], reader.nodatavals[band - 1]
        of_mask = nothing_tag(reader, band)
        if dtype not in _WHOLE:
            raise RasterError(
                f"sieve takes classes in whole numbers, and {source.name} holds {dtype}; raster_calc rounds."
            )
        patches = Sieve(reader, band, min_px, connectivity == 8)
        if not patches.find(MAX_SIEVED):
            raise RasterError(
                f"{source.name} breaks into over {MAX_SIEVED:,} patches; it is no map of classes."
            )
        grid = Grid.of(reader)
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
            for window, values, differ in patches.made():
                changed += differ
                writer.write(values, 1, window=window)
            writer.update_tags(**of_mask, **(tags or {}))
    return changed


@contextmanager
def _patches(
    source: Path, band: int, where: Where | None, nothing: float | None = None
) -> Iterator[tuple[Path, Path | None, int]]:
    """A file of patches, one that is 1 where a pixel belongs to one, and how many corners they have.

    Pixels of the value `nothing` belong to none. With a condition both are the same file; without one the
    first is the source itself, and there is no second where all pixels belong to one.
    """
    with tempfile.TemporaryDirectory(prefix="patches-") as folder, opened(source) as reader:
        grid, dtype = Grid.of(reader), reader.dtypes[band - 1]
        if where is None and dtype not in (*_WHOLE, "float32"):
            raise RasterError(
                f"Pixels of type {dtype} cannot be grouped by value; give a condition "
                "such as where='> 0.4', or convert them with raster_calc."
            )
        file, corners = Path(folder) / "mask.tif", 0
        with ExitStack() as stack:
            mask = _Mask(file, grid, stack)
            for window in windows(grid):
                # A line above and a column to the left come along: what lies there may begin a patch.
                top, left = min(1, int(window.row_off)), min(1, int(window.col_off))
                wide, tall = window.width + left, window.height + top
                more = Window(window.col_off - left, window.row_off - top, wide, tall)
                values, known = _values(reader, band, more, where)
                if nothing is not None:
                    known &= values != nothing
                corners += _corners(values, known, top, left)
                mask.write(known[top:, left:], window)
            if where:
                mask.begin()
        made = file if file.exists() else None
        yield (made if where and made else source), made, corners


class _Mask:
    """A file that says which pixels count, begun with the first that does not."""

    def __init__(self, path: Path, grid: Grid, stack: ExitStack) -> None:
        self._path, self._grid, self._stack = path, grid, stack
        self._writer: Any = None
        self._whole: list[Window] = []

    def write(self, known: NDArray[np.bool_], window: Window) -> None:
        """Take in a window."""
        if self._writer is None and known.all():
            self._whole.append(window)
            return
        self.begin()
        self._writer.write(known.astype(np.uint8), 1, window=window)

    def begin(self) -> None:
        """Open the file, unless it is, and write the windows so far."""
        if self._writer is not None:
            return
        grid = self._grid
        profile = geotiff_profile(
            grid.width, grid.height, count=1, dtype="uint8", crs=grid.crs, transform=grid.transform
        )
        self._writer = self._stack.enter_context(rasterio.open(self._path, "w", **profile))
        for window in self._whole:
            shape = int(window.height), int(window.width)
            self._writer.write(np.ones(shape, np.uint8), 1, window=window)


def _values(
    reader: rasterio.DatasetReader, band: int, window: Window, where: Where | None
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The pixels of a window, and which of them belong to a patch; with a condition all are alike."""
    if where is None and reader.dtypes[band - 1] in _WHOLE:
        with readable(reader, window):
            stored = reader.read(band, window=window)
            missing = missing_in(reader, band, window, stored)
        known = np.ones(stored.shape, bool) if missing is None else ~missing
        return stored.astype(np.int32, copy=False), known
    values = read_block(reader, (band,), Place(Grid.of(reader), window))[0]
    known = np.isfinite(values)
    if where is None:
        return values, known
    known &= COMPARE[where.sign](values, where.value)
    return known.astype(np.int32), known


@njit(cache=True, nogil=True)
def _corners(values: Any, known: Any, top: int, left: int) -> int:
    """How many known pixels differ from the one above and from the one to the left, from (top, left) on."""
    found = 0
    for i in range(top, values.shape[0]):
        for j in range(left, values.shape[1]):
            if (
                known[i, j]
                and (i == 0 or not known[i - 1, j] or values[i - 1, j] != values[i, j])
                and (j == 0 or not known[i, j - 1] or values[i, j - 1] != values[i, j])
            ):
                found += 1
    return found


def _polygons(
    values: rasterio.DatasetReader, band: int, valid: Any, connectivity: Connectivity
) -> Iterator[tuple[Any, float]]:
    import shapely
    from rasterio import features

    shapes = features.shapes(rasterio.band(values, band), valid, connectivity, values.transform)
    for shape, value in shapes:
        shell, *holes = shape["coordinates"]
        yield shapely.Polygon(np.array(shell), [np.array(hole) for hole in holes]), float(value)


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
    return [round(_area(geod, each), 3) for each in fine.geometry.to_crs("EPSG:4326")]


def _area(geod: Any, shape: Any) -> float:
    """A polygon's area without its holes, m². Geod takes arrays much more quickly than shapes."""
    import shapely

    area = 0.0
    for part in getattr(shape, "geoms", [shape]):
        for at, ring in enumerate((part.exterior, *part.interiors)):
            inside = abs(geod.polygon_area_perimeter(*shapely.get_coordinates(ring).T)[0])
            area += inside if at == 0 else -inside
    return area
