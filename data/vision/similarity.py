"""How alike two images are, by colour, spectrum, texture and structure, and whether of the same ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.progress import Progress
from data.raster.errors import RasterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from data.vision.overview import Overview

METHOD = "image-descriptor"
WEIGHTS = {"colour": 1.0, "spectrum": 1.0, "texture": 1.5, "gradients": 1.0, "structure": 1.5}
"""How much each part counts in the whole; parts that two images do not share are left out."""
SIDE_PX = 512
_GRID = 256


@dataclass(frozen=True)
class Likeness:
    """How alike two images are."""

    likeness: float
    """0 to 1, the weighted mean of the parts."""
    parts: Mapping[str, float]
    """Each 0 to 1; `structure` only where both lie on one grid or show the same ground."""
    overlap: float | None
    """Share of the smaller footprint that lies in the other, 0 to 1; None where one has no place."""
    same_place: bool | None
    """Whether at least a tenth of the smaller footprint is shared; None where one has no place."""
    notes: tuple[str, ...]


def compare(progress: Progress, image: Path, other: Path) -> Likeness:
    """How alike two images are. Raises RasterError for a file that cannot be read.

    Histograms by intersection (Swain and Ballard 1991): `colour` of CIE L*a*b* in 8 x 8 x 8 bins, `spectrum`
    of the bands that both have by name. `texture`: local binary patterns of 8 neighbours at radius 1 and 3
    (Ojala, Pietikainen and Maenpaa 2002) and grey-level co-occurrence at 1 and 4 pixels (Haralick 1973).
    `gradients`: their directions in 18 bins (Dalal and Triggs 2005, over the whole image). `structure`: SSIM
    (Wang et al. 2004) where both lie on one grid or overlap, 0 for none.
    """
    from data.vision.modality import modality_of
    from data.vision.overview import overview_of

    progress.tell(0.0, "Reading both images.")
    kinds = [modality_of(each).name for each in (image, other)]
    seen = [
        overview_of(each, kind, most_px=SIDE_PX) for each, kind in zip((image, other), kinds, strict=True)
    ]
    parts: dict[str, float] = {}
    notes: list[str] = []
    if kinds[0] != kinds[1]:
        words = [kind or "no image" for kind in kinds]
        notes.append(f"One is {words[0]} and the other {words[1]}, so colours compare little.")
    progress.tell(0.3, "Comparing colours and texture.")
    if not (seen[0].grey and seen[1].grey):
        parts["colour"] = intersection(*(_colours(each) for each in seen))
    if shared := [name for name in seen[0].spectral if name in seen[1].spectral]:
        parts["spectrum"] = float(np.mean([_band_likeness(seen[0], seen[1], name) for name in shared]))
    parts["texture"] = float(
        np.mean([intersection(*pair) for pair in zip(*map(_textures, seen), strict=True)])
    )
    parts["gradients"] = intersection(*(_directions(each) for each in seen))
    overlap = footprint_overlap(image, other)
    same_place = None if overlap is None else overlap >= 0.1
    progress.tell(0.7, "Comparing structure.")
    structure = _structure(image, other, seen, overlap)
    if structure is not None:
        parts["structure"] = structure
    rounded = {name: round(min(1.0, max(0.0, value)), 4) for name, value in parts.items()}
    total = sum(WEIGHTS[name] * value for name, value in rounded.items()) / sum(
        WEIGHTS[name] for name in rounded
    )
    return Likeness(round(total, 4), rounded, overlap, same_place, tuple(notes))


def intersection(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """The common part of two histograms that sum to 1."""
    return float(np.minimum(one, two).sum())


def footprint_overlap(image: Path, other: Path) -> float | None:
    """The share of the smaller footprint that lies in the other; None where one has no place."""
    from data.vision.ground import ground_of

    shapes = []
    for each in (image, other):
        ground = ground_of(each)
        if ground is None:
            return None
        shapes.append(_footprint(each, ground))
    if any(shape is None for shape in shapes):
        return None
    one, two = shapes
    smaller = min(one.area, two.area)
    return round(float(one.intersection(two).area / smaller), 4) if smaller > 0 else None


def _footprint(image: Path, ground: Any) -> Any:
    from shapely.geometry import Polygon

    from data.raster.windows import grid_of

    grid = grid_of(image)
    corners = np.array(
        [[0, 0], [grid.width, 0], [grid.width, grid.height], [0, grid.height]], dtype=np.float64
    )
    lonlat = ground.lonlat(corners)
    shape = Polygon(lonlat) if np.isfinite(lonlat).all() else None
    return shape if shape is not None and shape.is_valid else None


def _colours(seen: Overview) -> NDArray[np.float64]:
    import cv2

    lab = cv2.cvtColor(seen.rgb, cv2.COLOR_RGB2LAB)[seen.known]
    at = (
        (lab[:, 0] // 32).astype(int) * 64 + (lab[:, 1] // 32).astype(int) * 8 + (lab[:, 2] // 32).astype(int)
    )
    return np.asarray(np.bincount(at, minlength=512) / max(len(at), 1), dtype=np.float64)


def _band_likeness(one: Overview, two: Overview, name: str) -> float:
    first, second = one.spectral[name][one.known], two.spectral[name][two.known]
    low, high = np.percentile(np.concatenate([first, second]), (1, 99))
    edges = np.linspace(low, max(float(high), float(low) + 1e-9), 33)
    histograms = [np.histogram(np.clip(each, edges[0], edges[-1]), edges)[0] for each in (first, second)]
    return intersection(*(each / max(each.sum(), 1) for each in histograms))


def _textures(seen: Overview) -> list[NDArray[np.float64]]:
    """Histograms of local binary patterns and co-occurrence, each summing to 1."""
    import cv2
    from skimage.feature import graycomatrix

    grey = cv2.cvtColor(seen.rgb, cv2.COLOR_RGB2GRAY)
    found = []
    for radius in (1, 3):
        codes = _patterns(grey, radius)[seen.known]
        found.append(np.bincount(codes, minlength=10) / max(len(codes), 1))
    low, high = np.percentile(grey[seen.known], (1, 99))
    levels = np.clip((grey - low) / max(float(high - low), 1.0) * 7.99, 0, 7).astype(np.uint8)
    turns = [0, np.pi / 4, np.pi / 2, 3 * np.pi / 4]
    matrix = graycomatrix(  # type: ignore[no-untyped-call]
        levels, [1, 4], turns, levels=8, symmetric=True, normed=True
    )
    for at in range(2):
        found.append(matrix[:, :, at].mean(axis=2).ravel())
    return found


def _patterns(grey: NDArray[Any], radius: int) -> NDArray[np.int64]:
    """The uniform local binary pattern of each pixel, 0 to 9."""
    from skimage.feature import local_binary_pattern

    codes: Any = local_binary_pattern(grey, 8, radius, method="uniform")  # type: ignore[no-untyped-call]
    return np.asarray(codes, dtype=np.int64)


def _directions(seen: Overview) -> NDArray[np.float64]:
    import cv2

    grey = cv2.GaussianBlur(cv2.cvtColor(seen.rgb, cv2.COLOR_RGB2GRAY).astype(np.float32), (0, 0), 1.5)
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
    turned = np.mod(np.arctan2(down, across), np.pi)
    weight = np.hypot(across, down) * seen.known
    bins = np.bincount((turned / np.pi * 17.999).astype(int).ravel(), weight.ravel().astype(np.float64), 18)
    return np.asarray(bins / max(float(bins.sum()), 1e-9))


def _structure(image: Path, other: Path, seen: list[Overview], overlap: float | None) -> float | None:
    """SSIM of both on one grid; None where they share no grid and no ground."""
    from skimage.metrics import structural_similarity

    pair = _onto_one(image, other) if overlap else None
    if pair is None:
        if (
            overlap is not None
            or seen[0].rgb.shape != seen[1].rgb.shape
            or (seen[0].width, seen[0].height) != (seen[1].width, seen[1].height)
        ):
            return None
        pair = [np.asarray(each.rgb.mean(axis=2), dtype=np.float32) for each in seen]
    if min(pair[0].shape) < 7:
        return None
    alike = structural_similarity(pair[0], pair[1], data_range=255.0)  # type: ignore[no-untyped-call]
    return max(0.0, float(alike))


def _onto_one(image: Path, other: Path) -> list[NDArray[np.float32]] | None:
    """The first visible band of both where their footprints meet, on one grid of 256 pixels; in bytes."""
    import rasterio
    from rasterio.enums import Resampling
    from rasterio.transform import from_bounds
    from rasterio.vrt import WarpedVRT
    from rasterio.warp import transform_bounds

    from data.raster.files import opened

    made: list[NDArray[np.float32]] = []
    try:
        with opened(image) as one, opened(other) as two:
            around = transform_bounds(two.crs, one.crs, *two.bounds)
            west, south = max(one.bounds.left, around[0]), max(one.bounds.bottom, around[1])
            east, north = min(one.bounds.right, around[2]), min(one.bounds.top, around[3])
            if not (east > west and north > south):
                return None
            grid = from_bounds(west, south, east, north, _GRID, _GRID)
            for source in (one, two):
                how = {"crs": one.crs, "transform": grid, "width": _GRID, "height": _GRID}
                with WarpedVRT(source, resampling=Resampling.average, **how) as warped:
                    band = np.abs(warped.read(1)).astype(np.float32)
                low, high = np.nanpercentile(band, (1, 99))
                made.append(np.clip((np.nan_to_num(band) - low) / max(float(high - low), 1e-9), 0, 1) * 255)
    except (rasterio.errors.RasterioError, rasterio.errors.CRSError, RasterError, ValueError):
        return None
    return made
