"""What a STAC item or a product's metadata say of the numbers in a file: scale, offset and nodata."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from data.raster.errors import RasterError
from data.raster.metadata import Linear, Sentinel2, read_metadata

PROPERTY = "raster:bands"
"""The property of a catalogue's image that keeps it, as JSON."""
BAND_FILE = re.compile(r"_(B\d[\dA])(?:_(\d\d)m)?\.(?:jp2|tiff?)", re.IGNORECASE)
"""How the file of a band of Sentinel-2 ends, with its code and the size of its pixels."""
PRODUCT_FILE = re.compile(r"MTD_MSIL(1C|2A)\.xml")
_ITEM = "its STAC item"
_LEVELS_UP = 5
_KEYS = ("scale", "offset", "nodata")
_APPLIED = ("earthsearch:boa_offset_applied", "sentinel:boa_offset_applied")
_BASELINE = ("s2:processing_baseline", "sentinel:processing_baseline")
_REFLECTANCE = re.compile(r"B\d[\dA]", re.IGNORECASE)
_FIRST_WITH_OFFSET = 4.0
_TAKEN_OFF = (
    "Its STAC item says that Sentinel-2's offset was taken off of its numbers already, so it was not taken "
    "off again."
)


@dataclass(frozen=True)
class Told:
    """What is said of each band, or of all by one: value = gain x number + offset, and what is nodata."""

    bands: tuple[Linear, ...]
    nothing: tuple[float | None, ...]
    note: str | None = None
    source: str = _ITEM
    """Who says so."""

    @property
    def said_by(self) -> str:
        """As in "by …"."""
        return f"the scale and offset in {self.source}"

    @property
    def scales(self) -> bool:
        """Whether any band's numbers mean others."""
        return any(each != Linear(1.0, 0.0) for each in self.bands)

    def spread(self, count: int) -> Told:
        """Of a raster of so many bands; of one that it does not fit, nothing is said but that."""
        if len(self.bands) == count:
            return self
        if len(self.bands) == 1:
            return replace(self, bands=self.bands * count, nothing=self.nothing * count)
        said = (
            f"Its STAC item tells of {len(self.bands)} bands and it has {count}, so nothing of it was used."
        )
        return Told((Linear(1.0, 0.0),) * count, (None,) * count, said, self.source)

    def text(self) -> str:
        """As JSON, which `told_in` reads; the note is made anew."""
        rows = [
            {"scale": each.gain, "offset": each.offset, **({} if none is None else {"nodata": none})}
            for each, none in zip(self.bands, self.nothing, strict=True)
        ]
        return json.dumps(rows if self.source == _ITEM else [{**each, "by": self.source} for each in rows])


def told_in(text: object) -> Told | None:
    """What an image's property says."""
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None
    rows = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    told = told_of({}, {PROPERTY: rows})
    return told if told is None else replace(told, source=str(rows[0].get("by", _ITEM)))


def told_of(item: Mapping[str, Any], asset: Mapping[str, Any]) -> Told | None:
    """What an item says of the numbers in one of its assets; None where it says nothing.

    By `raster:bands` of STAC 1.0, or `bands` of 1.1, whose fields may stand in the asset for all of them.
    Where the item says that Sentinel-2's offset was taken off, there is none.
    """
    found = item.get("properties")
    properties: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    listed = asset.get(PROPERTY) or asset.get("bands")
    rows = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    fields = [_fields(asset) | _fields(each) for each in rows or [{}]]
    bands = tuple(_linear(each) for each in fields)
    nothing = tuple(_number(each.get("nodata")) for each in fields)
    applied = any(properties.get(each) is True for each in _APPLIED)
    note = None
    if applied and any(each.offset for each in bands):
        bands, note = tuple(Linear(each.gain, 0.0) for each in bands), _TAKEN_OFF
    told = Told(bands, nothing, note)
    if not told.scales and not applied and _is_reflectance(asset):
        told = replace(told, note=_unclear(properties))
    return None if not told.scales and told.note is None and not any_said(nothing) else told


def told_by_product(path: Path) -> Told | None:
    """What the metadata of a Sentinel-2 product (a SAFE folder) says of a file that is one of its bands."""
    band = BAND_FILE.search(path.name)
    if band is None:
        return None
    for folder in path.parents[:_LEVELS_UP]:
        for level in ("1C", "2A"):
            beside = folder / f"MTD_MSIL{level}.xml"
            if beside.is_file() and not beside.is_symlink():
                return _of_product(beside, beside.stat().st_mtime_ns, band[1].upper())
    return None


@lru_cache(maxsize=1024)
def _of_product(metadata: Path, _changed: int, band: str) -> Told | None:
    try:
        found = read_metadata(metadata)
    except RasterError:
        return None
    if not isinstance(found, Sentinel2) or band not in found.offsets:
        return None
    return Told((found.linear(band),), (0.0,), source=metadata.name)


def any_said(nothing: tuple[float | None, ...]) -> bool:
    """Whether a number is said to be nodata."""
    return any(each is not None for each in nothing)


def _fields(said: Mapping[str, Any]) -> dict[str, Any]:
    names = [(key, name) for key in _KEYS for name in (key, f"raster:{key}")]
    return {key: said[name] for key, name in names if said.get(name) is not None}


def _linear(fields: Mapping[str, Any]) -> Linear:
    gain, offset = _number(fields.get("scale", 1.0)), _number(fields.get("offset", 0.0))
    return Linear(gain, offset) if gain and offset is not None else Linear(1.0, 0.0)


def _number(value: Any) -> float | None:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and math.isfinite(value) else None


def _is_reflectance(asset: Mapping[str, Any]) -> bool:
    """Whether the asset is one of Sentinel-2's bands."""
    listed = [*(asset.get("eo:bands") or []), *(asset.get("bands") or [])]
    named = [str(each.get("name", "")) for each in listed if isinstance(each, Mapping)]
    return len(named) == 1 and _REFLECTANCE.fullmatch(named[0]) is not None


def _unclear(properties: Mapping[str, Any]) -> str | None:
    """What is said of Sentinel-2's offset where its baseline alone is known."""
    said = next((str(properties[each]) for each in _BASELINE if each in properties), "")
    if not re.fullmatch(r"\d\d?\.\d\d", said) or float(said) < _FIRST_WITH_OFFSET:
        return None
    return (
        f"By its STAC item it is of Sentinel-2's processing baseline {said}, where reflectance = "
        "(number - 1000) / 10000. Nothing says whether the 1000 is taken off, so its numbers are as stored; "
        "toa_reflectance with gain=0.0001 offset=-0.1 takes it off."
    )
