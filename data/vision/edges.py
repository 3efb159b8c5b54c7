"""Edges of an image: Canny, Sobel's gradient, and for radar the ratio of averages."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from data.progress import Progress
from data.raster.errors import RasterError
from data.raster.files import BLOCK_PX, opened
from data.raster.windows import STRIP_PX, Band, Block, Place, compute, grid_of
from data.vision.blocks import followed, samples, visible_bands
from data.vision.noise import sigma_of

Method = Literal["auto", "canny", "sobel", "ratio"]
NONE, EDGE, UNKNOWN = 0, 1, 255
_WEAK, _STRONG = 1, 2
SCALES_PX = (1.0, 1.4, 2.0, 2.8, 4.0)
FALSE_ALARM = 1e-3
"""Share of pixels of even ground that the ratio of averages may take for edges."""
_ROA_HALF = 4
_STRIP_ROWS = 512


@dataclass(frozen=True)
class Edges:
    """What the edges were found with, and how dense they are."""

    method: str
    edge_px: int
    known_px: int
    scale_px: float | None
    """Of Canny and Sobel: sigma of the Gaussian that the image was smoothed by."""
    low: float | None
    high: float | None
    """Canny's and Sobel's limits, in the image's numbers a pixel; the ratio's limit is `high`."""

    @property
    def density_percent(self) -> float:
        """Share of the pixels with a value that lie on an edge."""
        return 100.0 * self.edge_px / max(self.known_px, 1)


def find_edges(
    progress: Progress,
    source: Path,
    target: Path,
    *,
    method: Method = "canny",
    radar: bool = False,
    tags: Mapping[str, str] | None = None,
) -> Edges:
    """Write bytes: 1 on an edge, 0 beside, 255 no value; for "sobel" the gradient, float32, a pixel.

    "canny": Canny (1986), A computational approach to edge detection, IEEE PAMI 8, 679-698, on the mean of
    the visible bands (of the first three where none is named, of the first in radar). The smoothing is the
    least of five at which noise alone passes the upper limit in less than one pixel of a million (Elder and
    Zucker 1998, Local scale control for edge detection and blur estimation, IEEE PAMI 20, 699-716); the upper
    limit is no less than the gradient of the upper tenth of the pixels, the lower 0.4 of it. Edges are
    followed across all blocks: their outcome does not depend on where the blocks part. "ratio": the ratio of
    averages of Touzi, Lopes and Bousquet (1988), A statistical and geometrical edge detector for SAR images,
    IEEE Transactions on Geoscience and Remote Sensing 26, 764-773, in windows of 9 x 9 with a false alarm of
    0.1 % on even ground, thinned. "auto"
    is "ratio" for `radar`, else "canny". Raises RasterError.
    """
    chosen = ("ratio" if radar else "canny") if method == "auto" else method
    progress.tell(0.0, "Looking for the scale.")
    if chosen == "ratio":
        return _by_ratio(progress, source, target, tags)
    bands = _bands(source)
    scale, low, high = _limits(source, bands)
    if chosen == "sobel":
        return _sobel(progress, source, target, bands, scale, low, high, tags)
    raw = target.with_name(f".{target.stem}-{secrets.token_hex(4)}.tif")
    try:
        _suppressed(progress, source, raw, bands, scale, low, high)
        edge, known = _followed_edges(progress, raw, target, tags)
    finally:
        raw.unlink(missing_ok=True)
    return Edges("canny", edge, known, scale, low, high)


def _bands(source: Path) -> tuple[int, ...]:
    found = visible_bands(source)
    if found is not None:
        return found
    with opened(source) as reader:
        return tuple(range(1, min(reader.count, 3) + 1))


def _grey(block: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(block.mean(axis=0), np.float32)


def _limits(source: Path, bands: tuple[int, ...]) -> tuple[float, float, float]:
    """The smoothing, and the lower and upper limit of the gradient."""
    windows = [_grey(each) for each in samples(source, numbers=bands)]
    sigma = sigma_of(windows)
    sigma = sigma if math.isfinite(sigma) else 0.0
    scale, high = SCALES_PX[0], 0.0
    for scale in SCALES_PX:
        sizes = []
        for each in windows:
            across, down = _gradient(each, scale)
            size = np.hypot(across, down)
            sizes.append(size[np.isfinite(size)])
        every = np.concatenate(sizes)
        if every.size == 0:
            raise RasterError("The image has no pixel with a value to find edges at.")
        # The gradient of white noise under a Gaussian derivative is Rayleigh distributed with this deviation.
        noise = sigma / (2.0 * math.sqrt(2.0 * math.pi) * scale**2)
        chance = noise * math.sqrt(-2.0 * math.log(1e-6))
        strong = float(np.quantile(every, 0.9))
        high = max(strong, chance, 1e-9)
        if chance <= strong:
            break
    return scale, 0.4 * high, high


def _gradient(grey: NDArray[Any], scale: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Derivatives of the smoothed image, a pixel; not-a-number where the window reaches a hole."""
    import cv2

    size = 2 * math.ceil(3 * scale) + 1
    at = np.arange(size) - size // 2
    bell = np.exp(-0.5 * (at / scale) ** 2)
    bell /= bell.sum()
    slope = -at / scale**2 * bell
    slope /= -(slope * at).sum()
    smooth, steep = bell.astype(np.float32), (-slope).astype(np.float32)
    border = cv2.BORDER_REPLICATE
    # Filters of OpenCV correlate: a ramp upwards to the right must come out positive.
    if (steep * at).sum() < 0:
        steep = -steep
    grey = np.ascontiguousarray(grey, np.float32)
    across = cv2.sepFilter2D(grey, cv2.CV_32F, steep, smooth, borderType=border)
    down = cv2.sepFilter2D(grey, cv2.CV_32F, smooth, steep, borderType=border)
    return np.asarray(across, np.float32), np.asarray(down, np.float32)


