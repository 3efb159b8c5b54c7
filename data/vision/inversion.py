"""Quantities of the ground from an image's bands: temperature, leaves, chlorophyll, turbidity, moisture."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster.bands import band_names, find_band
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.tally import Summary, Tally
from data.raster.windows import STRIP_PX, Band, Block, Place, compute, grid_of
from data.vision import formulas
from data.vision.blocks import bands_by_name, followed, samples

Quantity = Literal["lst", "lai", "chlorophyll", "turbidity", "soil_moisture"]
Surface = Literal["auto", "water", "vegetation"]
Values = NDArray[Any]
_BINS = 20
_ENOUGH = 20


@dataclass(frozen=True)
class Recipe:
    """What a quantity is computed from, by whom, and within what it holds."""

    title: str
    unit: str
    method: str
    source: str
    bands: tuple[str, ...]
    valid: tuple[float, float]
    """What the method was made for: values beyond are cut to its ends, and their share is told."""
    function: Callable[[Values], Values]
    """From (bands, rows, columns) of reflectance (and kelvin) to (rows, columns)."""
    water_only: bool = False
    note: str = ""
    """What a reader must know, a sentence."""


@dataclass(frozen=True)
class Inverted:
    """What was computed."""

    title: str
    unit: str
    method: str
    source: str
    note: str
    summary: Summary
    """Of the values as they were cut."""
    beyond_percent: float
    """Share of the values that lay outside the valid range."""
    valid: tuple[float, float]
    band_numbers: Mapping[str, int]


def invert(
    progress: Progress,
    source: Path,
    target: Path,
    quantity: Quantity,
    *,
    surface: Surface = "auto",
    scale: float | None = None,
    bands: Mapping[str, int] | None = None,
    vapour_g_cm2: float | None = None,
    tags: Mapping[str, str] | None = None,
) -> Inverted:
    """Write the quantity as float32 with its unit. Reflectance is `scale` times the stored value.

    Without `scale`, by the file's own, else 0.0001 for whole numbers of 16 bits and 1 for floating point.
    The formulas and who published them are those of data.vision.formulas; soil moisture between the dry and
    wet edge of the image's own cloud of points, by OPTRAM (Sadeghi et al. 2017, Remote Sensing of Environment
    198, 52-68) with short-wave infrared, else by TVDI (Sandholt, Rasmussen and Andersen 2002, Remote Sensing
    of Environment 79, 213-224) with temperature. Water quantities are of water alone (NDWI or MNDWI above 0).
    Raises RasterError naming the bands that are missing, or where no pixel has a value.
    """
    given = dict(bands or {})
    recipe = _recipe(progress, source, quantity, surface, scale, given, vapour_g_cm2)
    wanted = recipe.bands
    water = _water_bands(source, given) if recipe.water_only else ()
    every = (*wanted, *(each for each in water if each not in wanted))
    numbers = bands_by_name(source, every, recipe.title, given)
    factors = _factors(source, every, numbers, scale)
    tally = Tally()
    beyond: list[int] = []
    grid = grid_of(source)

    def inverted(blocks: list[Block], place: Place) -> NDArray[Any]:
        values = physical(blocks[0], every, factors)
        made = recipe.function(values[: len(wanted)]).astype(np.float64)
        if water:
            green, dark = (values[every.index(each)] for each in water)
            made[~(green > dark)] = np.nan
        made[~np.isfinite(values[: len(wanted)]).all(axis=0) | np.isnan(made)] = np.nan
        low, high = recipe.valid
        beyond.append(int(((made < low) | (made > high)).sum()))
        cut = np.clip(made, low, high)
        tally.add(place, cut)
        return cut.astype(np.float32)

    compute(
        [Band(source, numbers)],
        target,
        followed(progress, f"Computing {recipe.title}", grid.width * grid.height, inverted, (0.2, 1.0)),
        descriptions=[f"{recipe.title} ({recipe.unit})" if recipe.unit != "1" else recipe.title],
        units=[recipe.unit],
        tags=tags,
        pixels=STRIP_PX // 4,
    )
    summary = tally.result()
    if summary.count == 0:
        what = "is water with a value" if recipe.water_only else "has a value in all of its bands"
        raise RasterError(f"{recipe.title.capitalize()} has no value anywhere: no pixel {what}.")
    share = 100.0 * sum(beyond) / summary.count
    known = dict(zip(every, numbers, strict=True))
    named = (recipe.title, recipe.unit, recipe.method, recipe.source, recipe.note)
    return Inverted(*named, summary, share, recipe.valid, known)


def _recipe(
    progress: Progress,
    source: Path,
    quantity: Quantity,
    surface: Surface,
    scale: float | None,
    given: dict[str, int],
    vapour: float | None,
) -> Recipe:
    if quantity == "lst":
        return _temperature(vapour)
    if quantity == "lai":
        return Recipe(
            "leaf area index", "m2/m2", "3.618 EVI - 0.118", "Boegh et al. 2002", ("blue", "red", "nir"),
            (0.0, 8.0), lambda v: formulas.leaf_area_index(*v), note="It was fitted to crops.",
        )  # fmt: skip
    if quantity == "turbidity":
        return Recipe(
            "turbidity of water", "FNU", "switching between 645 and 859 nm", "Dogliotti et al. 2015",
            ("red", "nir"), (0.0, 1000.0), lambda v: formulas.turbidity(*v), True,
            "It was made for water-leaving reflectance at 645 and 859 nm, corrected for the air.",
        )  # fmt: skip
    if quantity == "chlorophyll":
        return _chlorophyll(source, surface, given)
    return _moisture(progress, source, scale, given)


def _temperature(vapour: float | None) -> Recipe:
    if vapour is None:
        method = "Planck's law turned round with the emissivity by NDVI thresholds"
        return Recipe(
            "land surface temperature", "K", method, "Sobrino et al. 2004; Artis and Carnahan 1982",
            ("lwir11", "red", "nir"), (230.0, 350.0),
            lambda v: formulas.surface_temperature(v[0], formulas.emissivity(v[1], v[2])),
            note="The air is not taken into account unless the temperatures already were corrected for it.",
        )  # fmt: skip
    return Recipe(
        "land surface temperature", "K", f"single channel at {vapour:g} g/cm2 of water vapour",
        "Jimenez-Munoz et al. 2014; emissivity Sobrino et al. 2004", ("lwir11", "red", "nir"),
        (230.0, 350.0),
        lambda v: formulas.single_channel(v[0], formulas.emissivity(v[1], v[2]), vapour),
        note="Its numbers are for Landsat 8 and 9, band 10.",
    )  # fmt: skip


def _chlorophyll(source: Path, surface: Surface, given: dict[str, int]) -> Recipe:
    if surface == "auto":
        surface = "water" if _mostly_water(source, given) else "vegetation"
    if surface == "water":
        return Recipe(
            "chlorophyll-a of water", "mg/m3", "NDCI", "Mishra and Mishra 2012", ("red", "rededge071"),
            (0.0, 60.0), lambda v: formulas.water_chlorophyll(*v), True,
            "It was made for turbid productive water of 1 to 60 mg/m3.",
        )  # fmt: skip
    return Recipe(
        "red-edge chlorophyll index", "1", "R783 / R705 - 1", "Gitelson et al. 2003",
        ("rededge071", "rededge078"), (0.0, 15.0), lambda v: formulas.leaf_chlorophyll_index(*v),
        note="It grows with the chlorophyll of leaves; what one unit is in g/m2 depends on the plant.",
    )  # fmt: skip


def _water_bands(source: Path, given: dict[str, int]) -> tuple[str, ...]:
    """Green, and what is darker than it on water: short-wave (Xu 2006) or near infrared (McFeeters 1996)."""
    with opened(source) as reader:
        names = band_names(reader)

    def there(name: str) -> bool:
        return name in given or find_band(names, name) is not None

    if not there("green"):
        return ()
    return ("green", "swir16") if there("swir16") else ("green", "nir") if there("nir") else ()


def _mostly_water(source: Path, given: dict[str, int]) -> bool:
    bands = _water_bands(source, given)
    if not bands:
        return False
    numbers = bands_by_name(source, bands, "Water", given)
    wet = total = 0
    for green, dark in samples(source, numbers=numbers):
        known = np.isfinite(green) & np.isfinite(dark)
        wet, total = wet + int((green[known] > dark[known]).sum()), total + int(known.sum())
    return wet > total / 2


def _moisture(progress: Progress, source: Path, scale: float | None, given: dict[str, int]) -> Recipe:
    with opened(source) as reader:
        names = band_names(reader)
    swir = next((each for each in ("swir22", "swir16") if each in given or find_band(names, each)), None)
    thermal = "lwir11" in given or find_band(names, "lwir11") is not None
    progress.tell(0.05, "Fitting the dry and the wet edge.")
    if swir is None and thermal:
        bands = ("lwir11", "red", "nir")
        index, values = _cloud_of_points(source, bands, scale, given, lambda v: v[0])
        dry, wet = edges_of(index, values, dry_is_low=False)
        return Recipe(
            "soil moisture index", "1", "TVDI", "Sandholt et al. 2002", bands, (0.0, 1.0),
            lambda v: formulas.between_edges(_land(formulas.ndvi(v[1], v[2])), v[0], dry, wet),
            note="1 is the wettest and 0 the driest of this image, with its edges fitted to its own pixels.",
        )  # fmt: skip
    bands = (swir or "swir22", "red", "nir")
    index, values = _cloud_of_points(source, bands, scale, given, lambda v: formulas.transformed_swir(v[0]))
    dry, wet = edges_of(index, values, dry_is_low=True)
    return Recipe(
        "soil moisture index", "1", "OPTRAM", "Sadeghi et al. 2017", bands, (0.0, 1.0),
        lambda v: formulas.between_edges(
            _land(formulas.ndvi(v[1], v[2])), formulas.transformed_swir(v[0]), dry, wet
        ),
        note="1 is the wettest and 0 the driest of this image, with its edges fitted to its own pixels.",
    )  # fmt: skip


def _land(index: Values) -> Values:
    """The vegetation index of land: water, below 0, has no soil."""
    return np.where(index >= 0, index, np.nan)


def _cloud_of_points(
    source: Path,
    bands: tuple[str, ...],
    scale: float | None,
    given: dict[str, int],
    of: Callable[[Values], Values],
) -> tuple[Values, Values]:
    """Vegetation index and value of the pixels of land in samples of the image."""
    numbers = bands_by_name(source, bands, "Soil moisture", given)
    factors = _factors(source, bands, numbers, scale)
    index, values = [], []
    for window in samples(source, numbers=numbers):
        block = physical(window, bands, factors)
        one, other = formulas.ndvi(block[1], block[2]), of(block)
        land = np.isfinite(one) & np.isfinite(other) & (one >= 0)
        index.append(one[land])
        values.append(other[land])
    return np.concatenate(index), np.concatenate(values)


def edges_of(
    index: Values, values: Values, *, dry_is_low: bool
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Intercept and slope of the dry and of the wet edge over the vegetation index.

    Their slopes are those of lines through the 2nd and 98th percentile of the values in up to 20 classes of
    the index, each weighed by the square root of its pixels, and one slope for both where the lines would
    cross; their intercepts leave 1 % of the pixels beyond each. Raises RasterError where fewer than three
    classes have 20 pixels.
    """
    if index.size:
        low, high = np.percentile(index, (1, 99))
        at = np.clip(((index - low) / max(high - low, 1e-9) * _BINS).astype(int), 0, _BINS - 1)
    rows = []
    for each in range(_BINS if index.size else 0):
        inside = at == each
        if inside.sum() >= _ENOUGH:
            bottom, top = np.percentile(values[inside], (2, 98))
            rows.append((float(index[inside].mean()), float(bottom), float(top), math.sqrt(inside.sum())))
    if len(rows) < 3:
        raise RasterError(
            "Soil moisture is told from how dry and wet ground of bare to green cover spreads, and the image "
            "has too few pixels of land, or all of one cover."
        )
    x, bottom, top, weight = np.array(rows).T
    slopes = [float(np.polyfit(x, y, 1, w=weight)[0]) for y in (bottom, top)]
    ends = np.percentile(index, (1, 99))
    lower, upper = (_edge(index, values, slope, share) for slope, share in zip(slopes, (1, 99), strict=True))
    gaps = [upper[0] - lower[0] + (upper[1] - lower[1]) * float(end) for end in ends]
    if min(gaps) < 0.2 * max(gaps):
        slope = sum(slopes) / 2
        lower, upper = _edge(index, values, slope, 1), _edge(index, values, slope, 99)
    return (lower, upper) if dry_is_low else (upper, lower)


