"""Spectral indices: what each is computed from, and the paper it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.raster.bands import band_names, find_band
from data.raster.errors import RasterError
from data.raster.expression import Expression, parse
from data.raster.files import opened
from data.raster.stats import Moments, Tally, finite
from data.raster.windows import Band, Block, Place, compute


@dataclass(frozen=True)
class Index:
    """One index as it is published."""

    name: str
    title: str
    formula: str
    """Over common band names, reflectance from 0 to 1."""
    source: str
    reflectance: bool = False
    """Whether it needs reflectance, not just values in proportion to it."""
    colormap: str = "viridis"

    @property
    def expression(self) -> Expression:
        """The formula, ready to be computed."""
        return parse(self.formula)


def _ratio(name: str, title: str, one: str, two: str, source: str, colormap: str = "viridis") -> Index:
    return Index(name, title, f"({one} - {two}) / ({one} + {two})", source, colormap=colormap)


_GREEN = "red_yellow_green"
_BAIS2 = "(1 - sqrt(rededge075 * rededge078 * nir08 / red)) * ((swir22 - nir08) / sqrt(swir22 + nir08) + 1)"
_ALL = (
    _ratio("NDVI", "vegetation", "nir", "red", "Rouse et al. 1974", _GREEN),
    Index("EVI", "vegetation, enhanced", "2.5 * (nir - red) / (nir + 6 * red - 7.5 * blue + 1)",
          "Huete et al. 2002", True, _GREEN),
    Index("EVI2", "vegetation, enhanced, without blue", "2.5 * (nir - red) / (nir + 2.4 * red + 1)",
          "Jiang et al. 2008", True, _GREEN),
    Index("SAVI", "vegetation, soil-adjusted", "1.5 * (nir - red) / (nir + red + 0.5)",
          "Huete 1988", True, _GREEN),
    Index("MSAVI", "vegetation, soil-adjusted",
          "(2 * nir + 1 - sqrt((2 * nir + 1) ** 2 - 8 * (nir - red))) / 2", "Qi et al. 1994", True, _GREEN),
    Index("OSAVI", "vegetation, soil-adjusted", "(nir - red) / (nir + red + 0.16)",
          "Rondeaux, Steven and Baret 1996", True, _GREEN),
    _ratio("GNDVI", "vegetation, by green", "nir", "green", "Gitelson, Kaufman and Merzlyak 1996", _GREEN),
    _ratio("NDRE", "vegetation, by red edge", "nir", "rededge", "Gitelson and Merzlyak 1994", _GREEN),
    Index("VARI", "vegetation, visible light", "(green - red) / (green + red - blue)",
          "Gitelson et al. 2002", colormap=_GREEN),
    _ratio("NGRDI", "vegetation, visible light", "green", "red", "Tucker 1979", _GREEN),
    _ratio("NDWI", "open water", "green", "nir", "McFeeters 1996", "blues"),
    _ratio("MNDWI", "open water, modified", "green", "swir16", "Xu 2006", "blues"),
    Index("AWEI", "open water, no shadows", "4 * (green - swir16) - (0.25 * nir + 2.75 * swir22)",
          "Feyisa et al. 2014", True, "blues"),
    _ratio("NDMI", "moisture of vegetation", "nir", "swir16", "Gao 1996", "blues"),
    _ratio("NDTI", "turbidity of water", "red", "green", "Lacaux et al. 2007"),
    _ratio("NDCI", "chlorophyll in water", "rededge", "red", "Mishra and Mishra 2012"),
    _ratio("NDBI", "built-up land", "swir16", "nir", "Zha, Gao and Ni 2003", "magma"),
    Index("BSI", "bare soil", "((swir16 + red) - (nir + blue)) / ((swir16 + red) + (nir + blue))",
          "Rikimaru, Roy and Miyatake 2002", colormap="magma"),
    _ratio("NBR", "burned land", "nir", "swir22", "Key and Benson 2006", "magma"),
    _ratio("NBR2", "burned land, by short-wave infrared", "swir16", "swir22", "Key and Benson 2006", "magma"),
    Index("BAIS2", "burned land, for Sentinel-2", _BAIS2, "Filipponi 2018", True, "magma"),
    _ratio("NDSI", "snow", "green", "swir16", "Hall, Riggs and Salomonson 1995"),
)  # fmt: skip
INDICES: Mapping[str, Index] = {each.name.lower(): each for each in _ALL}
DNBR = Index("dNBR", "burn severity", INDICES["nbr"].formula, "Key and Benson 2006", colormap="magma")
"""NBR before the fire minus NBR after it."""
_ALIASES = {"msavi2": "msavi", "awei_nsh": "awei", "aweinsh": "awei", "rendvi": "ndre", "bi": "bsi"}


def index_named(text: str) -> Index:
    """The index of that name, in any spelling. Raises RasterError with the nearest ones."""
    plain = "".join(each for each in text.lower() if each.isalnum() or each == "_")
    plain = _ALIASES.get(plain, plain)
    if plain in ("dnbr", "deltanbr", "differencednbr"):
        return DNBR
    if (found := INDICES.get(plain.replace("_", ""))) is not None:
        return found
    known = [*INDICES, "dnbr"]
    near = get_close_matches(plain, known, n=2, cutoff=0.5)
    hint = f" Did you mean {' or '.join(_shown(each) for each in near)}?" if near else ""
    raise RasterError(
        f"There is no index {text[:40]!r}.{hint} There are {', '.join(_shown(each) for each in known)}."
    )


def bands_for(path: Path, index: Index, given: Mapping[str, int]) -> dict[str, int]:
    """The band number of each name in the index's formula, as given or as the file says.

    Raises RasterError, asking for the bands, when they cannot be told apart.
    """
    with opened(path) as source:
        names, count = band_names(source), source.count
        said = [name or text for name, text in zip(names, source.descriptions, strict=True)]
    wanted = index.expression.names
    if unknown := [name for name in given if name not in wanted]:
        raise RasterError(f"{index.name} has no band {unknown[0][:40]!r}; it takes {', '.join(wanted)}.")
    if beyond := [number for number in given.values() if not 1 <= number <= count]:
        raise RasterError(f"There is no band {beyond[0]}: the raster has bands 1 to {count}.")
    found = {name: given.get(name) or find_band(names, name) for name in wanted}
    missing = [name for name, number in found.items() if number is None]
    if missing and count < len(wanted):
        many = f"{count} band" if count == 1 else f"{count} bands"
        raise RasterError(f"{index.name} needs the bands {', '.join(wanted)}; {path.name} has {many}.")
    if missing:
        free = iter([at for at, name in enumerate(names, start=1) if name is None] or [1])
        example = ",".join(f"{name}={number or next(free, 1)}" for name, number in found.items())
        there = ", ".join(f"{at} {name or 'without a name'}" for at, name in enumerate(said[:14], start=1))
        raise RasterError(
            f"{index.name} needs the bands {', '.join(wanted)}, and which is {' and '.join(missing)} "
            f'cannot be told (bands: {there}); say which, as in bands="{example}".'
        )
    return {name: number for name, number in found.items() if number is not None}


def spectral(
    path: Path,
    target: Path,
    index: Index,
    *,
    bands: Mapping[str, int] | None = None,
    scale: float | None = None,
    offset: float = 0.0,
    after: Path | None = None,
    tags: Mapping[str, str] | None = None,
) -> tuple[Moments, dict[str, int]]:
    """Write the index of a raster as float32; what it holds, and the band that each name stood for.

    Values become reflectance by the file's own scale and offset, or by `scale` and `offset` where given
    (Sentinel-2 level 2A: 0.0001). `after` is the raster after the fire, for dNBR alone. Raises RasterError.
    """
    if (after is not None) != (index is DNBR):
        raise RasterError(
            f"{DNBR.name} needs two rasters, one before and one after the fire."
            if after is None
            else f"{index.name} is computed from one raster; a second one is for {DNBR.name}."
        )
    chosen = bands_for(path, index, bands or {})
    paths = [path] if after is None else [path, after]
    layers = [(each, chosen if each is path else bands_for(each, index, bands or {})) for each in paths]
    factors = [_factors(each, numbers, index, scale, offset) for each, numbers in layers]
    expression, tally = index.expression, Tally()

    def one(block: Block, steps: list[tuple[float, float]]) -> NDArray[np.floating]:
        values = {
            name: band if step == (1.0, 0.0) else band * step[0] + step[1]
            for name, band, step in zip(expression.names, block, steps, strict=True)
        }
        return expression.evaluate(values)

    def function(blocks: list[Block], place: Place) -> NDArray[np.floating]:
        made = [one(block, steps) for block, steps in zip(blocks, factors, strict=True)]
        result = made[0] if len(made) == 1 else made[0] - made[1]
        return tally.count(finite(result), place)

    sources = [Band(each, tuple(numbers[name] for name in expression.names)) for each, numbers in layers]
    compute(sources, target, function, descriptions=(index.name,), units=("1",), tags=tags)
    return tally.moments, chosen


def _factors(
    path: Path, numbers: Mapping[str, int], index: Index, scale: float | None, offset: float
) -> list[tuple[float, float]]:
    """Of each band in the formula's order, what turns its values into reflectance."""
    with opened(path) as source:
        steps = [(source.scales[number - 1], source.offsets[number - 1]) for number in numbers.values()]
        integers = any(np.dtype(source.dtypes[number - 1]).kind in "iu" for number in numbers.values())
    if scale is not None:
        return [(scale, offset)] * len(steps)
    if index.reflectance and integers and all(step == (1.0, 0.0) for step in steps):
        raise RasterError(
            f"{index.name} needs reflectance from 0 to 1, and these bands are whole numbers without a scale; "
            "give it, as in scale=0.0001 for Sentinel-2 or scale=0.00392 for 8-bit values."
        )
    if not index.reflectance and len(set(steps)) == 1 and steps[0][1] == 0.0:
        return [(1.0, 0.0)] * len(steps)  # a common factor falls out of a ratio
    return [(float(one), float(two)) for one, two in steps]


def _shown(name: str) -> str:
    return "dNBR" if name == "dnbr" else name.upper()
