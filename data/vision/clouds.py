"""Clouds in an image: by s2cloudless for Sentinel-2, a quality band, spectral tests, or colour alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster import clouds as tests
from data.raster.bands import band_names
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import STRIP_PX, Band, Block, Place, compute, grid_of
from data.vision.blocks import WINDOW_PX, followed, samples, visible_bands

Method = Literal["auto", "s2cloudless", "qa_pixel", "scl", "spectral", "colour"]
CLEAR, CLOUD, SHADOW, UNKNOWN = 0, 1, 2, 255
S2CLOUDLESS_BANDS = (
    "coastal", "blue", "red", "rededge071", "nir", "nir08", "nir09", "cirrus", "swir16", "swir22",
)  # fmt: skip
"""Sentinel-2's B01, B02, B04, B05, B08, B8A, B09, B10, B11 and B12, in the model's order."""
MODEL_SHA256 = "0f92b6822cc0ad42982f55bab9b1688329e119451ad9a9e0a56384b9f37bc61d"
_MODEL_FILE = "s2cloudless/models/pixel_s2_cloud_detector_lightGBM_v0.1.txt"
THRESHOLD, AVERAGE_PX, DILATION_PX = 0.4, 4, 2
"""As s2cloudless's own example has them for full-resolution images."""
_COLOUR_HALO = 48


@dataclass(frozen=True)
class Found:
    """What a mask was made with, and the shares of the pixels with a value, percent."""

    method: str
    cloud_percent: float
    shadow_percent: float | None
    """None where the method finds no shadows."""
    known_px: int


def find_clouds(
    progress: Progress,
    source: Path,
    target: Path,
    *,
    method: Method = "auto",
    tags: Mapping[str, str] | None = None,
) -> Found:
    """Write bytes: 0 clear, 1 cloud, 2 shadow of a cloud (quality bands alone tell it), 255 no value.

    "s2cloudless": Sentinel Hub's pixel classifier (Zupanc 2017, Improving cloud detection with machine
    learning; gradient boosting, Ke et al. 2017) on top-of-atmosphere reflectance of ten Sentinel-2 bands:
    probability averaged over a disk of 4 pixels, above 0.4, grown by a disk of 2. "qa_pixel", "scl" and
    "spectral": data.raster.clouds. "colour": brightness, whiteness and smoothness of red, green and blue,
    after Zhang and Xiao (2014), Cloud detection of RGB color aerial photographs by progressive refinement
    scheme, IEEE Transactions on Geoscience and Remote Sensing 52, 7264-7275. "auto" takes the first that the
    bands allow. Raises RasterError.
    """
    progress.tell(0.0, "Looking at the bands.")
    chosen = choose(source) if method == "auto" else method
    counts: list[NDArray[np.int64]] = []
    if chosen == "s2cloudless":
        _by_s2cloudless(progress, source, target, counts, tags)
    elif chosen == "colour":
        _by_colour(progress, source, target, counts, tags)
    else:
        made = tests.cloud_mask(source, target, method=chosen, scale=reflectance_scale(source), tags=tags)
        if chosen != "spectral":
            _without_snow(target)
        shadow = None if chosen == "spectral" else made.shadow_pct
        return Found(chosen, made.cloud_pct, shadow, made.known_px)
    total = np.sum(counts, axis=0)
    known = int(total[:UNKNOWN].sum())
    return Found(chosen, 100.0 * float(total[CLOUD]) / max(known, 1), None, known)


def choose(source: Path) -> Literal["s2cloudless", "qa_pixel", "scl", "spectral", "colour"]:
    """The method that an image's bands allow. Raises RasterError where none does."""
    with opened(source) as reader:
        names = band_names(reader)
        count = reader.count
    if all(each in names for each in S2CLOUDLESS_BANDS):
        return "s2cloudless"
    for quality in ("qa_pixel", "scl"):
        try:
            tests._choice(source, quality, None)
        except RasterError:
            continue
        return quality
    if all(each in names for each in ("blue", "green", "red", "nir")):
        with opened(source) as reader:
            stretched = reader.dtypes[0] == "uint8"
        # Bytes are pictures, not reflectance: the tests' fixed limits mean nothing there.
        return "colour" if stretched else "spectral"
    if visible_bands(source) is not None:
        return "colour"
    raise RasterError(
        "Clouds are found in red, green and blue, in Sentinel-2's bands, or in a quality band (QA_PIXEL, "
        f"SCL); the image has {count} band{'' if count == 1 else 's'}, and none of these by name."
    )


def reflectance_scale(source: Path) -> float:
    """What turns an image's numbers into reflectance: its own scale, 0.0001 for whole numbers, else 1."""
    with opened(source) as reader:
        own, kind = float(reader.scales[0]), np.dtype(reader.dtypes[0])
    if own != 1.0:
        return own
    return 1.0 if kind.kind == "f" else 1 / 255 if kind.itemsize == 1 else 1e-4


