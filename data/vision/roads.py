"""Roads: a network's class in colour pictures, multi-scale ridges elsewhere, thinned to a graph of lines."""

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

ROAD = {1: "road"}
TASKS = ("road-extraction", "semantic-segmentation", "land-cover")
RIDGES = "multi-scale-ridges"
WIDTHS_M = (5.0, 9.0, 16.0, 26.0)
"""Widths that ridges are looked for at: a lane and a half to a motorway."""
USUAL_PIXEL_M = 0.5
"""The pixel that an image without a place is taken to have."""
COARSEST_M = 12.0
MOST_PX = 150_000_000
"""Larger masks are not thinned: a skeleton is made of the whole mask at once."""
_LEAST_M = 30.0
"""Shorter pieces that hang on nothing, and shorter spurs, are left out."""
_HOLE_PX = 32


@dataclass(frozen=True)
class Roads:
    """How roads were told from the rest."""

    method: str
    model: str
    threshold: float | None = None
    """Of the ridges' strength."""


@dataclass(frozen=True)
class Network:
    """The graph of the roads."""

    nodes: int
    """Ends and junctions."""
    edges: int
    length_m: float | None
    """None for an image without a place."""
    length_px: float
    parts: int
    """Groups of roads that do not meet."""


def road_mask(
    progress: Progress, source: Path, target: Path, *, model: str | None = None, models: Path | None = None
) -> Roads:
    """Write a mask of bytes: 1 road, 0 none, 255 where the image has no value.

    `model` is a network, or "multi-scale-ridges"; where left out a picture in colour goes to the best
    network and any other optical image to the ridges. Raises RasterError.
    """
    from data.models.choosing import image_facts
    from data.vision.blocks import visible_bands
    from data.vision.segment import class_mask

    facts = image_facts(source)
    if facts.modality == "sar":
        raise RasterError("Roads are found in optical images; this one is radar.")
    if model == RIDGES or (model is None and visible_bands(source) is None):
        return _by_ridges(progress, source, target, facts.gsd_m)
    made = class_mask(progress, source, target, "road", TASKS, model=model, models=models)
    return Roads(made.method, made.model)


def ridge_strength(brightness: NDArray[Any], widths_px: tuple[float, ...]) -> NDArray[np.float32]:
    """How much each pixel lies on a band brighter or darker than both its sides, over the widths.

    The larger magnitude of the Hessian's principal curvatures less what a blob has, normalised by scale;
    its maximum over the scales, sigma = width / 2, at which a bar of that width answers most. Steger
    (1998), An unbiased detector of curvilinear structures, IEEE TPAMI 20(2), 113-125; the measure of a line
    against a blob after Sato et al. (1998), Medical Image Analysis 2(2), 143-168.
    """
    from scipy.ndimage import gaussian_filter

    values = brightness.astype(np.float32)
    best = np.zeros(values.shape, dtype=np.float32)
    for width in widths_px:
        sigma = max(0.8, width / 2)
        along, across, both = (
            sigma**2 * gaussian_filter(values, sigma, order=order, mode="nearest", truncate=3.0)
            for order in ((2, 0), (0, 2), (1, 1))
        )
        middle = (along + across) / 2
        spread = np.hypot((along - across) / 2, both)
        one, two = np.abs(middle + spread), np.abs(middle - spread)
        best = np.maximum(best, np.maximum(one, two) - 2 * np.minimum(one, two))
    return best


def _by_ridges(progress: Progress, source: Path, target: Path, gsd_m: float | None) -> Roads:
    from skimage.filters import apply_hysteresis_threshold
    from skimage.measure import label, regionprops

    from data.raster.windows import Band, Block, Place, compute, grid_of
    from data.vision.blocks import bright_bands, followed, nearest_filled, samples

    pixel = gsd_m or USUAL_PIXEL_M
    if pixel > COARSEST_M:
        raise RasterError(
            f"Roads do not show in pixels of {pixel:.3g} m; an image of {COARSEST_M:g} m or finer is needed."
        )
    widths = tuple(sorted({max(1.5, each / pixel) for each in WIDTHS_M}))
    numbers = bright_bands(source)
    parts = samples(source, most=6, side=512, numbers=numbers)
    grey = np.concatenate([each.mean(axis=0).ravel() for each in parts])
    grey = grey[np.isfinite(grey)]
    if not grey.size:
        raise RasterError(f"{source.name} has no pixel with a value.")
    low, high = (float(each) for each in np.percentile(grey, (2, 98)))

    def strength(block: Block) -> NDArray[np.float32]:
        values = np.clip((block.mean(axis=0) - low) / max(high - low, 1e-9), 0, 1)
        return ridge_strength(nearest_filled(values), widths)

    progress.tell(0.0, "Measuring how strong ridges are.")
    levels = np.concatenate([strength(each).ravel() for each in parts])
    weak, strong = (float(each) for each in np.percentile(levels, (88, 96)))
    least_px = _LEAST_M / pixel

    def told(blocks: list[Block], place: Place) -> NDArray[Any]:
        found = apply_hysteresis_threshold(strength(blocks[0]), weak, strong)  # type: ignore[no-untyped-call]
        groups = label(found, connectivity=2)  # type: ignore[no-untyped-call]
        made = np.zeros(found.shape, dtype=np.float32)
        for each in regionprops(groups):  # type: ignore[no-untyped-call]
            long = float(np.hypot(each.bbox[2] - each.bbox[0], each.bbox[3] - each.bbox[1]))
            if long >= least_px and long**2 >= 4 * each.area:
                made[each.slice][each.image] = 1
        made[~np.isfinite(blocks[0]).all(axis=0)] = np.nan
        return made

    grid = grid_of(source)
    compute(
        [Band(source, numbers)],
        target,
        followed(progress, "Looking for ridges", grid.width * grid.height, told),
        halo=int(4 * widths[-1] + least_px),
        dtype="uint8",
        nodata=UNKNOWN,
        descriptions=("road",),
        pixels=2_000_000,
    )
    return Roads("multi-scale ridges", RIDGES, weak if levels.max() > 0 else None)


