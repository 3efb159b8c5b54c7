"""Floods from radar or optical images: what is under water, and what of it was not before."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster.digital import is_digital
from data.vision.masks import UNKNOWN
from data.vision.suits import refuse_no_radar

FLOOD, PERMANENT = 1, 2
WITH_BEFORE = {FLOOD: "flood", PERMANENT: "permanent water"}
WITHOUT_BEFORE = {FLOOD: "water"}
MAX_SLOPE_DEG = 5.0
"""No flood stands on steeper ground."""
_LEAST_CHANGE_DB = 3.0
"""A backscatter that fell by less is no flood: speckle and wind do that."""
_FLOOR_DB = -60.0
_LARGEST_TILE = 96


@dataclass(frozen=True)
class Flooded:
    """How a flood was found."""

    kind: Literal["sar", "optical"]
    method: str
    threshold: float | None
    """What counts as water: dB of the image, the index, or digital numbers of infrared. None: no two classes
    could be told apart."""
    threshold_before: float | None = None
    change_threshold: float | None = None
    """Radar pairs: dB of change."""
    tiles: int = 0
    """How many parts of the image the threshold comes from."""
    looks: float | None = None
    notes: tuple[str, ...] = field(default=())
    below: bool = False
    """Whether water lies under the threshold."""


def map_flood(
    progress: Progress,
    after: Path,
    target: Path,
    before: Path | None = None,
    dem: Path | None = None,
    min_px: int = 16,
    *,
    as_radar: bool = False,
) -> Flooded:
    """Write a mask of bytes: 0 dry, 1 flood (or water, without `before`), 2 permanent water, 255 no value.

    Radar (one or two bands without the name of a colour; amplitude, or decibels where it has negative
    values): speckle is filtered (refined Lee), then water is what lies under a threshold of the backscatter
    in dB, found where tiles hold both classes (Martinis et al. 2009; minimum error, Kittler and Illingworth
    1986). With `before`, flood is also what fell by more than the minimum-error threshold of the log-ratio
    (Bazi, Bruzzone and Melgani 2005, IEEE TGRS 43(4), 874-887), and at least by 3 dB. Optical: MNDWI (Xu
    2006), or NDWI (McFeeters 1996) without short-wave infrared, by tiles the same way, 0 where that is not
    within 0.25 of nought; of bytes without a scale the infrared band alone, where water is dark. What was
    water before is permanent. Patches under `min_px` pixels go to what surrounds them; with `dem` (metres)
    ground steeper than 5 degrees is never flooded. What is plainly no radar is refused, unless `as_radar`
    says that it is. Raises RasterError.
    """
    from data.raster.windows import grid_of
    from data.uploads.gdal import quiet_gdal
    from data.vision.water import INFRARED

    images = [after] + ([before] if before is not None else [])
    with quiet_gdal(), tempfile.TemporaryDirectory(prefix="flood-", dir=target.parent) as folder:
        room, grid = Path(folder), grid_of(after)
        optical = _of_one_kind(images, as_radar)
        levels, plain, looks, index = [], [], None, "dB"
        for number, path in enumerate(images):
            progress.tell(0.4 * number, f"Preparing image {number + 1}.")
            level = room / f"level{number}.tif"
            if optical is None:
                looks = _backscatter(progress, path, level, room)
                plain.append((room / "plain.tif").replace(room / f"plain{number}.tif"))
            else:
                index = _water_index(path, level)
            levels.append(level)
        progress.tell(0.7, "Telling water from the rest.")
        if optical is None:
            found, waters = _dark(images, levels, plain, room)
            found.change = _change(levels, grid)
        else:
            found, waters = _thresholds(images, levels, grid, room)
        raw, steep = room / "raw.tif", _steep(dem, room)
        progress.tell(0.8, "Marking water.")
        _mark(levels, waters, raw, found, steep, grid)
        _clean(raw, target, min_px)
    kind: Literal["sar", "optical"] = "sar" if optical is None else "optical"
    method = _method(kind, index, before is not None, found.whole)
    dark = kind == "optical" and index in INFRARED.values()
    water, earlier = (
        -limit if dark and limit is not None else limit for limit in (found.water, found.water_before)
    )
    return Flooded(
        kind,
        method,
        water,
        earlier,
        found.change,
        found.tiles,
        looks,
        tuple(found.notes),
        kind == "sar" or dark,
    )


def _of_one_kind(images: list[Path], as_radar: bool) -> tuple[str, tuple[int, int]] | None:
    """The water index of the first image, None for radar. Raises RasterError for two kinds, or neither."""
    from data.raster.errors import RasterError

    kinds = [optical_bands(each) for each in images]
    if len({each is None for each in kinds}) == 2:
        raise RasterError("One image is optical and the other radar; a flood needs two of one kind.")
    if kinds[0] is None and not as_radar:
        for each in images:
            refuse_no_radar(each)
    return kinds[0]


def optical_bands(path: Path) -> tuple[str, tuple[int, int]] | None:
    """The water index that an image's bands allow and their numbers; None for radar.

    Raises RasterError for an optical image without green and an infrared band.
    """
    from data.raster.bands import band_names, find_band
    from data.raster.errors import RasterError
    from data.raster.files import opened

    with opened(path) as reader:
        names, count = band_names(reader), reader.count
    green = find_band(names, "green")
    for index, infrared in (("MNDWI", "swir16"), ("NDWI", "nir")):
        number = find_band(names, infrared)
        if green is not None and number is not None:
            return index, (green, number)
    if count > 2 or any(names):
        raise RasterError(
            "Water is told from land in radar (one or two bands), or by green with infrared (the bands green "
            f"and swir16 or nir, by name or description); {path.name} has {count} bands: {_said(names)}."
        )
    return None


def _said(names: tuple[str | None, ...]) -> str:
    return ", ".join(f"{at} {name or 'without a name'}" for at, name in enumerate(names[:14], start=1))


def _method(kind: str, index: str, pair: bool, whole: bool) -> str:
    if kind == "optical":
        return f"{index} by tiles" + (", two dates" if pair else "")
    if whole:
        return "median, Otsu and log-ratio" if pair else "median and Otsu"
    return "log-ratio and minimum error" if pair else "backscatter by tiles"


def _backscatter(progress: Progress, path: Path, target: Path, room: Path) -> float | None:
    """Write the first band in dB without its speckle; the looks that the filter was told."""
    from data.raster.errors import RasterError
    from data.raster.speckle import despeckle, estimate_looks
    from data.raster.windows import Band, Block, Place, compute

    intensity, decibels = room / "intensity.tif", in_decibels(path)

    def power(blocks: list[Block], _: Place) -> NDArray[Any]:
        values = blocks[0][0]
        with np.errstate(over="ignore", invalid="ignore"):
            made = 10 ** (values / 10) if decibels else np.square(values)
        made[~np.isfinite(made)] = np.nan
        return np.asarray(made, np.float32)

    compute([Band(path, (1,))], intensity, power)
    progress.tell(0.1, "Filtering speckle.")
    smooth, looks = room / "smooth.tif", None
    try:
        looks = estimate_looks(intensity)
        despeckle(intensity, smooth, looks=max(0.5, min(looks, 50.0)))
    except RasterError:  # too small or too empty to say how much speckle there is
        smooth = intensity

    def decibel(blocks: list[Block], _: Place) -> NDArray[Any]:
        values = blocks[0][0]
        with np.errstate(divide="ignore", invalid="ignore"):
            made = np.maximum(10 * np.log10(values), _FLOOR_DB)
        made[~(values >= 0)] = np.nan
        return np.asarray(made, np.float32)

    compute([Band(smooth, (1,))], target, decibel)
    compute([Band(intensity, (1,))], room / "plain.tif", decibel)
    return looks


def in_decibels(path: Path) -> bool:
    """Whether radar is stored in decibels: it has values under nought."""
    from data.raster.windows import Band
    from data.vision.pairs import pair_samples

    return any(bool((blocks[0] < 0).mean() > 0.01) for blocks in pair_samples([Band(path, (1,))], most=9))


def _water_index(path: Path, target: Path) -> str:
    """Write the water index, and which it is; of digital numbers the darkness in infrared, and its name."""
    from data.raster.windows import Band, Block, Place, compute
    from data.vision.water import INFRARED

    chosen = optical_bands(path)
    assert chosen is not None
    index, numbers = chosen
    if is_digital(path, numbers):
        compute([Band(path, (numbers[1],))], target, lambda blocks, _: -blocks[0][0])
        return INFRARED[index]

    def ratio(blocks: list[Block], _: Place) -> NDArray[Any]:
        green, infrared = blocks[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            made = (green - infrared) / (green + infrared)
        made[~np.isfinite(made)] = np.nan
        return np.asarray(np.clip(made, -1, 1), np.float32)

    compute([Band(path, numbers)], target, ratio)
    return index


@dataclass
class _Found:
    water: float | None = None
    water_before: float | None = None
    change: float | None = None
    tiles: int = 0
    notes: list[str] = field(default_factory=list)
    whole: bool = False
    """Radar: whether the threshold is one of the whole image."""


def _dark(images: list[Path], levels: list[Path], plain: list[Path], room: Path) -> tuple[_Found, list[Path]]:
    """Water in radar images, each on its own grid: 1, 0, or 255 without a value.

    `levels` are decibels without their speckle, `plain` the same with it.
    """
    from data.vision.radar_water import dark_bodies, highest_db, marked
    from data.vision.sea import FINE_M, pixel_m
    from data.vision.water_borders import parted

    highest = [highest_db(path, in_decibels(path)) for path in images]
    sizes = [pixel_m(path) for path in images]
    waters = [room / f"water{number}.tif" for number in range(len(levels))]
    ways = [parted(*each, room) for each in zip(levels, plain, waters, highest, sizes, strict=True)]
    limits = [each.threshold for each in ways]
    for at, other in enumerate(reversed(limits)):
        if limits[at] is None and other is not None:
            # Water parts from land in one image: the same backscatter is water in the other.
            dark = dark_bodies(levels[at], highest[at], sizes[at] or FINE_M, limit=other)
            limits[at] = dark.threshold
            marked(levels[at], waters[at], dark)
    notes = [ways[0].why] if len(ways) == 1 else [
        f"Of the {word} image: {way.why[:1].lower()}{way.why[1:]}"
        for word, way in zip(("later", "earlier"), ways, strict=True)
    ]  # fmt: skip
    before = limits[-1] if len(limits) > 1 else None
    return _Found(limits[0], before, None, ways[0].tiles, notes, ways[0].whole), waters


def _change(levels: list[Path], grid: Any) -> float | None:
    """By how many decibels radar must have fallen to be a flood; None for one image."""
    from data.raster.windows import Band
    from data.vision.pairs import pair_samples
    from data.vision.thresholds import kittler_illingworth

    if len(levels) == 1:
        return None
    sources = [Band(levels[0], (1,)), Band(levels[1], (1,), onto=grid, resampling="bilinear")]
    change = np.concatenate([(pair[0] - pair[1]).ravel() for pair in pair_samples(sources)])
    fell = kittler_illingworth(-change[np.isfinite(change) & (change < 0)])
    least = _LEAST_CHANGE_DB
    return -max(least, fell.threshold) if fell is not None and fell.separate else -least


def _thresholds(images: list[Path], levels: list[Path], grid: Any, room: Path) -> tuple[_Found, list[Path]]:
    """Water by an index of optical images, or by how dark they are in infrared, each on its own grid."""
    from data.raster.windows import Band, Block, Place, compute
    from data.vision.pairs import pair_samples
    from data.vision.thresholds import by_tiles
    from data.vision.water import DIGITAL, INFRARED, infrared_limit

    side = int(np.clip(min(grid.width, grid.height) // 4, 16, _LARGEST_TILE))
    sources = [Band(levels[0], (1,))] + [
        Band(each, (1,), onto=grid, resampling="bilinear") for each in levels[1:]
    ]
    blocks = [[block[0] for block in pair] for pair in pair_samples(sources)]
    found, waters = _Found(), []
    splits = [by_tiles([pair[at] for pair in blocks], side) for at in range(len(levels))]
    limits = [0.0 if split is None else split.threshold for split in splits]
    for at, split in enumerate(splits):
        index, numbers = optical_bands(images[at]) or ("NDWI", (1,))
        if is_digital(images[at], numbers):
            name = INFRARED[index]
            limits[at] = -infrared_limit(images[at], [-pair[at] for pair in blocks], name)
            found.notes = [DIGITAL.format(name=name)]
        elif split is None or abs(split.threshold) > 0.25:
            limits[at] = 0.0
            found.notes = ["The index does not part into two classes near nought, so 0 is the limit."]
    for number, (level, limit) in enumerate(zip(levels, limits, strict=True)):

        def above(read: list[Block], _: Place, limit: float = limit) -> NDArray[Any]:
            values = read[0][0]
            return np.where(np.isfinite(values), (values > limit).astype(np.float32), np.float32(np.nan))

        waters.append(room / f"water{number}.tif")
        compute([Band(level, (1,))], waters[-1], above, dtype="uint8", nodata=UNKNOWN)
    found.water, found.tiles = limits[0], splits[0].tiles if splits[0] is not None else 0
    found.water_before = limits[1] if len(limits) > 1 else None
    return found, waters


def _steep(dem: Path | None, room: Path) -> Path | None:
    from data.raster.terrain import slope

    if dem is None:
        return None
    made = room / "slope.tif"
    slope(dem, made)
    return made


def _mark(
    levels: list[Path], waters: list[Path], raw: Path, found: _Found, steep: Path | None, grid: Any
) -> None:
    from data.raster.windows import Band, Block, Place, compute

    pair = len(levels) == 2
    sources = [Band(levels[0], (1,)), Band(waters[0], (1,))]
    if pair:
        sources.append(Band(levels[1], (1,), onto=grid, resampling="bilinear"))
        sources.append(Band(waters[1], (1,), onto=grid, resampling="nearest"))
    if steep is not None:
        sources.append(Band(steep, (1,), onto=grid, resampling="bilinear"))

    def mark(blocks: list[Block], _: Place) -> NDArray[Any]:
        level = blocks[0][0]
        made = np.where(blocks[1][0] == 1, np.float32(FLOOD), np.float32(0))
        if pair:
            earlier, was = blocks[2][0], blocks[3][0] == 1
            if found.change is not None:
                made[~was & (made == FLOOD) & ~(level - earlier < found.change)] = 0
            made[(made == FLOOD) & was] = PERMANENT
            made[~np.isfinite(earlier)] = np.nan
        if steep is not None:
            made[(blocks[-1][0] > MAX_SLOPE_DEG) & (made == FLOOD)] = 0
        made[~np.isfinite(level)] = np.nan
        return made

    compute(sources, raw, mark, dtype="uint8", nodata=UNKNOWN, descriptions=("water",))


def _clean(raw: Path, target: Path, min_px: int) -> None:
    from data.raster.patches import sieve

    if min_px < 2:
        target.write_bytes(raw.read_bytes())
        return
    sieve(raw, target, min_px=min_px)
