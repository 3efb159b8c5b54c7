"""Holes of an image filled from what lies around them: along edges, from patches, or smoothly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PATCH_PX = 13
_SEARCH_PX = 72


def fill_hole(
    values: NDArray[np.float32],
    hole: NDArray[np.bool_],
    small_px: int,
    heard: Callable[[], None],
    *,
    smooth_px: int | None = None,
) -> NDArray[np.float32]:
    """(bands, rows, columns) with the pixels of `hole` made up from the others that have a value.

    Holes narrower than `small_px` by Telea's fast marching, wider ones from patches after Criminisi, Perez
    and Toyama; with `smooth_px` by interpolation over so many pixels at most, which leaves what is farther
    not-a-number. Where nothing is known, nothing is made up. `heard` is called now and then, and may raise.
    """
    known: NDArray[np.bool_] = np.asarray(np.isfinite(values).all(axis=0))
    if not known.any():
        return values
    if smooth_px is not None:
        return _smooth(values, known, smooth_px)
    from scipy.ndimage import distance_transform_edt, label

    # Twice the greatest distance to the edge of a hole is how wide it is.
    parts, count = label(hole, structure=np.ones((3, 3)))
    depth = distance_transform_edt(hole)
    widths = np.zeros(count + 1)
    np.maximum.at(widths, parts.ravel(), depth.ravel())
    narrow = hole & (2 * widths[parts] < small_px)
    made = values
    if narrow.any():
        made = _telea(made, narrow, known)
    wide = hole & ~narrow
    if wide.any():
        made = _from_patches(made, wide, known | narrow, heard)
    return made


def _telea(values: NDArray[np.float32], hole: NDArray[np.bool_], known: NDArray[np.bool_]) -> NDArray[Any]:
    """Fast marching, band by band, in 16 bits between a band's least and greatest value."""
    import cv2

    made = values.copy()
    unknown = (~known).astype(np.uint8)
    for band in made:
        there = band[known]
        low, high = float(there.min()), float(there.max())
        step = (high - low) / 65_535 or 1.0
        coded = np.where(known, (np.nan_to_num(band) - low) / step, 0).round().astype(np.uint16)
        filled = cv2.inpaint(coded, unknown, 5, cv2.INPAINT_TELEA).astype(np.float32) * step + low
        band[hole] = filled[hole]
    return made


def _smooth(values: NDArray[np.float32], known: NDArray[np.bool_], reach_px: int) -> NDArray[np.float32]:
    from data.raster.gaps import _filled

    return np.stack([_filled(np.where(known, band, np.nan), reach_px, 2) for band in values])


def _from_patches(
    values: NDArray[np.float32],
    hole: NDArray[np.bool_],
    known: NDArray[np.bool_],
    heard: Callable[[], None],
) -> NDArray[np.float32]:
    """The hole from its rim inwards, each time the patch of the image that fits best what is there already.

    Patches of 13 x 13 pixels, sought within 72 pixels of where they go among those that the image itself has.
    The order is by how much of a patch is known already, Criminisi's confidence.
    """
    import cv2
    from scipy.ndimage import distance_transform_edt

    half = _PATCH_PX // 2
    low = np.nanmin(np.where(known, values, np.nan), axis=(1, 2), keepdims=True)
    spread = np.nanmax(np.where(known, values, np.nan), axis=(1, 2), keepdims=True) - low
    scaled = (values - low) / np.where(spread > 0, spread, 1.0)
    pad = ((0, 0), (half, half), (half, half))
    canvas = np.pad(np.where(known, np.nan_to_num(scaled), 0), pad).transpose(1, 2, 0)
    canvas = np.ascontiguousarray(canvas[..., :3], np.float32)  # what fits in three bands fits in all
    full = np.pad(np.where(known, np.nan_to_num(values), 0), pad)
    there = np.pad(known, half)
    # A patch may be taken from where all of it was seen.
    whole = cv2.erode(there.astype(np.uint8), np.ones((_PATCH_PX, _PATCH_PX), np.uint8)) > 0
    if not whole.any():
        return _smooth(values, known, max(values.shape))
    wanted = np.pad(hole, half)
    depth = distance_transform_edt(~there)
    rows, columns = np.nonzero(wanted)
    order = np.argsort(depth[rows, columns], kind="stable")
    left = wanted.copy()
    for number, at in enumerate(order):
        if number % 500 == 0:
            heard()
        row, column = int(rows[at]), int(columns[at])
        if left[row, column]:
            _lay_patch(canvas, full, there, whole, left, row, column)
    made = values.copy()
    made[:, hole] = full[:, half:-half, half:-half][:, hole]
    return made


def _lay_patch(
    canvas: NDArray[np.float32],
    full: NDArray[np.float32],
    there: NDArray[np.bool_],
    whole: NDArray[np.bool_],
    left: NDArray[np.bool_],
    row: int,
    column: int,
) -> None:
    """Find the patch that fits best around a pixel, and take from it what is not there yet."""
    import cv2

    half = _PATCH_PX // 2
    top, start = max(0, row - half), max(0, column - half)
    bottom, end = min(there.shape[0], row + half + 1), min(there.shape[1], column + half + 1)
    place = (slice(top, bottom), slice(start, end))
    height, width = bottom - top, end - start
    area = (
        slice(max(0, top - _SEARCH_PX), min(there.shape[0], bottom + _SEARCH_PX)),
        slice(max(0, start - _SEARCH_PX), min(there.shape[1], end + _SEARCH_PX)),
    )
    if not whole[area].any():
        area = (slice(0, there.shape[0]), slice(0, there.shape[1]))
    mask = there[place].astype(np.float32)
    field = canvas[area]
    if field.shape[0] < height or field.shape[1] < width:
        return
    patch = canvas[place]
    if mask.any():
        weights = np.ascontiguousarray(np.repeat(mask[..., None], patch.shape[2], axis=2))
        cost = cv2.matchTemplate(field, np.ascontiguousarray(patch), cv2.TM_SQDIFF, mask=weights)
    else:
        cost = np.zeros((field.shape[0] - height + 1, field.shape[1] - width + 1), np.float32)
    # matchTemplate tells by the upper left corner, `whole` by the middle.
    middle = whole[area][half : half + cost.shape[0], half : half + cost.shape[1]]
    allowed = np.zeros(cost.shape, bool)
    allowed[: middle.shape[0], : middle.shape[1]] = middle
    if height != _PATCH_PX or width != _PATCH_PX or not allowed.any():
        allowed = allowed if allowed.any() else np.ones(cost.shape, bool)
    best = int(np.argmin(np.where(allowed, cost, np.inf)))
    down, across = divmod(best, cost.shape[1])
    from_rows, from_columns = area[0].start + down, area[1].start + across
    taken = (slice(from_rows, from_rows + height), slice(from_columns, from_columns + width))
    new = left[place] & there[taken]
    full[(slice(None), *place)][:, new] = full[(slice(None), *taken)][:, new]
    canvas[place][new] = canvas[taken][new]
    there[place] |= new
    left[place] &= ~new