def _suppressed(
    progress: Progress,
    source: Path,
    raw: Path,
    bands: tuple[int, ...],
    scale: float,
    low: float,
    high: float,
) -> None:
    """Write 2 on strong and 1 on weak crests of the gradient, 0 beside them, 255 without a value."""
    grid = grid_of(source)

    def crests(blocks: list[Block], _: Place) -> NDArray[Any]:
        grey = _grey(blocks[0])
        across, down = _gradient(_edge_filled(grey), scale)
        size = np.hypot(across, down)
        crest = _on_crest(size, across, down)
        made = np.where(crest & (size >= low), _WEAK, 0).astype(np.uint8)
        made[crest & (size >= high)] = _STRONG
        made[_near_hole(grey, math.ceil(scale))] = 0
        made[~np.isfinite(grey)] = UNKNOWN
        return made

    compute(
        [Band(source, bands)],
        raw,
        followed(progress, "Looking for edges", grid.width * grid.height, crests, (0.1, 0.7)),
        halo=math.ceil(3 * SCALES_PX[-1]) + 3,
        dtype="uint8",
        nodata=UNKNOWN,
        pixels=STRIP_PX // 4,
    )


def _edge_filled(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    from data.vision.blocks import nearest_filled

    return nearest_filled(grey)


def _near_hole(grey: NDArray[np.float32], reach: int) -> NDArray[np.bool_]:
    """Where a hole or the raster's end is near: an edge there is the hole's, not the ground's."""
    import cv2

    square = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    return np.asarray(cv2.dilate((~np.isfinite(grey)).astype(np.uint8), square) > 0)


def _on_crest(size: NDArray[Any], across: NDArray[Any], down: NDArray[Any]) -> NDArray[np.bool_]:
    """Where the gradient is greatest along its own direction, between its neighbours as they lie there."""
    padded = np.pad(size, 1, mode="edge")

    def moved(rows: int, columns: int) -> NDArray[Any]:
        return padded[1 + rows : 1 + rows + size.shape[0], 1 + columns : 1 + columns + size.shape[1]]

    flat = np.abs(across) >= np.abs(down)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(flat, np.abs(down) / np.abs(across), np.abs(across) / np.abs(down))
    share = np.nan_to_num(share)
    same = (across * down) >= 0
    ahead = np.where(
        flat,
        (1 - share) * moved(0, 1) + share * np.where(same, moved(1, 1), moved(-1, 1)),
        (1 - share) * moved(1, 0) + share * np.where(same, moved(1, 1), moved(1, -1)),
    )
    behind = np.where(
        flat,
        (1 - share) * moved(0, -1) + share * np.where(same, moved(-1, -1), moved(1, -1)),
        (1 - share) * moved(-1, 0) + share * np.where(same, moved(-1, -1), moved(-1, 1)),
    )
    # Of a crest two pixels wide the one that comes first counts.
    made: NDArray[np.bool_] = (size > behind) & (size >= ahead) & (size > 0)
    return made


def _strips(height: int) -> Iterator[tuple[int, int]]:
    rows = _STRIP_ROWS // BLOCK_PX * BLOCK_PX or BLOCK_PX
    for top in range(0, height, rows):
        yield top, min(rows, height - top)


def _followed_edges(
    progress: Progress, raw: Path, target: Path, tags: Mapping[str, str] | None
) -> tuple[int, int]:
    """Keep the weak crests that hang together with a strong one, whatever block that lies in."""
    import rasterio
    from scipy.ndimage import label

    from data.uploads.gdal import quiet_gdal

    eight = np.ones((3, 3))
    parents: list[int] = [0]
    strong: list[bool] = [False]

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    with quiet_gdal(), rasterio.open(raw) as crests:
        bases: list[int] = []
        above: NDArray[Any] | None = None
        for top, height in _strips(crests.height):
            progress.tell(0.7 + 0.15 * top / crests.height, "Following edges across the image.")
            values = crests.read(1, window=Window(0, top, crests.width, height))
            labels, count = label((values == _WEAK) | (values == _STRONG), structure=eight)
            base = len(parents) - 1
            bases.append(base)
            parents.extend(range(base + 1, base + 1 + count))
            has = np.zeros(count + 1, bool)
            has[np.unique(labels[values == _STRONG])] = True
            strong.extend(bool(each) for each in has[1:])
            first = np.where(labels[0] > 0, labels[0] + base, 0)
            if above is not None:
                for one, two in _touching(above, first):
                    one, two = root(one), root(two)
                    if one != two:
                        parents[two] = one
                        strong[one] = strong[one] or strong[two]
            above = np.where(labels[-1] > 0, labels[-1] + base, 0)
        kept = np.array([strong[root(at)] for at in range(len(parents))])
        kept[0] = False
        profile = crests.profile
        edge = known = 0
        with rasterio.open(target, "w", **profile) as made:
            for (top, height), base in zip(_strips(crests.height), bases, strict=True):
                progress.tell(0.85 + 0.15 * top / crests.height, "Writing the edges.")
                window = Window(0, top, crests.width, height)
                values = crests.read(1, window=window)
                labels, _ = label((values == _WEAK) | (values == _STRONG), structure=eight)
                on = kept[np.where(labels > 0, labels + base, 0)]
                written = np.where(values == UNKNOWN, UNKNOWN, np.where(on, EDGE, NONE)).astype(np.uint8)
                edge += int((written == EDGE).sum())
                known += int((written != UNKNOWN).sum())
                made.write(written, 1, window=window)
            made.set_band_description(1, "edge")
            made.update_tags(**(tags or {}))
    return edge, known


def _touching(above: NDArray[Any], below: NDArray[Any]) -> set[tuple[int, int]]:
    """Pairs of labels that touch across a seam, corners included."""
    found: set[tuple[int, int]] = set()
    for shift in (-1, 0, 1):
        one = above[max(0, -shift) : len(above) - max(0, shift)]
        two = below[max(0, shift) : len(below) - max(0, -shift)]
        both = (one > 0) & (two > 0)
        found |= set(zip(one[both].tolist(), two[both].tolist(), strict=True))
    return found


def _sobel(
    progress: Progress,
    source: Path,
    target: Path,
    bands: tuple[int, ...],
    scale: float,
    low: float,
    high: float,
    tags: Mapping[str, str] | None,
) -> Edges:
    """The gradient by Sobel and Feldman's (1968) 3 x 3 operator, an eighth of its sums: a pixel."""
    grid = grid_of(source)
    counts: list[tuple[int, int]] = []

    def gradient(blocks: list[Block], place: Place) -> NDArray[Any]:
        import cv2

        grey = _grey(blocks[0])
        filled = _edge_filled(grey)
        across = cv2.Sobel(filled, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8, borderType=cv2.BORDER_REPLICATE)
        down = cv2.Sobel(filled, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8, borderType=cv2.BORDER_REPLICATE)
        size = np.where(np.isfinite(grey), np.hypot(across, down), np.nan)
        inner = size[place.halo : size.shape[0] - place.halo, place.halo : size.shape[1] - place.halo]
        counts.append((int((inner >= high).sum()), int(np.isfinite(inner).sum())))
        return size

    compute(
        [Band(source, bands)],
        target,
        followed(progress, "Taking the gradient", grid.width * grid.height, gradient, (0.1, 1.0)),
        halo=2,
        descriptions=["gradient"],
        tags=tags,
        pixels=STRIP_PX // 4,
    )
    edge, known = (sum(each) for each in zip(*counts, strict=True))
    return Edges("sobel", edge, known, None, low, high)


def _by_ratio(progress: Progress, source: Path, target: Path, tags: Mapping[str, str] | None) -> Edges:
    from data.raster.speckle import estimate_looks
    from data.vision.denoise import speckle_values

    values = speckle_values(source)
    looks = estimate_looks(source, values)
    limit = ratio_limit(looks / _likeness(source, values))
    grid = grid_of(source)
    counts: list[tuple[int, int]] = []

    def edges(blocks: list[Block], place: Place) -> NDArray[Any]:
        band = blocks[0][0].astype(np.float64)
        intensity = np.square(band) if values == "amplitude" else band
        missing = ~np.isfinite(intensity)
        strength, across, down = _ratio(np.maximum(_edge_filled(intensity.astype(np.float32)), 0))
        crest = _on_crest(strength, across, down)
        made = (crest & (strength > 1.0 - limit)).astype(np.uint8)
        made[_near_hole(band.astype(np.float32), 1)] = NONE
        made[missing] = UNKNOWN
        inner = made[place.halo : made.shape[0] - place.halo, place.halo : made.shape[1] - place.halo]
        counts.append((int((inner == EDGE).sum()), int((inner != UNKNOWN).sum())))
        return made

    compute(
        [Band(source, (1,))],
        target,
        followed(progress, "Comparing means across edges", grid.width * grid.height, edges, (0.1, 1.0)),
        halo=_ROA_HALF + 3,
        dtype="uint8",
        nodata=UNKNOWN,
        descriptions=["edge"],
        tags=tags,
        pixels=STRIP_PX // 4,
    )
    edge, known = (sum(each) for each in zip(*counts, strict=True))
    return Edges("ratio", edge, known, None, None, limit)


def _likeness(source: Path, values: str) -> float:
    """How many pixels together tell as much as one that is independent of its neighbours, 1 at least.

    From how alike the speckle of pixels one to three apart is, along rows and columns: oversampled radar
    images repeat themselves.
    """
    import cv2

    made = 1.0
    windows = [np.nan_to_num(each[0]).astype(np.float64) for each in samples(source, most=8, numbers=(1,))]
    grains = []
    for each in windows:
        intensity = np.square(each) if values == "amplitude" else each
        around = cv2.blur(intensity, (9, 9))
        grains.append(np.where(around > 0, intensity / np.maximum(around, 1e-20) - 1.0, 0.0))
    whole = sum(float((each**2).sum()) for each in grains)
    if whole <= 0:
        return made
    for axis in (0, 1):
        total = 0.0
        for apart in (1, 2, 3):
            pairs = [
                (each[apart:], each[:-apart]) if axis == 0 else (each[:, apart:], each[:, :-apart])
                for each in grains
            ]
            total += max(0.0, sum(float((one * two).sum()) for one, two in pairs) / whole)
        made *= 1.0 + 2.0 * total
    return made


def ratio_limit(looks: float, false_alarm: float = FALSE_ALARM) -> float:
    """Below which ratio of two means, 0 to 1, lies an edge: so that even ground passes in `false_alarm`.

    The mean intensity of n pixels of L looks is gamma distributed of shape n L, so the ratio of two of them
    has Fisher's distribution of 2 n L and 2 n L degrees of freedom (Touzi et al. 1988, equation 9).
    """
    from scipy.stats import f

    pixels = _ROA_HALF * (2 * _ROA_HALF + 1)
    freedom = 2.0 * pixels * looks
    # Four directions are looked along and the strongest counts; either side may be the brighter one.
    return float(f.ppf(false_alarm / 8.0, freedom, freedom))


def _ratio(
    intensity: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """1 - min(a / b, b / a) of the halves of a 9 x 9 window, the strongest of four ways, and which way."""
    import cv2

    size = 2 * _ROA_HALF + 1
    rows, columns = np.mgrid[:size, :size] - _ROA_HALF
    best = np.zeros(intensity.shape, np.float32)
    across, down = np.zeros_like(best), np.zeros_like(best)
    for x, y in ((1, 0), (1, 1), (0, 1), (-1, 1)):
        side = np.sign(columns * x + rows * y)
        means = []
        for each in (1, -1):
            kernel = (side == each).astype(np.float32)
            means.append(
                cv2.filter2D(intensity, cv2.CV_32F, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)
            )
        one, two = (np.maximum(np.asarray(each), 1e-20) for each in means)
        strength = 1.0 - np.minimum(one / two, two / one)
        better = strength > best
        best[better] = strength[better]
        across[better], down[better] = x, y
    return best, across, down