def model_path() -> Path:
    """The model file of the installed s2cloudless. Raises RasterError where it is missing or another one.

    Only the file is read: the package's own code wants sentinelhub, which downloads scenes.
    """
    try:
        found = metadata.distribution("s2cloudless").locate_file(_MODEL_FILE)
    except metadata.PackageNotFoundError:
        raise RasterError(
            "The cloud model of Sentinel-2 is not installed: pip install --no-deps s2cloudless brings it; "
            "the method spectral works without."
        ) from None
    path = Path(str(found))
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != MODEL_SHA256:
        raise RasterError(
            "The cloud model of Sentinel-2 is not the one of s2cloudless 1.7.3, so its numbers mean nothing; "
            "install it again, or take the method spectral."
        )
    return path


@lru_cache(maxsize=1)
def _booster() -> Any:
    from lightgbm import Booster

    return Booster(model_file=str(model_path()))


def cloud_probability(reflectance: NDArray[Any]) -> NDArray[np.float32]:
    """(10, rows, columns) of top-of-atmosphere reflectance as the probability of cloud, 0 to 1."""
    pixels = reflectance.reshape(len(S2CLOUDLESS_BANDS), -1).T.astype(np.float64)
    known = np.isfinite(pixels).all(axis=1)
    made = np.full(len(pixels), np.nan, np.float32)
    if known.any():
        made[known] = _booster().predict(pixels[known], num_threads=1)
    return made.reshape(reflectance.shape[1:])


def _by_s2cloudless(
    progress: Progress,
    source: Path,
    target: Path,
    counts: list[NDArray[np.int64]],
    tags: Mapping[str, str] | None,
) -> None:
    with opened(source) as reader:
        names = band_names(reader)
        if missing := [each for each in S2CLOUDLESS_BANDS if each not in names]:
            raise RasterError(
                "s2cloudless reads ten bands of Sentinel-2 by their names; the image has no "
                f"{', '.join(missing)}. method='auto' takes what its bands allow."
            )
        numbers = tuple(names.index(each) + 1 for each in S2CLOUDLESS_BANDS)
        scales = [reader.scales[each - 1] for each in numbers]
        offsets = np.array([reader.offsets[each - 1] for each in numbers])[:, None, None]
    factor = reflectance_scale(source)
    gains = np.array([own if own != 1.0 else factor for own in scales])[:, None, None]
    _booster()  # before the threads ask for it

    def classify(blocks: list[Block], place: Place) -> NDArray[Any]:
        probability = cloud_probability(blocks[0] * gains + offsets)
        return _cloudy(probability)

    _write(
        progress,
        source,
        target,
        numbers,
        classify,
        AVERAGE_PX + DILATION_PX + 1,
        counts,
        "Looking for clouds with s2cloudless",
        tags,
        WINDOW_PX // 4,
    )


