"""What a raster's stored numbers mean: turned into values once, where the file comes in.

A file may say that value = scale x number + offset, and which number stands for nothing. Whoever reads
pixels later would have to think of it each time; so what lies here holds values, not-a-number where there is
none, and a tag that tells how they were stored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from data.raster.bands import band_names
from data.raster.metadata import Linear
from data.raster.sensors import code_in
from data.raster.told import Told
from data.raster.windows import is_nodata, missing_in

STORED_TAG = "STORED_AS"
"""JSON: the type, scales, offsets and nodata that the values were stored with."""
_OFFSET = re.compile(r"(BOA|RADIO)_ADD_OFFSET(_\w+)?")
_QUANTIFICATION = {"BOA": "BOA_QUANTIFICATION_VALUE", "RADIO": "QUANTIFICATION_VALUE"}
_SENTINEL_2 = re.compile(r"S2[ABC]_MSIL(1C|2A)_\d{8}T\d{6}_N(\d{4})_")
_FIRST_WITH_OFFSET = 400
"""Processing baseline 04.00, of January 2022."""
_TILE = re.compile(r"T\d\d[A-Z]{3}_(\d{8})T\d{6}_B\d[\dA]")
_FIRST_DAY_WITH_OFFSET = "20220125"
_LANDSAT = re.compile(r"L[COTEM]\d\d_L2S[PR]_\d{6}_\d{8}_\d{8}_02_(?:T1|T2|RT)")
_SURFACE = {"sr": Linear(2.75e-5, -0.2), "st": Linear(0.00341802, 149.0)}
"""Surface reflectance, and surface temperature in kelvin, of Landsat Collection 2."""
_AS_STORED = Linear(1.0, 0.0)


@dataclass(frozen=True)
class Meaning:
    """How the numbers of an open raster become values."""

    bands: tuple[Linear, ...]
    """value = gain x number + offset, of each band."""
    said_by: str
    """Who says so, as in "by …": `the scale and offset in the file`."""
    nought_is_nothing: bool = False
    """Whether a number of 0 is the fill of the product."""
    nothing: Mapping[int, float] = field(default_factory=dict)
    """By band, from 1, a number that stands for nothing though the file does not say so."""
    as_declared: bool = True
    """Whether what the file says is nodata is so."""

    def values(self, stored: NDArray[Any], missing: list[NDArray[np.bool_] | None]) -> NDArray[Any]:
        """(bands, rows, columns) of stored numbers as values, not-a-number where there is none."""
        made = np.empty(stored.shape, values_type(str(stored.dtype)))
        for at, (numbers, none, each) in enumerate(zip(stored, missing, self.bands, strict=True)):
            made[at] = numbers.astype(np.float64) * each.gain + each.offset
            if none is not None:
                made[at][none] = np.nan
            if self.nought_is_nothing and each != _AS_STORED:
                made[at][numbers == 0] = np.nan
        return made

    def read(self, source: rasterio.DatasetReader, window: Window) -> NDArray[Any]:
        """A window of the raster as values."""
        stored = source.read(window=window)
        missing = [self._missing(source, at, window, numbers) for at, numbers in enumerate(stored, start=1)]
        return self.values(stored, missing)

    def _missing(
        self, source: rasterio.DatasetReader, band: int, window: Window, stored: NDArray[Any]
    ) -> NDArray[np.bool_] | None:
        found = missing_in(source, band, window, stored) if self.as_declared else None
        more = is_nodata(stored, self.nothing[band]) if band in self.nothing else None
        return more if found is None else found if more is None else found | more

    def tag(self, source: rasterio.DatasetReader) -> dict[str, str]:
        """The tag that tells how the values were stored."""
        nodata = source.nodata
        told: dict[str, Any] = {
            "dtype": source.dtypes[0],
            "scale": [each.gain for each in self.bands],
            "offset": [each.offset for each in self.bands],
            "nodata": None if nodata is None or not math.isfinite(nodata) else nodata,
        }
        return {STORED_TAG: json.dumps(told)}

    def note(self, source: rasterio.DatasetReader) -> str:
        """The sentence for who brings the file in."""
        scaled = [(each.gain, each.offset) for each in self.bands if each != _AS_STORED]
        if len(set(scaled)) == 1:
            gain, offset = scaled[0]
            rule = f"value = {gain:.6g} x number"
            if offset:
                rule += f" {'+' if offset > 0 else '-'} {abs(offset):.6g}"
            if len(scaled) < len(self.bands):
                rule += f", in {len(scaled)} of its {len(self.bands)} bands"
        else:
            rule = "each band by its own scale and offset"
        return f"Its numbers ({source.dtypes[0]}) were turned into values by {self.said_by}: {rule}."


def meaning_of(
    source: rasterio.DatasetReader, name: str, told: Told | None = None
) -> tuple[Meaning | None, str | None]:
    """What an open raster says of its numbers, None where they are values; and a note on what is unclear.

    By the scale and offset of its bands; by the offset in its tags that Sentinel-2 has had since processing
    baseline 04.00 (S2-PDGS-TAS-DI-PSD); by what was `told` beside it of each band; by the name of a
    Landsat Collection 2 surface product (USGS LSDS-1619).
    """
    if np.dtype(source.dtypes[0].replace("complex_int16", "complex64")).kind not in "iuf":
        return None, None
    own = tuple(Linear(float(a), float(b)) for a, b in zip(source.scales, source.offsets, strict=True))
    if any(each != _AS_STORED for each in own):
        if all(math.isfinite(each.gain) and each.gain and math.isfinite(each.offset) for each in own):
            return Meaning(own, "the scale and offset in the file"), None
        return None, "Its scale and offset make no values of its numbers, and were not used."
    if told is not None and told.scales and not _offsets_in(source):
        return Meaning(told.bands, told.said_by), None
    if np.dtype(source.dtypes[0]).kind not in "iu":
        return None, None
    return _of_product(source, name)


def _of_product(source: rasterio.DatasetReader, name: str) -> tuple[Meaning | None, str | None]:
    """What a product's tags or its name say of whole numbers, to which the file itself gives no scale."""
    if told := _offsets_in(source):
        return _of_sentinel_2(source, name, told)
    if _LANDSAT.search(name):
        texts = [name] if source.count == 1 and not source.descriptions[0] else source.descriptions
        codes = [code_in(text or "") for text in texts]
        bands = tuple(_SURFACE.get(each.landsat, _AS_STORED) if each else _AS_STORED for each in codes)
        if any(each != _AS_STORED for each in bands):
            return Meaning(bands, "the name of a Landsat Collection 2 product", nought_is_nothing=True), None
    product, tile = _SENTINEL_2.search(name), _TILE.search(name)
    if product and int(product[2]) >= _FIRST_WITH_OFFSET:
        of = f"it is of Sentinel-2's processing baseline {product[2][:2]}.{product[2][2:]}"
    elif product is None and tile and tile[1] >= _FIRST_DAY_WITH_OFFSET:
        of = "it is a band of Sentinel-2 of after January 2022"
    else:
        return None, None
    return None, (
        f"By its name {of}, where reflectance = (number - 1000) / 10000. Nothing in it says whether the "
        "1000 is taken off, so its numbers are as stored; toa_reflectance with gain=0.0001 offset=-0.1 "
        "takes it off."
    )