def _edge(index: Values, values: Values, slope: float, percent: int) -> tuple[float, float]:
    """Intercept and slope of the line that so many percent of the points lie under."""
    return float(np.percentile(values - slope * index, percent)), slope


@dataclass(frozen=True)
class _Thermal:
    """How stored numbers of the thermal band become kelvin."""

    gain: float
    offset: float
    k1: float | None
    """None: gain and offset give kelvin; else radiance, with K1 and K2."""
    k2: float | None


Factors = tuple[tuple[tuple[float, float] | _Thermal, ...], ...]


def _factors(
    source: Path, bands: tuple[str, ...], numbers: tuple[int, ...], scale: float | None
) -> list[tuple[float, float] | _Thermal]:
    made: list[tuple[float, float] | _Thermal] = []
    with opened(source) as reader:
        for name, number in zip(bands, numbers, strict=True):
            own = (float(reader.scales[number - 1]), float(reader.offsets[number - 1]))
            kind = np.dtype(reader.dtypes[number - 1])
            if name.startswith("lwir"):
                made.append(_thermal(source, number, own))
            elif scale is not None:
                made.append((scale, 0.0))
            elif own != (1.0, 0.0) or kind.kind == "f":
                made.append(own)
            elif kind.itemsize == 1:
                raise RasterError(
                    "These quantities need reflectance from 0 to 1, and the bands are bytes, a picture's; "
                    "give an image with reflectance, or what makes it so, as in scale=0.004."
                )
            else:
                made.append((1e-4, 0.0))
    return made