def _cloudy(probability: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Probability averaged over a disk, cut and grown, as s2cloudless does; 255 where there is none."""
    import cv2

    missing = ~np.isfinite(probability)
    rows, columns = _inner(missing)
    inside = np.where(missing, 0, probability)[rows, columns].astype(np.float32)
    made = np.full(probability.shape, UNKNOWN, np.uint8)
    if inside.size:
        disk = _disk(AVERAGE_PX).astype(np.float32)
        smooth = cv2.filter2D(inside, -1, disk / disk.sum(), borderType=cv2.BORDER_REFLECT)
        cloud = (smooth > THRESHOLD).astype(np.uint8)
        made[rows, columns] = cv2.dilate(cloud, _disk(DILATION_PX))
    made[missing] = UNKNOWN
    return made


def _inner(missing: NDArray[np.bool_]) -> tuple[slice, slice]:
    """The part of a block within its rows and columns without any value: the raster, without the margin."""
    rows = np.flatnonzero(~missing.all(axis=1))
    columns = np.flatnonzero(~missing.all(axis=0))
    if not rows.size:
        return slice(0, 0), slice(0, 0)
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def _disk(radius: int) -> NDArray[np.uint8]:
    """Ones in a circle, as s2cloudless draws it."""
    import cv2

    made = np.zeros((2 * radius + 1, 2 * radius + 1), np.uint8)
    return np.asarray(cv2.circle(made, (radius, radius), radius, (1,), thickness=-1), np.uint8)


def _by_colour(
    progress: Progress,
    source: Path,
    target: Path,
    counts: list[NDArray[np.int64]],
    tags: Mapping[str, str] | None,
) -> None:
    numbers = visible_bands(source)
    if numbers is None:
        raise RasterError(
            "Clouds are told by colour from red, green and blue, and the image does not say which bands "
            "these are."
        )
    low, high = picture_range(source, numbers)
    limit = _whiteness_limit(source, numbers, low, high)

    def classify(blocks: list[Block], place: Place) -> NDArray[Any]:
        values = blocks[0].astype(np.float32)
        missing = ~np.isfinite(values).all(axis=0)
        picture = np.clip((np.where(missing, low, values) - low) / (high - low), 0, 1)
        made = _white_and_smooth(picture, limit).astype(np.uint8)
        made[missing] = UNKNOWN
        return made

    doing = "Looking for clouds by colour"
    _write(progress, source, target, numbers, classify, _COLOUR_HALO, counts, doing, tags, STRIP_PX // 4)


def picture_range(source: Path, numbers: tuple[int, ...]) -> tuple[float, float]:
    """The values that are black and white: 0 and 255 of bytes, else 0 and a bright cloud's reflectance."""
    with opened(source) as reader:
        dtype = reader.dtypes[numbers[0] - 1]
    if dtype == "uint8":
        return 0.0, 255.0
    values = np.concatenate([each[np.isfinite(each)] for each in samples(source, numbers=numbers)])
    if values.size == 0:
        raise RasterError("The image has no pixel with a value in red, green and blue.")
    white = 0.65 / reflectance_scale(source)
    top = float(np.quantile(values, 0.999))
    # Counts of 11 or 12 bits without a scale are no reflectance: then what is brightest is white.
    return 0.0, white if 0.1 * white <= top <= 2.5 * white else max(top, 1e-6)


def _significance(picture: NDArray[Any]) -> NDArray[np.float32]:
    """(rows, columns): Zhang and Xiao's (I + 1) / (S + 1), brightness over saturation, a little smoothed."""
    import cv2

    soft = np.stack([cv2.GaussianBlur(np.asarray(each, np.float32), (0, 0), 1.5) for each in picture])
    brightness = soft.mean(axis=0)
    saturation = 1.0 - soft.min(axis=0) / np.maximum(brightness, 1e-3)
    return np.asarray((brightness + 1.0) / (saturation + 1.0), np.float32)


def _whiteness_limit(source: Path, numbers: tuple[int, ...], low: float, high: float) -> float:
    """Where Otsu (1979) parts the image's own significance, within what clouds can have."""
    from data.vision.thresholds import otsu

    found = []
    for each in samples(source, numbers=numbers):
        known = np.isfinite(each).all(axis=0)
        picture = np.clip((np.where(known, each, low) - low) / (high - low), 0, 1)
        found.append(_significance(picture)[known])
    split = otsu(np.concatenate(found))
    return _LEAST if split is None else float(np.clip(split.threshold, _LEAST, _MOST))


_LEAST, _MOST = 1.58, 1.78
_DETAIL = 0.018
_CORE_PX = 9


def _white_and_smooth(picture: NDArray[Any], limit: float) -> NDArray[np.bool_]:
    """Clouds of (3, rows, columns) from 0 to 1: white and bright, little detail, wider than a house.

    The core must hold a disk of 9 pixels' radius; what is white around it belongs to it.
    """
    import cv2

    white = _significance(picture) > limit
    grey = np.asarray(picture.mean(axis=0), np.float32)
    fine = np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 2.0))
    smooth = cv2.blur(fine, (15, 15)) < _DETAIL
    core = cv2.morphologyEx((white & smooth).astype(np.uint8), cv2.MORPH_OPEN, _disk(_CORE_PX))
    near = cv2.dilate(core, _disk(12)) > 0
    made: NDArray[np.bool_] = np.asarray(near & white)
    return np.asarray(cv2.morphologyEx(made.astype(np.uint8), cv2.MORPH_CLOSE, _disk(2)) > 0)


def _write(
    progress: Progress,
    source: Path,
    target: Path,
    numbers: tuple[int, ...],
    classify: Callable[[list[Block], Place], NDArray[Any]],
    halo: int,
    counts: list[NDArray[np.int64]],
    doing: str,
    tags: Mapping[str, str] | None,
    pixels: int,
) -> None:
    grid = grid_of(source)

    def counted(blocks: list[Block], place: Place) -> NDArray[Any]:
        made = classify(blocks, place)
        inner = made[halo : made.shape[0] - halo, halo : made.shape[1] - halo]
        counts.append(np.bincount(inner.ravel(), minlength=256))
        return made

    compute(
        [Band(source, numbers)],
        target,
        followed(progress, doing, grid.width * grid.height, counted),
        halo=halo,
        dtype="uint8",
        nodata=UNKNOWN,
        descriptions=["cloud"],
        tags=tags,
        pixels=pixels,
    )


def _without_snow(target: Path) -> None:
    """Snow of a quality band is no cloud: 0."""
    import rasterio

    from data.uploads.gdal import quiet_gdal

    with quiet_gdal(), rasterio.open(target, "r+") as mask:
        for _, window in mask.block_windows(1):
            values = mask.read(1, window=window)
            if (values == tests.SNOW).any():
                mask.write(np.where(values == tests.SNOW, CLEAR, values).astype(np.uint8), 1, window=window)
