"""New and lost buildings between two aerial images: a building's shape in one and not in the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.vision.masks import UNKNOWN
from data.vision.together import Together

if TYPE_CHECKING:
    from data.raster.windows import Band, Place

THRESHOLD = 0.05
"""Evidence of a building from which one that was not there is new."""
_LOST = 0.15
"""For one that is gone more is asked: shrubs and bare soil of a dry season look like roofs."""
_FINE_M = 0.5
"""The pixel that sizes are given for; an image without a place is taken to have it."""
_LEAST_PX, _MOST_PX, _NARROW_PX = 150, 5_000, 11
_FULL, _DRAWN_OUT = 0.64, 2.6
_GREEN = 0.04
_ALIKE = 0.4
_LEAST_EVIDENCE = 0.03
_STRIP_PX = 4_000_000
_CELL_PX = 64
_PERCENTILES = tuple(range(4, 97, 4))
CHANNELS = ("light", "dark", "grey", "coloured")
"""What a patch may stand out by."""


@dataclass(frozen=True)
class Tones:
    """What an image's values mean, taken of the whole of it: the same wherever it is cut."""

    span: tuple[float, float]
    """What becomes 0 and 255."""
    least_green: float
    """Excess of green from which a pixel is a plant's."""
    darkest: float
    """The lightness under which a pixel lies in shadow."""
    levels: tuple[tuple[float, ...], ...]
    """The thresholds of each of CHANNELS."""


@dataclass(frozen=True)
class Part:
    """A patch that may be a building: where in the image, its pixels, and how much speaks for it."""

    where: tuple[slice, slice]
    pixels: NDArray[np.bool_]
    evidence: float
    alike: float
    """How much the gradients of both images agree in it, -1 to 1."""
    threshold: tuple[int, int]
    """The channel and the level that it stands out at."""

    @property
    def order(self) -> tuple[float, ...]:
        """The best first, and always the same one of those that are as good."""
        return (-self.evidence, *self.threshold, self.where[0].start, self.where[1].start)


def write_building_change(progress: Progress, pair: Together, later: Path, raw: Path) -> float:
    """Write two float32 bands: 1 where a building was built or lost, and the evidence; the threshold used.

    In each image, patches at rising thresholds of lightness and of colour form trees (Salembier, Oliveras
    and Garrido 1998, Antiextensive connected operators for image and sequence processing, IEEE TIP 7(4),
    555-570); those are building-like that fill a rectangle, are neither green nor shadow, even inside and
    set off from what is around them, more so beside a shadow. One is new when the other image has none
    there and its gradients do not agree. `later` holds the second image's shared bands, matched. The
    thresholds are those of the whole image, and patches are weighed against each other all over it: nothing
    depends on where it is cut.
    """
    from data.raster.windows import Band, Block, compute, grid_of
    from data.vision.blocks import followed
    from data.vision.pairs import finite_all
    from data.vision.sea import pixel_m

    grid = grid_of(pair.before)
    gsd = (pixel_m(pair.before) if pair.placed else None) or _FINE_M
    scale = float(np.clip(_FINE_M / gsd, 0.2, 2.0))
    colours = _colours(pair)
    sources = [Band(pair.before, pair.before_bands), Band(later, tuple(range(1, len(pair.before_bands) + 1)))]
    tones = _tones(sources, colours)
    found: tuple[list[Part], list[Part]] = ([], [])

    def look(blocks: list[Block], place: Place) -> NDArray[Any]:
        known = finite_all(blocks)
        both = [
            as_picture(block[colours], known, each.span) for block, each in zip(blocks, tones, strict=True)
        ]
        alike = _alike(both[0], both[1], _alike_px(scale))
        for parts, picture, each in zip(found, both, tones, strict=True):
            parts += _placed(building_parts(picture, known, alike, each, scale), place)
        return known.astype(np.uint8)

    seen = raw.with_name("known.tif")
    size, halo = grid.width * grid.height, _halo_px(scale)
    looking = followed(progress, "Looking for buildings", size, look, (0.4, 0.85))
    compute(sources, seen, looking, halo=halo, dtype="uint8", nodata=None, pixels=_STRIP_PX)
    changes = changed_parts(best_apart(found[0]), best_apart(found[1]))

    def mark(blocks: list[Block], place: Place) -> NDArray[Any]:
        known = blocks[0][0] == 1
        changed, evidence = painted(changes, place, known.shape)
        return np.stack([np.where(known, each, UNKNOWN) for each in (changed & known, evidence)])

    compute(
        [Band(seen)],
        raw,
        followed(progress, "Marking buildings", size, mark, (0.85, 0.9)),
        halo=1,
        count=2,
        nodata=UNKNOWN,
        descriptions=("changed", "evidence of a building"),
    )
    return THRESHOLD


