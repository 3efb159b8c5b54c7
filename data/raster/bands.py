"""Which band is which colour: the common names of STAC, read from descriptions, wavelengths and sensors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from data.raster.errors import RasterError

if TYPE_CHECKING:
    import rasterio

COMMON_NAMES = (
    "coastal", "blue", "green", "yellow", "red", "rededge071", "rededge075", "rededge078", "nir", "nir08",
    "nir09", "cirrus", "swir16", "swir22", "lwir11", "lwir12", "pan",
)  # fmt: skip
"""As in the STAC electro-optical extension, version 2."""

_SENTINEL_2 = {
    "b01": "coastal", "b02": "blue", "b03": "green", "b04": "red", "b05": "rededge071",
    "b06": "rededge075", "b07": "rededge078", "b08": "nir", "b8a": "nir08", "b09": "nir09",
    "b10": "cirrus", "b11": "swir16", "b12": "swir22",
}  # fmt: skip
_LANDSAT_OLI = {
    "b1": "coastal", "b2": "blue", "b3": "green", "b4": "red", "b5": "nir", "b6": "swir16", "b7": "swir22",
    "b8": "pan", "b9": "cirrus", "b10": "lwir11", "b11": "lwir12",
}  # fmt: skip
_LANDSAT_TM = {
    "b1": "blue", "b2": "green", "b3": "red", "b4": "nir", "b5": "swir16", "b6": "lwir11", "b7": "swir22",
    "b8": "pan",
}  # fmt: skip
_WORDS = (
    (re.compile(r"red ?edge ?-?_?(?:3|078|783|vre3)"), "rededge078"),
    (re.compile(r"red ?edge ?-?_?(?:2|075|740|vre2)"), "rededge075"),
    (re.compile(r"red ?edge|vegetation red"), "rededge071"),
    (re.compile(r"swir[ _-]?(?:2|22)|short ?wave ?infra ?red 2|short-wave infrared 2"), "swir22"),
    (re.compile(r"swir|short ?-?wave ?infra ?-?red"), "swir16"),
    (re.compile(r"\bnir ?08|narrow nir|nir narrow|\bnir ?-?_?a\b"), "nir08"),
    (re.compile(r"water vapou?r|\bnir ?09"), "nir09"),
    (re.compile(r"\bnir|near ?-?infra ?-?red|infra ?-?red"), "nir"),
    (re.compile(r"coastal|aerosol|ultra ?blue"), "coastal"),
    (re.compile(r"cirrus"), "cirrus"),
    (re.compile(r"panchromatic|\bpan\b"), "pan"),
    (re.compile(r"lwir ?-?_?12|thermal.*2\b"), "lwir12"),
    (re.compile(r"lwir|thermal|\btir"), "lwir11"),
    (re.compile(r"\bblue\b"), "blue"),
    (re.compile(r"\bgreen\b"), "green"),
    (re.compile(r"\byellow\b"), "yellow"),
    (re.compile(r"\bred\b"), "red"),
)
_NANOMETRES = (
    (400, 450, "coastal"), (450, 515, "blue"), (515, 590, "green"), (590, 625, "yellow"), (625, 690, "red"),
    (690, 725, "rededge071"), (725, 760, "rededge075"), (760, 800, "rededge078"), (800, 855, "nir"),
    (855, 900, "nir08"), (930, 960, "nir09"), (1360, 1390, "cirrus"), (1550, 1750, "swir16"),
    (2050, 2350, "swir22"), (10_300, 11_300, "lwir11"), (11_500, 12_500, "lwir12"),
)  # fmt: skip
_COLOUR_NAMES = {"red", "green", "blue", "nir", "pan", "coastal", "yellow", "rededge"}
_INSTEAD = {"nir": ("nir08",), "nir08": ("nir",), "rededge": ("rededge071", "rededge075", "rededge078")}
"""A band that may stand in for one that is not there."""


def common_name(description: str, numbered: Mapping[str, str] | None = None) -> str | None:
    """The common name that a band's description speaks of: "B04", "Red (665 nm)", "swir16"."""
    text = " ".join(description.lower().replace("_", " ").split())
    plain = text.replace(" ", "")
    if plain in COMMON_NAMES:
        return plain
    if numbered:
        code = re.search(r"(?<![a-z0-9])b(?:and ?)?(\d{1,2}a?)(?![a-z0-9])", text)
        if code and (name := numbered.get(f"b{code[1]}")):
            return name
    for pattern, name in _WORDS:
        if pattern.search(text):
            return name
    found = re.search(r"(\d{3,5}(?:\.\d+)?) ?(?:nm|nanomet)", text)
    return _by_wavelength(float(found[1])) if found else None


