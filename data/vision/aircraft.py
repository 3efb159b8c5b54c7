"""Which type an aircraft is likely to be: its measured length and span against a table of published ones.

An oriented box gives the two sides; on the pixels inside and around it they are measured again, and the side
along which the outline mirrors itself is the fuselage. A type's distance is how many standard deviations the
measured pair is from its own: an image says how long and how wide a plane is to about a pixel at either end.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.progress import Progress
from data.raster.errors import RasterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLE = Path(__file__).with_name("aircraft.toml")
NAMES = ("plane", "airplane", "aircraft", "aeroplane", "small aircraft", "cargo plane", "passenger plane",
         "cargo/passenger plane", "fixed-wing aircraft")  # fmt: skip
"""What detectors call them."""
EDGE_PX = 0.7
"""How exactly one end of a plane is found, standard deviation in pixels."""
SHARE = 0.025
"""What a measured length is off by beside that, as a share: blur, shadow, views from aside."""
LIKELY = 2.5
"""Further away than so many standard deviations a type is no candidate."""
_CHIP_PX = 192
_MARGIN = 0.25


@dataclass(frozen=True)
class AircraftType:
    """A type as its maker publishes it."""

    name: str
    icao: str
    length_m: float
    span_m: float
    role: str
    source: str


@dataclass(frozen=True)
class Candidate:
    """A type that a measured plane may be."""

    type: AircraftType
    distance: float
    """Standard deviations between what was measured and what is published."""
    likelihood: float
    """Share among the types of the table, all taken for equally frequent: 0 to 1."""


@dataclass(frozen=True)
class MeasuredPlane:
    """One plane: how long and wide it is, and what it may be."""

    detection_id: int
    length_m: float
    span_m: float
    error_m: float
    """Standard deviation of either."""
    swapped: bool
    """Whether length and span may be the other way round: the outline does not say where the nose is."""
    how: str
    """`outline`: the mean of the box's sides and of the extents on the pixels; `box`: the sides alone."""
    candidates: tuple[Candidate, ...]


@cache
def types() -> tuple[AircraftType, ...]:
    """The table, by name."""
    content = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    sources = content["sources"]
    rows = [
        AircraftType(name, icao, float(length), float(span), role, sources[source])
        for name, icao, length, span, role, source in content["types"]["rows"]
    ]
    return tuple(sorted(rows, key=lambda each: each.name))


def rank(
    length_m: float, span_m: float, error_m: float, *, either_way: bool = False, most: int = 5
) -> tuple[Candidate, ...]:
    """The types nearest to a measured length and span, best first; none where none is within LIKELY.

    Distance: sqrt(((l - L) / s)² + ((w - W) / s)²) with s² = error² + (SHARE x size)²; likelihood
    exp(-distance² / 2), shared out among the types. `either_way`: the sides may be swapped.
    """
    found = []
    for each in types():
        ways = [(length_m, span_m), (span_m, length_m)] if either_way else [(length_m, span_m)]
        found.append((min(_distance(each, *way, error_m) for way in ways), each))
    found.sort(key=lambda pair: (pair[0], pair[1].name))
    weights = [math.exp(-(distance**2) / 2) for distance, _ in found]
    total = sum(weights) or 1.0
    return tuple(
        Candidate(each, round(distance, 3), round(weight / total, 4))
        for (distance, each), weight in zip(found[:most], weights, strict=False)
        if distance <= LIKELY
    )


def _distance(each: AircraftType, length_m: float, span_m: float, error_m: float) -> float:
    parts = []
    for measured, published in ((length_m, each.length_m), (span_m, each.span_m)):
        sigma = math.hypot(error_m, SHARE * published)
        parts.append((measured - published) / sigma)
    return math.hypot(*parts)


def measure_planes(
    progress: Progress,
    image: Path,
    planes: Sequence[tuple[int, Sequence[tuple[float, float]]]],
    *,
    radar: bool = False,
    gsd_m: float | None = None,
    most: int = 5,
) -> list[MeasuredPlane]:
    """Measure planes (a detection's id and its outline in pixels) and rank what they may be.

    Lengths on the ground come from the image's place, or from `gsd_m`, the side of a pixel in metres, where
    it has none. In radar (`radar`) the bright returns are measured. Raises RasterError without either.
    """
    from data.raster.files import opened
    from data.vision.ground import ground_of

    ground = ground_of(image)
    if ground is None and gsd_m is None:
        raise RasterError(
            f"{image.name} says no size of its pixels, so nothing in it has a length; give gsd_m, in metres."
        )
    found = []
    with opened(image) as source:
        for done, (number, outline) in enumerate(planes):
            progress.tell(done / len(planes), f"Measured {done:,} of {len(planes):,} planes.")
            box = _box(np.asarray(outline, dtype=np.float64))
            pixel_m = _pixel_sides_m(box, ground, gsd_m)
            seen = _measured(source, box, radar)
            plane = MeasuredPlane(
                number,
                round(float(seen.along_px * pixel_m[0]), 2),
                round(float(seen.across_px * pixel_m[1]), 2),
                round(EDGE_PX * math.sqrt(2) * float(np.mean(pixel_m)), 2),
                seen.axis is None,
                seen.how,
                (),
            )
            if seen.axis == 1:
                plane = replace(plane, length_m=plane.span_m, span_m=plane.length_m)
            ranked = rank(plane.length_m, plane.span_m, plane.error_m, either_way=plane.swapped, most=most)
            if plane.swapped and ranked:
                plane = _as_the_best(plane, ranked[0])
            found.append(replace(plane, candidates=ranked))
    return found