def _colours(pair: Together) -> list[int]:
    """The places of red, green and blue among the shared bands; the first three where they have no names."""
    if all(each in pair.names for each in ("red", "green", "blue")):
        return [pair.names.index(each) for each in ("red", "green", "blue")]
    return [0, 1, 2] if len(pair.names) >= 3 else [0, 0, 0]


def _alike_px(scale: float) -> float:
    return 5.0 * max(scale, 0.5)


def _halo_px(scale: float) -> int:
    """How far around a block is looked at: as far as a building reaches, and what is measured around it.

    The longest that `_rectangles` lets through is 143 pixels long and 55 wide at a scale of 1.
    """
    longest = math.sqrt(_DRAWN_OUT * _MOST_PX / _FULL) * scale
    return math.ceil(math.hypot(longest, longest / _DRAWN_OUT) + 4 * _alike_px(scale)) + 16


def _tones(sources: list[Band], colours: list[int]) -> list[Tones]:
    """What the values of both images mean, from windows spread over them."""
    from data.vision.pairs import finite_all, pair_samples

    blocks = list(pair_samples(sources))
    known = [finite_all(each) for each in blocks]
    return [tones_of([each[at][colours] for each in blocks], known) for at in (0, 1)]


def tones_of(blocks: list[NDArray[Any]], known: list[NDArray[np.bool_]]) -> Tones:
    """What the values of an image mean, from blocks (red, green and blue; rows, columns) of it.

    Values over 255 are stretched between their 1st and 99th percentile, shares are taken to 1; plants are
    greener than the image's median by 0.03, and a tenth of it lies in shadow.
    """
    values = np.concatenate([each[:, there] for each, there in zip(blocks, known, strict=True)], axis=1)
    if not values.size:
        return Tones((0.0, 255.0), _GREEN, 0.0, ((),) * len(CHANNELS))
    greatest, span = float(values.max()), (0.0, 255.0)
    if greatest > 255.0:
        low, high = (float(each) for each in np.percentile(values, (1, 99)))
        span = low, max(high, low + 1e-6)
    elif greatest <= 1.0:
        span = 0.0, 1.0
    pictures = [as_picture(each, there, span) for each, there in zip(blocks, known, strict=True)]
    greens = np.concatenate([_green(each)[there] for each, there in zip(pictures, known, strict=True)])
    plain = Tones(span, max(_GREEN, float(np.median(greens)) + 0.03), 0.0, ())
    channels = [_channels(_lab(each)) for each in pictures]
    light = np.concatenate([each[0][there] for each, there in zip(channels, known, strict=True)])
    dark = replace(plain, darkest=float(np.percentile(light, 10)))
    allowed = [
        _allowed(picture, each[0], there, dark)
        for picture, each, there in zip(pictures, channels, known, strict=True)
    ]
    levels = []
    for at in range(len(CHANNELS)):
        part = np.concatenate([each[at][there] for each, there in zip(channels, allowed, strict=True)])
        levels.append(tuple(np.unique(np.percentile(part, _PERCENTILES)).tolist()) if part.size else ())
    return replace(dark, levels=tuple(levels))


def as_picture(block: NDArray[Any], known: NDArray[np.bool_], span: tuple[float, float]) -> NDArray[np.uint8]:
    """(rows, columns, 3) bytes of (3, rows, columns), from `span` to 0 to 255."""
    values = np.where(known, block, 0).astype(np.float32)
    if span != (0.0, 255.0):
        values = 255 * (values - np.float32(span[0])) / np.float32(span[1] - span[0])
    return np.ascontiguousarray(np.clip(values, 0, 255).astype(np.uint8).transpose(1, 2, 0))