def band_names(source: rasterio.DatasetReader) -> tuple[str | None, ...]:
    """The common name of each band of an open raster; None where nothing says it.

    It comes from the band's description, its wavelength in the metadata, or its colour in the file; a
    number alone ("B4") counts only where the names or the tags tell the sensor.
    """
    numbered = _numbering(source)
    names = [
        common_name(text or "", numbered) or _from_tags(source.tags(at)) or _colour(source, at)
        for at, text in enumerate(source.descriptions, start=1)
    ]
    return tuple(name if name and name not in names[:at] else None for at, name in enumerate(names))


def find_band(names: tuple[str | None, ...], wanted: str) -> int | None:
    """The number, from 1, of the band of that common name or of one that may stand in for it."""
    for name in (wanted, *_INSTEAD.get(wanted, ())):
        if name in names:
            return names.index(name) + 1
    return None


def _numbering(source: rasterio.DatasetReader) -> Mapping[str, str] | None:
    said = " ".join(each or "" for each in source.descriptions).lower()
    if re.search(r"\bb(?:0[1-9]|8a)\b", said):
        return _SENTINEL_2
    about = " ".join(f"{value}" for value in source.tags().values()).lower()
    if re.search(r"landsat[ _-]?[89]|\blc0[89]_", about) or "sr_b7" in said:
        return _LANDSAT_OLI
    if re.search(r"landsat[ _-]?[4-7]|\bl[te]0[4-7]_", about):
        return _LANDSAT_TM
    return None


def _from_tags(tags: Mapping[str, Any]) -> str | None:
    for key, value in tags.items():
        if key.lower() in ("wavelength", "central_wavelength", "centralwavelength"):
            try:
                length = float(value)
            except ValueError:
                continue
            return _by_wavelength(length * 1000 if length < 20 else length)  # micrometres are common too
    return None


def _by_wavelength(nanometres: float) -> str | None:
    return next((name for low, high, name in _NANOMETRES if low <= nanometres < high), None)


def _colour(source: rasterio.DatasetReader, number: int) -> str | None:
    name = str(source.colorinterp[number - 1].name)
    return ("rededge071" if name == "rededge" else name) if name in _COLOUR_NAMES else None


def band_number(source: rasterio.DatasetReader, wanted: int | str) -> int:
    """The number, from 1, of a band given by number ("4", "b4", "band 4"), description or common name.

    Raises RasterError with the bands that there are.
    """
    text = str(wanted).strip().lower()
    code = re.fullmatch(r"(?:b|band ?)?0*(\d{1,5})", text)
    said = [(each or "").strip().lower() for each in source.descriptions]
    if text in said:
        return said.index(text) + 1
    if code and 1 <= int(code[1]) <= source.count:
        return int(code[1])
    if not code:
        asked = common_name(text)
        if asked is not None and (number := find_band(band_names(source), asked)) is not None:
            return number
    there = ", ".join(f"{at} {name}".strip() for at, name in enumerate(said[:14], start=1))
    raise RasterError(f"There is no band {str(wanted)[:40]!r}; the raster has {there}.")
