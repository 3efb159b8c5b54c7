"""Masks of classes: how much ground each class covers, and the outlines of its patches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.progress import Progress

if TYPE_CHECKING:
    import geopandas as gpd

UNKNOWN = 255
"""What a mask holds where the image has no value: its nodata."""


def mark_nothing(mask: Path) -> None:
    """Write into a mask's file that 0 stands for nothing, which the map then leaves out."""
    import rasterio

    from data.raster.looks import NOTHING_TAG
    from data.uploads.gdal import quiet_gdal

    with quiet_gdal(), rasterio.open(mask, "r+") as made:
        made.update_tags(**{NOTHING_TAG: "0"})


@dataclass(frozen=True)
class ClassArea:
    """How much of a mask one class covers."""

    name: str
    pixels: int
    share_percent: float
    """Of the pixels with a value."""
    area_m2: float | None
    """On the WGS 84 ellipsoid; None for an image without a place."""


def class_areas(mask: Path, classes: Mapping[int, str], *, band: int = 1) -> tuple[ClassArea, ...]:
    """How much each class of a mask covers, in the order of `classes`. Raises RasterError."""
    from data.raster.areas import row_areas_m2
    from data.raster.files import opened
    from data.raster.windows import Grid, windows
    from data.vision.ground import ground_of

    placed = ground_of(mask) is not None
    with opened(mask) as source:
        grid = Grid.of(source)
        row_m2 = np.nan_to_num(row_areas_m2(grid)) if placed else np.zeros(grid.height)
        counts, areas, known = dict.fromkeys(classes, 0), dict.fromkeys(classes, 0.0), 0
        for window in windows(grid):
            values = source.read(band, window=window)
            rows = row_m2[int(window.row_off) : int(window.row_off + window.height)]
            known += int((values != UNKNOWN).sum())
            for value in classes:
                in_row = (values == value).sum(axis=1)
                counts[value] += int(in_row.sum())
                areas[value] += float(in_row @ rows)
    return tuple(
        ClassArea(
            name,
            counts[value],
            round(100 * counts[value] / max(known, 1), 4),
            round(areas[value], 1) if placed else None,
        )
        for value, name in classes.items()
    )


def write_outlines(
    progress: Progress,
    mask: Path,
    target: Path,
    classes: Mapping[int, str],
    *,
    min_area_m2: float = 0.0,
    min_px: int = 0,
    simplify_px: float = 0.0,
    mean_of: Mapping[str, int] | None = None,
) -> int:
    """Write the patches of a mask's classes as GeoParquet, the largest first; how many there are.

    Columns `class_name`, `area_m2`, `area_px`, `pixels` (the outline in the image as WKT, x right, y down)
    and, for each name of `mean_of`, the mean over the patch of that band of the mask's file. In EPSG:4326;
    without a place the geometry is empty and the area in metres missing. Raises RasterError.
    """
    progress.tell(0.0, "Drawing outlines.")
    frame = outlines_of(
        mask, classes, min_area_m2=min_area_m2, min_px=min_px, simplify_px=simplify_px, mean_of=mean_of
    )
    frame.to_parquet(target, index=False)
    return len(frame)


