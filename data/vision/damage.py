"""Damage of buildings between two images: four levels from how each one's roof changed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.vision.guard import pair_checked

if TYPE_CHECKING:
    import geopandas as gpd

LEVELS = ("no-damage", "minor-damage", "major-damage", "destroyed")
"""The Joint Damage Scale: Gupta et al. (2019), xBD: A dataset for assessing building damage."""
MODEL = "damage-ordinal"
FEATURES = (
    "correlation", "gradient_agreement", "lightness_change", "colour_change", "texture_change", "edge_change",
    "unevenness", "surroundings_correlation",
)  # fmt: skip
COLUMNS = ("building_id", "level", "level_number", "score", "probability", *(f"p_{each}" for each in LEVELS))
_COEFFICIENTS = Path(__file__).with_name("damage.json")
_FINE_M = 0.5
_RING_PX = 14
_LEAST_PX = 9
_SIDE_PX = 1024


def assess(
    progress: Progress,
    before: Path,
    after: Path,
    target: Path,
    buildings: Path | None = None,
    anyway: bool = True,
) -> tuple[tuple[str, ...], int, tuple[str, ...]]:
    """Write the buildings with their damage as GeoParquet; what was done to the pair, how many are outside,
    and what goes before the answer, of how well the pair agrees.

    `buildings` are outlines in EPSG:4326 (GeoParquet), else they are extracted from `before`. The second
    image is moved onto the first and matched to its histogram. Of each building eight features compare its
    roof in both images: correlation, agreement of gradients (how like the roof still is), changes of
    lightness, colour, texture and edges (rubble is rough and bright), how uneven the difference is (part of
    the roof gone), and how well its surroundings still correlate, which says how much of it all is season and
    light. An ordinal logistic regression (McCullagh 1980, Regression models for ordinal data, JRSS B 42(2),
    109-142) fitted on rendered pairs turns them into a score 0 to 1 and the chance of each level. Raises
    RasterError.
    """
    from data.raster.errors import RasterError
    from data.uploads.gdal import quiet_gdal
    from data.vector.files import read_geoparquet
    from data.vision.ground import ground_of
    from data.vision.together import brought_together, matched

    if ground_of(before) is None or ground_of(after) is None:
        raise RasterError(
            "Damage is assessed building by building on the ground, and one of the images has no place; "
            "place_raster gives it one."
        )
    with quiet_gdal(), tempfile.TemporaryDirectory(prefix="damage-", dir=target.parent) as folder:
        room = Path(folder)
        outlines = buildings
        extracted: tuple[str, ...] = ()
        if outlines is None:
            outlines = room / "buildings.parquet"
            extracted = _extracted(progress, before, outlines)
        frame = read_geoparquet(outlines)
        pair = brought_together(progress, before, after, room)
        said = pair_checked(MODEL, pair.likeness, anyway)
        later = matched(pair, room)
        rows = measured(progress, pair, later, frame)
    known = [row for row in rows if row is not None]
    made = frame.loc[[row is not None for row in rows], ["geometry"]].reset_index(drop=True)
    table = np.array([[row[name] for name in FEATURES] for row in known], np.float64).reshape(
        -1, len(FEATURES)
    )
    chances = chances_of(table)
    levels = chances.argmax(axis=1) if len(chances) else np.empty(0, int)
    made.insert(0, "building_id", np.arange(1, len(made) + 1))
    made["level"] = [LEVELS[each] for each in levels]
    made["level_number"] = levels.astype("int64")
    made["score"] = np.round(chances @ (np.arange(4) / 3), 4)
    made["probability"] = np.round(chances.max(axis=1), 4) if len(chances) else np.empty(0)
    for number, name in enumerate(LEVELS):
        made[f"p_{name}"] = np.round(chances[:, number], 4)
    for number, name in enumerate(FEATURES):
        made[name] = np.round(table[:, number], 4)
    made.to_parquet(target, index=False)
    return (*extracted, *pair.done, "The histograms were matched."), len(rows) - len(known), said


def _extracted(progress: Progress, before: Path, target: Path) -> tuple[str, ...]:
    """Write the buildings of an image; how they were told, in a sentence."""
    from data.vision.buildings import building_mask, write_buildings

    mask = target.with_suffix(".tif")
    made = building_mask(progress, before, mask)
    count = write_buildings(progress, mask, target)
    return (f"{count:,} buildings were extracted from the first image by {made.model}.",)


def measured(
    progress: Progress, pair: Any, later: Path, frame: gpd.GeoDataFrame
) -> list[dict[str, float] | None]:
    """The features of each building; None for one that the images do not show."""
    from data.raster.windows import Band, Grid, reader_of

    numbers = tuple(range(1, len(pair.before_bands) + 1))
    sources = [Band(pair.before, pair.before_bands), Band(later, numbers)]
    from contextlib import ExitStack

    with ExitStack() as stack:
        readers = [reader_of(stack, each) for each in sources]
        grid = Grid.of(readers[0])
        shapes = list(frame.to_crs(grid.crs).geometry)
        rows: list[dict[str, float] | None] = []
        for number, shape in enumerate(shapes):
            if number % 50 == 0:
                done = 0.3 + 0.7 * number / max(1, len(shapes))
                progress.tell(done, f"Looked at {number} of {len(shapes)} buildings.")
            rows.append(_building(readers, sources, grid, shape))
    return rows


def _building(
    readers: Sequence[Any], sources: Sequence[Any], grid: Any, shape: Any
) -> dict[str, float] | None:
    from affine import Affine
    from rasterio.features import geometry_mask
    from rasterio.windows import Window

    from data.raster.windows import Place, read_block
    from data.raster.zonal import zone_window

    window = zone_window(grid, shape)
    if window is None or window.width > _SIDE_PX or window.height > _SIDE_PX:
        return None
    left, top = max(0, int(window.col_off) - _RING_PX), max(0, int(window.row_off) - _RING_PX)
    right = min(grid.width, int(window.col_off + window.width) + _RING_PX)
    bottom = min(grid.height, int(window.row_off + window.height) + _RING_PX)
    wide = Window(left, top, right - left, bottom - top)
    size = (bottom - top, right - left)
    inside = geometry_mask([shape], size, grid.transform @ Affine.translation(left, top), invert=True)
    blocks = [
        read_block(reader, band.numbers, Place(grid, wide))
        for reader, band in zip(readers, sources, strict=True)
    ]
    return features_of(blocks[0], blocks[1], inside)


def features_of(
    before: NDArray[Any], after: NDArray[Any], inside: NDArray[np.bool_]
) -> dict[str, float] | None:
    """FEATURES of a building from (bands, rows, columns) of both dates, matched; None for too few pixels."""
    from scipy import ndimage

    known = np.isfinite(before).all(axis=0) & np.isfinite(after).all(axis=0)
    roof = inside & known
    if roof.sum() < _LEAST_PX or roof.sum() < 0.5 * inside.sum():
        return None
    ring = ndimage.binary_dilation(inside, iterations=_RING_PX) & ~ndimage.binary_dilation(
        inside, iterations=2
    )
    ring &= known
    one, two = (np.where(known, each, 0).astype(np.float64) for each in (before, after))
    span = max(float(np.percentile(one[:, known], 98) - np.percentile(one[:, known], 2)), 1e-6)
    grey = [ndimage.gaussian_filter(each.mean(axis=0), 0.7) for each in (one, two)]
    slopes = [(ndimage.sobel(each, 1) / 8, ndimage.sobel(each, 0) / 8) for each in grey]
    steep = [np.hypot(*each) for each in slopes]
    dot = slopes[0][0] * slopes[1][0] + slopes[0][1] * slopes[1][1]
    product = np.sqrt(float((steep[0][roof] ** 2).sum()) * float((steep[1][roof] ** 2).sum()))
    difference = (grey[1] - grey[0]) / span
    # What changed around the building, by light and season, is no damage to it.
    usual = float(np.median(difference[ring])) if ring.sum() >= _LEAST_PX else 0.0
    colour = (two - one) / span
    tint = colour - colour.mean(axis=0)
    return {
        "correlation": _correlation(grey[0][roof], grey[1][roof]),
        "gradient_agreement": float(dot[roof].sum()) / max(product, 1e-9),
        "lightness_change": float(difference[roof].mean()) - usual,
        "colour_change": float(np.sqrt(np.square(tint[:, roof].mean(axis=1)).sum())),
        "texture_change": float(
            np.log((grey[1][roof].std() / span + 0.01) / (grey[0][roof].std() / span + 0.01))
        ),
        "edge_change": float(
            np.log((steep[1][roof].mean() / span + 0.005) / (steep[0][roof].mean() / span + 0.005))
        ),
        "unevenness": float(difference[roof].std()),
        "surroundings_correlation": _correlation(grey[0][ring], grey[1][ring])
        if ring.sum() >= _LEAST_PX
        else 0.0,
    }


def _correlation(one: NDArray[Any], two: NDArray[Any]) -> float:
    if one.std() < 1e-9 or two.std() < 1e-9:
        return 0.0
    return float(np.corrcoef(one, two)[0, 1])


@lru_cache(maxsize=1)
def coefficients() -> dict[str, Any]:
    """What was fitted: means and deviations of the features, weights and the three limits between levels."""
    fitted: dict[str, Any] = json.loads(_COEFFICIENTS.read_text(encoding="utf-8"))
    return fitted


def chances_of(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """(buildings, 4) chances of the levels from (buildings, FEATURES)."""
    fitted = coefficients()
    if not len(table):
        return np.empty((0, len(LEVELS)))
    scaled = expanded((table - np.array(fitted["means"])) / np.array(fitted["deviations"]))
    along = scaled @ np.array(fitted["weights"])
    below = 1 / (1 + np.exp(-(np.array(fitted["limits"])[None, :] - along[:, None])))
    steps = np.concatenate([np.zeros((len(table), 1)), below, np.ones((len(table), 1))], axis=1)
    return np.asarray(np.clip(np.diff(steps, axis=1), 0.0, 1.0))


def expanded(scaled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scaled features, at most 3 deviations out, with their squares."""
    cut = np.clip(scaled, -3.0, 3.0)
    return np.concatenate([cut, np.square(cut)], axis=1)