def _as_the_best(plane: MeasuredPlane, best: Candidate) -> MeasuredPlane:
    """Length and span the way round that the nearest type has them."""
    longer = max(plane.length_m, plane.span_m)
    shorter = min(plane.length_m, plane.span_m)
    if best.type.length_m >= best.type.span_m:
        return replace(plane, length_m=longer, span_m=shorter)
    return replace(plane, length_m=shorter, span_m=longer)


@dataclass(frozen=True)
class _Extent:
    along_px: float
    across_px: float
    axis: int | None
    """Which side the fuselage lies along: 0 the first, 1 the second; None where the outline does not say."""
    how: str


def _box(outline: NDArray[np.float64]) -> NDArray[np.float64]:
    """(4, 2) corners of the least rectangle around an outline, in order, x right and y down."""
    from shapely.geometry import MultiPoint

    if len(outline) == 4:
        sides = np.diff(np.vstack([outline, outline[:1]]), axis=0)
        square = abs(float(sides[0] @ sides[1])) <= 0.02 * float(np.hypot(*sides[0]) * np.hypot(*sides[1]))
        if square:
            return outline
    around = MultiPoint(outline).minimum_rotated_rectangle
    corners = np.asarray(getattr(around, "exterior", around).coords)
    return corners[:4] if len(corners) >= 4 else np.repeat(outline[:1], 4, axis=0)


def _pixel_sides_m(box: NDArray[np.float64], ground: Any, gsd_m: float | None) -> tuple[float, float]:
    """How long a pixel's step is on the ground along the box's first side and along its second, metres."""
    if ground is None:
        return float(gsd_m or 1), float(gsd_m or 1)
    from pyproj import Geod

    geod = Geod(ellps="WGS84")
    found = []
    for one, two in ((box[0], box[1]), (box[1], box[2])):
        lonlat = ground.lonlat(np.stack([one, two]))
        _, _, metres = geod.inv(*lonlat[0], *lonlat[1])
        found.append(float(metres) / max(float(np.hypot(*(two - one))), 1e-9))
    return found[0], found[1]


def _measured(source: Any, box: NDArray[np.float64], radar: bool) -> _Extent:
    """A plane's two extents on the pixels; the box's own sides where its outline cannot be told."""
    sides = np.hypot(*(box[1] - box[0])), np.hypot(*(box[2] - box[1]))
    plain = _Extent(float(sides[0]), float(sides[1]), None, "box")
    if min(sides) < 6:
        return plain
    chip, step = _chip(source, box, sides)
    if chip is None:
        return plain
    mask = _the_one(_bright(chip) if radar else _unlike_around(chip))
    if mask is None:
        return plain
    rows, columns = _reach(mask.sum(axis=1)), _reach(mask.sum(axis=0))
    along, across = columns * step, rows * step
    # An outline far from the box is something else: a stand, a shadow, a neighbour.
    if not (0.8 <= along / sides[0] <= 1.2 and 0.8 <= across / sides[1] <= 1.2):
        return replace(plain, axis=_fuselage(mask))
    # Both are right to about a pixel and err for different reasons, so their mean is better than either.
    return _Extent((along + sides[0]) / 2, (across + sides[1]) / 2, _fuselage(mask), "outline")