def outlines_of(
    mask: Path,
    classes: Mapping[int, str],
    *,
    min_area_m2: float = 0.0,
    min_px: int = 0,
    simplify_px: float = 0.0,
    mean_of: Mapping[str, int] | None = None,
) -> gpd.GeoDataFrame:
    """The patches of a mask's classes as `write_outlines` writes them."""
    import geopandas as gpd
    import shapely
    from shapely.affinity import affine_transform

    from data.raster.areas import row_areas_m2
    from data.raster.windows import grid_of
    from data.vision.ground import ground_of

    ground = ground_of(mask)
    row_m2 = row_areas_m2(grid_of(mask)) if ground is not None else None
    patches = _patches(mask, classes, simplify_px)
    rows: list[dict[str, Any]] = []
    places: list[Any] = []
    means = _means(mask, patches, mean_of or {})
    for (shape, value, area_px), measured in zip(patches, means, strict=True):
        place, area_m2 = None, None
        if ground is not None and row_m2 is not None:
            # A pixel's ground area changes with the row alone, and slowly: that of the patch's middle counts.
            middle = np.interp(shape.centroid.y - 0.5, np.arange(len(row_m2)), row_m2)
            area_m2 = round(float(middle) * area_px, 1)
            a, b, c, d, e, f = ground.transform[:6]
            place = affine_transform(shape, [a, b, d, e, c, f])
        places.append(place)
        rows.append(
            {
                "class_name": classes[value],
                "area_m2": area_m2,
                "area_px": area_px,
                "pixels": shapely.to_wkt(shape, rounding_precision=2),
                **measured,
            }
        )
    columns = ["class_name", "area_m2", "area_px", "pixels", *(mean_of or {})]
    frame = gpd.GeoDataFrame(
        rows, columns=columns, geometry=places, crs=ground.crs if ground is not None else "EPSG:4326"
    )
    if ground is not None:
        frame = frame.to_crs("EPSG:4326")
        frame = frame[frame["area_m2"] >= min_area_m2]
    frame = frame[frame["area_px"] >= min_px].sort_values("area_px", ascending=False, kind="stable")
    numbers = dict.fromkeys(("area_m2", *(mean_of or {})), "float64")
    return frame.reset_index(drop=True).astype({**numbers, "area_px": "int64"})


def _patches(mask: Path, classes: Mapping[int, str], simplify_px: float) -> list[tuple[Any, int, int]]:
    """(outline in pixels, class, pixels) of each patch; corners that touch alone do not join."""
    import shapely
    from affine import Affine
    from rasterio import features
    from rasterio.windows import Window

    from data.raster.errors import RasterError
    from data.raster.files import opened
    from data.raster.patches import MAX_CORNERS
    from data.uploads.gdal import quiet_gdal

    with opened(mask) as source:
        values = np.asarray(source.read(1, window=Window(0, 0, source.width, source.height)))
    wanted = np.isin(values, list(classes))
    corner = wanted.copy()
    corner[1:] &= values[1:] != values[:-1]
    corner[:, 1:] &= values[:, 1:] != values[:, :-1]
    if int(corner.sum()) > MAX_CORNERS:
        raise RasterError(
            f"The mask breaks into too many patches to outline: about {int(corner.sum()):,} corners."
        )
    found = []
    with quiet_gdal():
        for shape, value in features.shapes(values, wanted, 4, Affine.identity()):
            shell, *holes = shape["coordinates"]
            found.append((shapely.Polygon(shell, holes), int(value)))
    areas = [round(shape.area) for shape, _ in found]
    if simplify_px and found:
        thinner = shapely.coverage_simplify([shape for shape, _ in found], simplify_px)
        found = [(shape, value) for shape, (_, value) in zip(thinner, found, strict=True)]
    return [(shape, value, area) for (shape, value), area in zip(found, areas, strict=True)]


def _means(
    mask: Path, patches: list[tuple[Any, int, int]], mean_of: Mapping[str, int]
) -> list[dict[str, Any]]:
    """The mean of other bands of the mask's file over each patch."""
    from affine import Affine
    from rasterio.features import geometry_mask
    from rasterio.windows import Window

    from data.raster.files import opened

    made: list[dict[str, Any]] = []
    with opened(mask) as source:
        for shape, _, _ in patches:
            left, top, right, bottom = shape.bounds
            column, row = max(0, int(left)), max(0, int(top))
            window = Window(
                column,
                row,
                min(source.width, round(right + 0.5)) - column,
                min(source.height, round(bottom + 0.5)) - row,
            )
            size = (int(window.height), int(window.width))
            means: dict[str, Any] = {}
            if mean_of:
                inside = geometry_mask([shape], size, Affine.translation(column, row), invert=True)
            for name, band in mean_of.items():
                values = source.read(band, window=window)[inside].astype(np.float64)
                values = values[np.isfinite(values)]
                means[name] = round(float(values.mean()), 6) if values.size else None
            made.append(means)
    return made