def write_roads(progress: Progress, mask: Path, target: Path) -> dict[str, Any]:
    """Write the centre lines of a mask's roads as GeoParquet, the longest first, and what the graph is.

    Columns `edge`, `from_node`, `to_node`, `length_m` (geodesic), `width_m` (twice the mean distance to the
    road's sides), `length_px`, `width_px` and `pixels` (the line in the image as WKT). What comes back are
    the fields of Network. Raises RasterError for a mask that is too large.
    """
    progress.tell(0.0, "Thinning roads to lines.")
    frame, network = graph_of(mask)
    frame.to_parquet(target, index=False)
    return dict(vars(network))


def graph_of(mask: Path) -> tuple[gpd.GeoDataFrame, Network]:
    """The centre lines of a mask's roads, and the graph that they are."""
    import geopandas as gpd
    from pyproj import Geod
    from scipy.ndimage import binary_opening, distance_transform_edt
    from shapely.geometry import LineString
    from skimage.morphology import remove_small_holes

    from data.raster.files import opened
    from data.vision.ground import ground_of
    from data.vision.skeleton import lines_of

    with opened(mask) as source:
        if source.width * source.height > MOST_PX:
            raise RasterError(
                f"The mask has {source.width} x {source.height} pixels, too many to thin; cut it first."
            )
        road = source.read(1) == 1
    ground = ground_of(mask)
    pixel = _pixel_m(ground, road.shape)
    road = remove_small_holes(road, max_size=_HOLE_PX)
    road = binary_opening(road, np.ones((2, 2))) | (binary_opening(road, np.ones((1, 3))))
    apart = distance_transform_edt(np.pad(road, 1))[1:-1, 1:-1]
    lines = lines_of(road, apart, least_px=_LEAST_M / pixel)
    rows, shapes = [], []
    geod = Geod(ellps="WGS84")
    for each in lines:
        outline = each.points + 0.5
        line = LineString(outline).simplify(0.75)
        width = 2 * float(np.mean(apart[each.points[:, 1].astype(int), each.points[:, 0].astype(int)]))
        row: dict[str, Any] = {
            "from_node": each.first,
            "to_node": each.last,
            "length_m": None,
            "width_m": None,
        }
        shape = None
        if ground is not None:
            shape = LineString(ground.lonlat(np.asarray(line.coords)))
            row |= {"length_m": round(geod.geometry_length(shape), 2), "width_m": round(width * pixel, 2)}
        row |= {"length_px": round(line.length, 2), "width_px": round(width, 2), "pixels": line.wkt}
        rows.append(row)
        shapes.append(shape)
    columns = ["from_node", "to_node", "length_m", "width_m", "length_px", "width_px", "pixels"]
    frame = gpd.GeoDataFrame(rows, columns=columns, geometry=shapes, crs="EPSG:4326")
    frame = frame.sort_values("length_px", ascending=False, kind="stable").reset_index(drop=True)
    frame = frame.astype(dict.fromkeys(("length_m", "width_m", "length_px", "width_px"), "float64"))
    frame.insert(0, "edge", np.arange(1, len(frame) + 1))
    return frame, _network(frame, ground is not None)


def _pixel_m(ground: Any, shape: tuple[int, ...]) -> float:
    if ground is None:
        return USUAL_PIXEL_M
    x, y = shape[1] / 2, shape[0] / 2
    size = ground.size_m(np.array([[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]]))
    side = float(np.sqrt(size.length_m * size.width_m))
    return side if np.isfinite(side) and side > 0 else USUAL_PIXEL_M


def _network(frame: gpd.GeoDataFrame, placed: bool) -> Network:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = frame[["from_node", "to_node"]].to_numpy(dtype=np.int64)
    if not len(ends):
        return Network(0, 0, 0.0 if placed else None, 0.0, 0)
    nodes, places = np.unique(ends, return_inverse=True)
    places = places.reshape(ends.shape)
    count = len(nodes)
    links = coo_array((np.ones(len(places)), (places[:, 0], places[:, 1])), shape=(count, count))
    parts = int(connected_components(links, directed=False)[0])
    length = round(float(frame["length_m"].sum()), 1) if placed else None
    return Network(count, len(frame), length, round(float(frame["length_px"].sum()), 1), parts)