def _chip(
    source: Any, box: NDArray[np.float64], sides: tuple[Any, Any]
) -> tuple[NDArray[np.float32] | None, float]:
    """(bands, rows, columns) turned so that the box is upright, with a margin, and the pixels of a step."""
    import cv2
    from rasterio.errors import RasterioError
    from rasterio.windows import Window

    from data.raster.bands import band_names, find_band

    centre = box.mean(axis=0)
    across, down = (1 + 2 * _MARGIN) * float(sides[0]), (1 + 2 * _MARGIN) * float(sides[1])
    step = max(max(across, down) / _CHIP_PX, 0.25)
    size = max(8, round(across / step)), max(8, round(down / step))
    x = (box[1] - box[0]) / float(sides[0])
    y = (box[2] - box[1]) / float(sides[1])
    reach = math.hypot(across, down) / 2 + 2
    left, top = (max(0, math.floor(each)) for each in centre - reach)
    right = min(source.width, math.ceil(float(centre[0] + reach)))
    bottom = min(source.height, math.ceil(float(centre[1] + reach)))
    if right - left < 8 or bottom - top < 8:
        return None, step
    names = band_names(source)
    bands = [at for name in ("red", "green", "blue") if (at := find_band(names, name))]
    bands = bands if len(bands) == 3 else list(range(1, min(3, source.count) + 1))
    try:
        values = source.read(bands, window=Window(left, top, right - left, bottom - top))
    except RasterioError:
        raise RasterError(f"{Path(source.name).name} is broken: its pixels cannot be read.") from None
    plain = np.abs(values) if values.dtype.kind == "c" else values
    plain = np.nan_to_num(plain.astype(np.float32))
    # From the chip's pixel middles to those of what was read: pixel (0, 0) has its middle at (0.5, 0.5).
    first = centre - x * (size[0] - 1) * step / 2 - y * (size[1] - 1) * step / 2 - (left + 0.5, top + 0.5)
    turn = np.array([[x[0] * step, y[0] * step, first[0]], [x[1] * step, y[1] * step, first[1]]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    turned = [
        cv2.warpAffine(band, turn, size, flags=flags, borderMode=cv2.BORDER_REPLICATE) for band in plain
    ]
    return np.stack(turned), step


def _unlike_around(chip: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where a chip is unlike the ring around the box, by Otsu's threshold on the colour distance.

    A shadow is darker than the ground: where much of what is unlike is brighter, only that is the plane.
    """
    import cv2

    ring = np.ones(chip.shape[1:], dtype=bool)
    down, across = (round(side * _MARGIN / (1 + 2 * _MARGIN) * 0.7) for side in chip.shape[1:])
    ring[down:-down, across:-across] = False
    around = np.median(chip[:, ring], axis=1)[:, None, None]
    spread = np.median(np.abs(chip[:, ring] - around[:, 0]), axis=1)[:, None, None] + 1.0
    away = np.sqrt((((chip - around) / spread) ** 2).mean(axis=0))
    scaled = np.clip(away / max(float(np.percentile(away, 99.5)), 1e-6) * 255, 0, 255).astype(np.uint8)
    threshold, _ = cv2.threshold(scaled, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    # Otsu sets it between the middles of both; an edge lies where half of the contrast is reached.
    unlike: NDArray[np.bool_] = scaled > max(threshold * 0.8, 1)
    brighter: NDArray[np.bool_] = unlike & ((chip - around).mean(axis=0) > 0)
    return brighter if brighter.sum() > 0.5 * unlike.sum() else unlike


def _bright(chip: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where radar returns far more than the ground around: three deviations above its median, smoothed."""
    import cv2

    smooth = cv2.GaussianBlur(chip.mean(axis=0), (0, 0), 1.5)
    ring = np.ones(smooth.shape, dtype=bool)
    down, across = (round(side * _MARGIN / (1 + 2 * _MARGIN) * 0.7) for side in smooth.shape)
    ring[down:-down, across:-across] = False
    around = float(np.median(smooth[ring]))
    spread = 1.4826 * float(np.median(np.abs(smooth[ring] - around)))
    found: NDArray[np.bool_] = smooth > around + 3 * max(spread, 1e-6)
    return found


def _the_one(mask: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """What lies in the chip's middle and hangs together, gaps of a step closed; None for next to nothing."""
    import cv2

    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, kernel)
    closed = cv2.morphologyEx(closed, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3)))
    count, labels = cv2.connectedComponents(closed, connectivity=8)
    height, width = mask.shape
    middle = labels[height // 3 : height - height // 3, width // 3 : width - width // 3]
    sizes = np.bincount(middle.ravel(), minlength=count)
    sizes[0] = 0
    if sizes.max(initial=0) < 0.05 * middle.size:
        return None
    # Engines and tails come off thin wings: whatever is large enough and inside the box counts with it.
    inside = np.zeros(mask.shape, dtype=bool)
    down, across = (round(side * _MARGIN / (1 + 2 * _MARGIN) * 0.6) for side in mask.shape)
    inside[down : height - down, across : width - across] = True
    largest = int(sizes.argmax())
    parts = np.bincount(labels[inside].ravel(), minlength=count)
    kept = [at for at in range(1, count) if at == largest or parts[at] >= 0.1 * parts[largest]]
    plane: NDArray[np.bool_] = np.isin(labels, kept) & inside
    return plane


def _reach(profile: NDArray[Any]) -> float:
    """From the first to the last row of which anything belongs to the plane, in steps."""
    some = np.flatnonzero(profile >= 2)
    return float(some[-1] - some[0] + 1) if len(some) else 0.0


def _fuselage(mask: NDArray[np.bool_]) -> int | None:
    """The side along which the outline mirrors itself: 0 across the chip, 1 down; None where both do.

    A plane seen from above is the same left and right of its fuselage and differs from nose to tail.
    """
    ys, xs = np.nonzero(mask)
    if len(xs) < 20:
        return None
    cut = mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    scores = []
    for axis in (0, 1):  # turned over top to bottom it is the same for a fuselage that lies across
        turned = np.flip(cut, axis=axis)
        best = 0.0
        for shift in (-2, -1, 0, 1, 2):
            moved = np.roll(turned, shift, axis=axis)
            best = max(best, float((cut & moved).sum()) / max(float((cut | moved).sum()), 1.0))
        scores.append(best)
    if abs(scores[0] - scores[1]) < 0.25:
        return None
    return 0 if scores[0] > scores[1] else 1