def _offsets_in(source: rasterio.DatasetReader) -> set[tuple[str, str]]:
    """The offsets in the tags, each with its level: {("BOA", "-1000")}."""
    return {(found[1], value) for key, value in source.tags().items() if (found := _OFFSET.fullmatch(key))}


def _of_sentinel_2(
    source: rasterio.DatasetReader, name: str, told: set[tuple[str, str]]
) -> tuple[Meaning | None, str | None]:
    """By the offsets in the tags."""
    level = next(iter(told))[0]
    try:
        (offset,) = {float(each) for _, value in told for each in value.split(",")}
        quantification = float(source.tags().get(_QUANTIFICATION[level], "10000"))
    except ValueError:
        offset = quantification = math.nan
    if not (math.isfinite(offset) and quantification > 0):
        return None, (
            f"Its tags give several offsets ({level}_ADD_OFFSET) or none that is a number, and were not used."
        )
    known = band_names(source, name)
    every = not any(known) and not any(source.descriptions)
    scale = Linear(1 / quantification, offset / quantification)
    bands = tuple(scale if role or every else _AS_STORED for role in known)
    if all(each == _AS_STORED for each in bands):
        return None, (
            f"Its tags give an offset of reflectance ({level}_ADD_OFFSET), but nothing tells which of its "
            "bands are reflectance, so it was not used."
        )
    said_by = f"{level}_ADD_OFFSET and {_QUANTIFICATION[level]} in its tags"
    return Meaning(bands, said_by, nought_is_nothing=True), None


def values_type(stored: str) -> str:
    """The floating-point type that holds every number of a type of integers or of floats."""
    return "float32" if np.can_cast(stored, "float32") else "float64"


def stored_as(source: rasterio.DatasetReader) -> dict[str, Any] | None:
    """How an open raster's values were stored: dtype, scale, offset, nodata; None where as they are now."""
    try:
        told = json.loads(source.tags().get(STORED_TAG, "null"))
    except ValueError:
        return None
    return told if isinstance(told, dict) else None