def _thermal(source: Path, number: int, own: tuple[float, float]) -> _Thermal:
    """By the file's scale, the constants in its tags, or the size of its numbers. Raises RasterError."""
    from data.raster.calibration import metadata_in_tags
    from data.raster.metadata import Landsat

    known = metadata_in_tags(source)
    if isinstance(known, Landsat) and known.thermal:
        band = "10" if "10" in known.thermal else next(iter(known.thermal))
        if band in known.radiance:
            linear, (k1, k2) = known.radiance[band], known.thermal[band]
            return _Thermal(linear.gain, linear.offset, k1, k2)
    windows = samples(source, most=4, numbers=(number,))
    values = np.concatenate([each[np.isfinite(each)] for each in windows]) * own[0] + own[1]
    if values.size == 0:
        raise RasterError("The thermal band has no pixel with a value.")
    middle = float(np.median(values))
    if 200 <= middle <= 400:
        return _Thermal(own[0], own[1], None, None)
    if -80 <= middle <= 90 and float(values.min()) < 0:
        return _Thermal(own[0], own[1] + 273.15, None, None)
    if 2 <= middle <= 25:
        return _Thermal(own[0], own[1], formulas.TIRS_K1, formulas.TIRS_K2)
    if 2000 <= middle <= 4000:
        return _Thermal(own[0] / 10.0, own[1] / 10.0, None, None)
    if 32_000 <= middle <= 60_000:
        # Landsat Collection 2, level 2: kelvin = 0.00341802 DN + 149 (USGS LSDS-1619).
        return _Thermal(0.00341802, 149.0, None, None)
    raise RasterError(
        f"The thermal band's values, about {middle:.4g}, are neither kelvin nor radiance; "
        "radiometric_calibration with quantity=brightness_temperature makes them kelvin."
    )


def physical(
    block: Block, bands: tuple[str, ...], factors: list[tuple[float, float] | _Thermal]
) -> NDArray[np.float64]:
    """Stored numbers as reflectance, 0 to 1, and kelvin."""
    made = np.empty(block.shape, np.float64)
    for at, factor in enumerate(factors):
        if isinstance(factor, _Thermal):
            value = block[at] * factor.gain + factor.offset
            if factor.k1 is not None and factor.k2 is not None:
                value = formulas.brightness_temperature(value, factor.k1, factor.k2)
            made[at] = value
        else:
            made[at] = block[at].astype(np.float64) * factor[0] + factor[1]
    return made
