"""The pixels that a phrase means: objects cut out of their boxes, and regions of a cover, as a mask."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.covering import full_mask
from data.vision.facts import Facts
from data.vision.grounding import Candidate, Grounded, Phrase, chip_of, chosen_of, grounded
from data.vision.masks import UNKNOWN
from data.vision.measuring import box_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_MASK_PX = 16_000_000
"""The mask of a larger image is on the grid of its overview."""
_CHIP_PX = 320
_ROUNDS = 4


def refer(
    progress: Progress,
    image: Path,
    target: Path,
    phrase: Phrase,
    models: Path | None = None,
    anyway: bool = False,
) -> Grounded:
    """Write a mask of what a phrase means (1, else 0, 255 without a value), and tell what that was.

    Objects are cut out of their boxes by GrabCut (Rother, Kolmogorov and Blake 2004), started with the box as
    probable foreground and a margin as background. Regions are the cells of the cover that are part of what
    was chosen, their edges drawn to those of the picture (guided filter, He, Sun and Tang 2013). Nothing is
    written where nothing is found. Raises RasterError.
    """
    facts = Facts(image, progress, models=models, anyway=anyway)
    told = grounded(facts, phrase)
    if not told.found:
        return told
    chosen, _, _ = chosen_of(facts, phrase)
    seen = facts.overview
    whole = seen.width * seen.height <= MOST_MASK_PX
    shape = (seen.height, seen.width) if whole else seen.rgb.shape[:2]
    mask = np.zeros(shape, np.uint8)
    for number, each in enumerate(chosen):
        progress.tell(0.6 + 0.3 * number / len(chosen), f"Cutting out {number + 1} of {len(chosen)}.")
        _paint(mask, facts, each, whole)
    known = _sized(seen.known.astype(np.uint8), (shape[0], shape[1]))
    mask[known == 0] = UNKNOWN
    if not (mask == 1).any():
        raise RasterError("What the phrase means is smaller than a pixel of the mask.")
    _write(image, target, mask)
    return told


def _paint(mask: NDArray[np.uint8], facts: Facts, candidate: Candidate, whole: bool) -> None:
    """Mark one object or region in the mask."""
    if candidate.cells is None:
        _paint_object(mask, facts, candidate, whole)
        return
    from scipy.ndimage import binary_dilation

    from data.vision.cover import CELL_PX

    likely = full_mask(facts.cover, candidate.name, facts.overview)
    around = binary_dilation(candidate.cells, np.ones((3, 3)))
    rows, columns = likely.shape
    part = _spread(around, rows, columns, CELL_PX)
    core = _spread(candidate.cells, rows, columns, CELL_PX)
    # Its own cells where the cover is not unlikely, and over their border where it is clearly there.
    inside = (core & (likely >= 0.3)) | (part & (likely >= 0.6))
    mask[_sized(inside.astype(np.uint8), (mask.shape[0], mask.shape[1])) > 0] = 1


def _spread(cells: NDArray[np.bool_], rows: int, columns: int, side: int) -> NDArray[np.bool_]:
    large = np.kron(cells, np.ones((side, side), bool))
    made = np.zeros((rows, columns), bool)
    high, wide = min(rows, large.shape[0]), min(columns, large.shape[1])
    made[:high, :wide] = large[:high, :wide]
    return made


def _paint_object(mask: NDArray[np.uint8], facts: Facts, candidate: Candidate, whole: bool) -> None:
    chip, inside = chip_of(facts.image, candidate.outline, margin=0.4)
    if not inside.any():
        return
    left, top, right, bottom = box_of(candidate.outline)
    more = 0.4 * max(right - left, bottom - top)
    x0, y0 = max(0, int(left - more)), max(0, int(top - more))
    cut = cut_out(chip, inside)
    if whole:
        part = mask[y0 : y0 + cut.shape[0], x0 : x0 + cut.shape[1]]
        part[cut[: part.shape[0], : part.shape[1]]] = 1
        return
    rows, columns = np.nonzero(cut)
    scale = facts.overview.scale
    mask[
        np.clip(((rows + y0) / scale).astype(int), 0, mask.shape[0] - 1),
        np.clip(((columns + x0) / scale).astype(int), 0, mask.shape[1] - 1),
    ] = 1


def cut_out(chip: NDArray[np.uint8], inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The object of a chip (rows, columns, 3) inside an outline; the outline itself where nothing parts."""
    import cv2

    shrink = min(1.0, _CHIP_PX / max(chip.shape[:2]))
    size = (max(1, round(chip.shape[1] * shrink)), max(1, round(chip.shape[0] * shrink)))
    small = cv2.resize(chip, size, interpolation=cv2.INTER_AREA) if shrink < 1 else chip
    here = cv2.resize(inside.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0
    if int(here.sum()) < 12 or here.all():
        return inside
    marks = np.where(here, cv2.GC_PR_FGD, cv2.GC_BGD).astype(np.uint8)
    cv2.setRNGSeed(0)  # its mixtures start from random colours
    behind, before = np.zeros((1, 65)), np.zeros((1, 65))
    picture: Any = np.ascontiguousarray(small)
    try:
        cv2.grabCut(picture, marks, (0, 0, 1, 1), behind, before, _ROUNDS, cv2.GC_INIT_WITH_MASK)
    except cv2.error:
        return inside
    found = np.isin(marks, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(np.uint8)
    full = cv2.resize(found, (chip.shape[1], chip.shape[0]), interpolation=cv2.INTER_NEAREST) > 0
    full &= inside
    return np.asarray(full if full.sum() >= 0.2 * inside.sum() else inside)


def _sized(values: NDArray[np.uint8], shape: tuple[int, int]) -> NDArray[np.uint8]:
    import cv2

    if values.shape == shape:
        return values
    made: Any = cv2.resize(values, (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST)
    return np.asarray(made, dtype=np.uint8)


def _write(image: Path, target: Path, mask: NDArray[np.uint8]) -> None:
    import rasterio
    from affine import Affine

    from data.raster.files import geotiff_profile, opened
    from data.uploads.gdal import quiet_gdal

    with opened(image) as source:
        crs, transform = source.crs, source.transform
        scale = Affine.scale(source.width / mask.shape[1], source.height / mask.shape[0])
    placed = {"crs": crs, "transform": transform @ scale} if not transform.is_identity else {}
    profile = geotiff_profile(mask.shape[1], mask.shape[0], count=1, dtype="uint8", nodata=UNKNOWN, **placed)
    with quiet_gdal(), rasterio.open(target, "w", **profile) as writer:
        writer.write(mask, 1)
        writer.set_band_description(1, "meant by the phrase")