def _lab(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """CIE L*a*b* as OpenCV has it in bytes, smoothed between edges."""
    import cv2

    return cv2.cvtColor(cv2.bilateralFilter(picture, 9, 30, 5), cv2.COLOR_RGB2LAB).astype(np.float32)


def _channels(lab: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
    """What patches stand out in, each of CHANNELS."""
    light = lab[..., 0]
    chroma = np.hypot(lab[..., 1] - 128, lab[..., 2] - 128)
    return light, -light, -chroma, chroma


def _green(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(rows, columns): excess of green."""
    levels = picture.astype(np.float32) / 255
    excess = (2 * levels[..., 1] - levels[..., 0] - levels[..., 2]) / (levels.sum(axis=2) + 1e-3)
    return np.asarray(excess, np.float32)


def _allowed(
    picture: NDArray[np.uint8], light: NDArray[np.float32], known: NDArray[np.bool_], tones: Tones
) -> NDArray[np.bool_]:
    """Where a building may be: neither plants nor shadow."""
    import cv2

    plants = np.asarray(cv2.GaussianBlur(_green(picture), (0, 0), 1.5)) >= tones.least_green
    return ~plants & (light >= tones.darkest) & known


def building_parts(
    picture: NDArray[np.uint8],
    known: NDArray[np.bool_],
    alike: NDArray[np.float32],
    tones: Tones,
    scale: float,
) -> list[Part]:
    """Building-like patches of a picture (red, green, blue), of all thresholds: they lie over each other."""
    lab = _lab(picture)
    channels = _channels(lab)
    allowed = _allowed(picture, channels[0], known, tones)
    shadow = channels[0] < tones.darkest
    return [
        Part(where, pixels, evidence, float(alike[where][pixels].mean()), (at, number))
        for at, (channel, levels) in enumerate(zip(channels, tones.levels, strict=True))
        for number, level in enumerate(levels)
        for where, pixels, evidence in _rectangles((channel > level) & allowed, lab, shadow, scale)
        if evidence >= _LEAST_EVIDENCE
    ]


def _placed(parts: list[Part], place: Place) -> Iterator[Part]:
    """The patches that begin in a block without its margin, in the image's rows and columns."""
    halo, window = place.halo, place.window
    for part in parts:
        row, column = part.where[0].start - halo, part.where[1].start - halo
        if 0 <= row < window.height and 0 <= column < window.width:
            rows, columns = (
                slice(each.start + first, each.stop + first)
                for each, first in zip(part.where, (place.first_row, place.first_column), strict=True)
            )
            yield replace(part, where=(rows, columns))


class _Laid:
    """Patches by where they lie, so that those that meet another are found at once."""

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self._cells: dict[tuple[int, int], list[Part]] = {}
        for each in parts:
            self.add(each)

    def add(self, part: Part) -> None:
        for cell in _cells_of(part.where):
            self._cells.setdefault(cell, []).append(part)

    def share(self, part: Part) -> float:
        """How much of a patch they cover, 0 to 1."""
        covered = np.zeros(part.pixels.shape, bool)
        near = {id(each): each for cell in _cells_of(part.where) for each in self._cells.get(cell, ())}
        for each in near.values():
            draw(covered, (part.where[0].start, part.where[1].start), each, True)
        return float(covered[part.pixels].mean())


def _cells_of(where: tuple[slice, slice]) -> list[tuple[int, int]]:
    rows, columns = (range(each.start // _CELL_PX, (each.stop - 1) // _CELL_PX + 1) for each in where)
    return [(row, column) for row in rows for column in columns]


def draw(target: NDArray[Any], first: tuple[int, int], part: Part, value: float) -> None:
    """Set a patch's pixels in (rows, columns) whose corner has that row and column of the image."""
    inner, outer = [], []
    for side, start, size in zip(part.where, first, target.shape, strict=True):
        low, high = max(side.start, start), min(side.stop, start + size)
        if low >= high:
            return
        inner.append(slice(low - start, high - start))
        outer.append(slice(low - side.start, high - side.start))
    target[tuple(inner)][part.pixels[tuple(outer)]] = value


def best_apart(parts: Iterable[Part]) -> list[Part]:
    """Patches that hardly overlap, the best first."""
    laid, chosen = _Laid(), []
    for part in sorted(parts, key=lambda each: each.order):
        if laid.share(part) <= 0.2:
            laid.add(part)
            chosen.append(part)
    return chosen


def changed_parts(before: list[Part], after: list[Part]) -> list[Part]:
    """The buildings that are new, and those that are lost."""
    changed = []
    for mine, other, least in ((after, before, THRESHOLD), (before, after, _LOST)):
        there = _Laid(each for each in other if each.evidence >= THRESHOLD)
        changed += [
            each
            for each in mine
            if each.evidence >= least and each.alike < _ALIKE and there.share(each) < 0.3
        ]
    return changed


def painted(
    changes: list[Part], place: Place, shape: tuple[int, ...]
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """A block of the result: where changes are, grown by a pixel, and the evidence for them, 0 to 1."""
    from scipy import ndimage

    changed, evidence = np.zeros(shape, bool), np.zeros(shape, np.float32)
    corner = place.first_row, place.first_column
    for part in changes:
        draw(changed, corner, part, True)
        draw(evidence, corner, part, min(1.0, part.evidence))
    return np.asarray(ndimage.binary_dilation(changed)), evidence


def _rectangles(
    mask: NDArray[np.bool_], lab: NDArray[np.float32], shadow: NDArray[np.bool_], scale: float
) -> Iterator[tuple[tuple[slice, slice], NDArray[np.bool_], float]]:
    """The patches of a mask that fill a rectangle of a building's size: where, pixels, evidence.

    One that the mask's border cuts may be part of something larger, and is none.
    """
    import cv2
    from scipy import ndimage

    side = max(3, round(5 * scale) | 1)
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    labels, _ = ndimage.label(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, disk))
    for number, where in enumerate(ndimage.find_objects(labels), start=1):
        if any(each.start == 0 or each.stop == size for each, size in zip(where, mask.shape, strict=True)):
            continue
        tall, wide = (each.stop - each.start for each in where)
        if min(tall, wide) < _NARROW_PX * scale or tall * wide < _LEAST_PX * scale**2:
            continue
        pixels = ndimage.binary_fill_holes(labels[where] == number)
        area = int(pixels.sum())
        if not _LEAST_PX * scale**2 <= area <= _MOST_PX * scale**2:
            continue
        rows, columns = np.nonzero(pixels)
        _, sides, _ = cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))
        short, long = sorted(float(each) + 1 for each in sides)
        full = area / (short * long)
        if full >= _FULL and long <= _DRAWN_OUT * short and short >= _NARROW_PX * scale:
            yield where, pixels, _evidence(where, pixels, full, lab, shadow)


def _evidence(
    where: tuple[slice, slice],
    pixels: NDArray[np.bool_],
    full: float,
    lab: NDArray[np.float32],
    shadow: NDArray[np.bool_],
) -> float:
    """Fuller, evener, more set off from its surroundings, beside a shadow: the more like a building."""
    from scipy import ndimage

    top, left = max(0, where[0].start - 5), max(0, where[1].start - 5)
    part = np.s_[top : where[0].stop + 5, left : where[1].stop + 5]
    here = np.zeros(shadow[part].shape, bool)
    here[where[0].start - top : where[0].stop - top, where[1].start - left : where[1].stop - left] = pixels
    ring = ndimage.binary_dilation(here, iterations=4) & ~ndimage.binary_dilation(here)
    inside = ndimage.binary_erosion(here, iterations=2)
    if not inside.any() or not ring.any():
        return 0.0
    colours = lab[part]
    apart = float(np.abs(colours[inside].mean(axis=0) - colours[ring].mean(axis=0)).sum())
    uneven = float(colours[..., 0][inside].std())
    beside = float(shadow[part][ring].mean())
    return (full - 0.5) * min(1.0, apart / 20) * float(np.exp(-uneven / 15)) * (0.3 + min(1.0, beside / 0.2))


def _alike(one: NDArray[np.uint8], two: NDArray[np.uint8], sigma: float) -> NDArray[np.float32]:
    """How much the gradients of two pictures point the same way around each pixel, -1 to 1."""
    import cv2

    grey = [
        cv2.GaussianBlur(cv2.cvtColor(each, cv2.COLOR_RGB2GRAY).astype(np.float32), (0, 0), 1.0)
        for each in (one, two)
    ]
    (ax, ay), (bx, by) = (
        (cv2.Sobel(each, cv2.CV_32F, 1, 0), cv2.Sobel(each, cv2.CV_32F, 0, 1)) for each in grey
    )

    def around(values: NDArray[Any]) -> Any:
        return cv2.GaussianBlur(values, (0, 0), sigma)

    both = np.sqrt(around(ax * ax + ay * ay) * around(bx * bx + by * by)) + 1e-3
    return np.asarray(around(ax * bx + ay * by) / both, np.float32)
