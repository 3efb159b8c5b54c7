"""Buildings by a network in colour pictures, by the morphological building index elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.masks import UNKNOWN

if TYPE_CHECKING:
    import geopandas as gpd

BUILDING = {1: "building"}
TASKS = ("building-extraction", "semantic-segmentation", "land-cover")
INDEX = "morphological-building-index"
LENGTHS_M = (4.0, 8.0, 14.0, 22.0, 34.0)
"""Lines that are longer than a building is wide: each step of the profile adds those up to its length."""
USUAL_PIXEL_M = 0.5
"""The pixel that an image without a place is taken to have."""
COARSEST_M = 5.0
SQUARE = 0.72
"""From this share of its least rectangle on, a building is drawn as one."""
MOST_DRAWN_OUT = 6.0
"""Longer than so many times its width, a bright patch is a road."""


@dataclass(frozen=True)
class Buildings:
    """How buildings were told from the rest."""

    method: str
    model: str
    threshold: float | None = None
    """Of the index."""


def building_mask(
    progress: Progress, source: Path, target: Path, *, model: str | None = None, models: Path | None = None
) -> Buildings:
    """Write a mask of bytes: 1 building, 0 none, 255 where the image has no value.

    `model` is a network, or "morphological-building-index"; where left out a picture in colour goes to the
    best network and any other optical image to the index. The index's threshold is that of the whole image,
    but reconstruction follows bright paths farther than a block's margin: of SpaceNet's Atlanta, cut into
    strips of 128 rows, 0.5 % of the buildings' pixels hang on the seams. Raises RasterError.
    """
    from data.models.choosing import image_facts
    from data.vision.blocks import visible_bands
    from data.vision.segment import class_mask

    facts = image_facts(source)
    if facts.modality == "sar":
        raise RasterError("Buildings are found in optical images; this one is radar.")
    if model == INDEX or (model is None and visible_bands(source) is None):
        return _by_index(progress, source, target, facts.gsd_m)
    made = class_mask(progress, source, target, "building", TASKS, model=model, models=models)
    return Buildings(made.method, made.model)


def building_index(brightness: NDArray[Any], lengths_px: tuple[int, ...]) -> NDArray[np.float32]:
    """The morphological building index of a brightness (rows, columns) of 0 to 255.

    The mean over four directions and the steps between line lengths of how much the white top-hat by
    reconstruction grows: what is brighter than its surroundings in every direction and no longer than the
    longest line. Huang and Zhang (2011), A multidirectional and multiscale morphological index for automatic
    building extraction from multispectral GeoEye-1 imagery, PE&RS 77(7), 721-732.
    """
    import cv2
    from skimage.morphology import reconstruction

    values = np.nan_to_num(brightness, nan=0.0).astype(np.uint8)
    total = np.zeros(values.shape, dtype=np.float32)
    for direction in range(4):
        before = np.zeros(values.shape, dtype=np.float32)
        for length in lengths_px:
            line = _line(length, direction)
            eroded = np.minimum(cv2.erode(values, line, borderType=cv2.BORDER_REPLICATE), values)
            opened: NDArray[Any] = reconstruction(eroded, values, method="dilation")  # type: ignore[no-untyped-call]
            hat = (values - opened).astype(np.float32)
            total += np.abs(hat - before)
            before = hat
    return np.asarray(total / (4 * len(lengths_px)), dtype=np.float32)


def _line(length: int, direction: int) -> NDArray[np.uint8]:
    """A line of that many pixels: level, rising, upright or falling."""
    if direction == 0:
        return np.ones((1, length), dtype=np.uint8)
    if direction == 2:
        return np.ones((length, 1), dtype=np.uint8)
    side = max(1, round(length / np.sqrt(2)))
    level = np.eye(side, dtype=np.uint8)
    return level if direction == 3 else np.ascontiguousarray(level[:, ::-1])


def _by_index(progress: Progress, source: Path, target: Path, gsd_m: float | None) -> Buildings:
    from data.raster.windows import Band, Block, Place, compute, grid_of
    from data.vision.blocks import bright_bands, followed, samples
    from data.vision.thresholds import otsu

    pixel = gsd_m or USUAL_PIXEL_M
    if pixel > COARSEST_M:
        raise RasterError(
            f"Buildings do not show in pixels of {pixel:.3g} m; at most {COARSEST_M:g} m will do."
        )
    lengths = tuple(sorted({max(3, round(each / pixel)) for each in LENGTHS_M}))
    numbers = bright_bands(source)
    parts = samples(source, most=6, side=384, numbers=numbers)
    bright = np.concatenate([each.max(axis=0).ravel() for each in parts])
    bright = bright[np.isfinite(bright)]
    if not bright.size:
        raise RasterError(f"{source.name} has no pixel with a value.")
    low, high = (float(each) for each in np.percentile(bright, (1, 99)))

    def index(block: Block) -> NDArray[np.float32]:
        values = block.max(axis=0)
        return building_index(255 * np.clip((values - low) / max(high - low, 1e-9), 0, 1), lengths)

    progress.tell(0.0, "Finding the index's threshold.")
    levels = np.concatenate([index(each).ravel() for each in parts])
    split = otsu(levels[levels > 1.0])
    limit = split.threshold if split is not None else float("inf")

    def told(blocks: list[Block], place: Place) -> NDArray[Any]:
        missing = ~np.isfinite(blocks[0]).all(axis=0)
        made = (index(blocks[0]) > limit).astype(np.float32)
        made[missing] = np.nan
        return made

    grid = grid_of(source)
    compute(
        [Band(source, numbers)],
        target,
        followed(progress, "Computing the building index", grid.width * grid.height, told),
        halo=2 * lengths[-1],
        dtype="uint8",
        nodata=UNKNOWN,
        descriptions=("building",),
        pixels=1_000_000,
    )
    return Buildings("morphological building index", INDEX, limit if np.isfinite(limit) else None)


def write_buildings(progress: Progress, mask: Path, target: Path, *, min_area_m2: float = 12.0) -> int:
    """Write the buildings of a mask as GeoParquet, the largest first; how many there are.

    Columns as data.vision.masks.write_outlines, and `shape`: "rectangle" for those drawn as their least
    rectangle of the patch's own area, "outline" for the others. Long thin patches are left out.
    """
    progress.tell(0.0, "Drawing buildings.")
    frame = buildings_of(mask, min_area_m2=min_area_m2)
    frame.to_parquet(target, index=False)
    return len(frame)


def buildings_of(mask: Path, *, min_area_m2: float = 12.0, min_px: int = 12) -> gpd.GeoDataFrame:
    """The buildings of a mask as `write_buildings` writes them."""
    import shapely
    from shapely.affinity import affine_transform

    from data.vision.ground import ground_of
    from data.vision.masks import outlines_of

    frame = outlines_of(mask, BUILDING, min_area_m2=min_area_m2, min_px=min_px, simplify_px=1.0)
    drawn = [regular(each) for each in shapely.from_wkt(frame["pixels"].to_numpy())]
    kept = np.array([shape is not None for shape, _ in drawn], dtype=bool)
    shapes = [each for each in drawn if each[0] is not None]
    frame = frame.loc[kept].reset_index(drop=True)
    frame["shape"] = [kind for _, kind in shapes]
    frame["pixels"] = [shapely.to_wkt(shape, rounding_precision=2) for shape, _ in shapes]
    ground = ground_of(mask)
    if ground is None or not len(frame):
        return frame
    a, b, c, d, e, f = ground.transform[:6]
    places = [affine_transform(shape, [a, b, d, e, c, f]) for shape, _ in shapes]
    own: gpd.GeoDataFrame = frame.set_geometry(places, crs=ground.crs).to_crs("EPSG:4326")
    return own


def regular(patch: Any) -> tuple[Any, str]:
    """A patch as a building is drawn: its least rectangle, shrunk to its area, or its outline without holes.

    None for what is no building by its shape: more than six times as long as wide.
    """
    from shapely.affinity import scale
    from shapely.geometry import Polygon

    around = patch.minimum_rotated_rectangle
    if around.geom_type != "Polygon" or around.area == 0:
        return None, "outline"
    corners = np.asarray(around.exterior.coords)
    sides = sorted(np.hypot(*(corners[at + 1] - corners[at])) for at in (0, 1))
    if sides[1] > MOST_DRAWN_OUT * max(sides[0], 1e-9):
        return None, "outline"
    share = patch.area / around.area
    if share >= SQUARE:
        factor = float(np.sqrt(share))
        return scale(around, factor, factor, origin="centroid"), "rectangle"
    thinner = Polygon(patch.exterior).simplify(1.5)
    return (thinner if thinner.geom_type == "Polygon" and thinner.area > 0 else patch), "outline"
