"""Which band is which colour: the common names of STAC, read from descriptions, wavelengths and sensors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data.raster.errors import RasterError
from data.raster.sensors import Code, Sensor, candidates, code_in, differing, role_of, sensor_of

if TYPE_CHECKING:
    import rasterio

COMMON_NAMES = (
    "coastal", "blue", "green05", "green", "yellow", "red", "rededge071", "rededge075", "rededge078", "nir",
    "nir08", "nir09", "cirrus", "swir16", "swir22", "lwir11", "lwir12", "pan",
)  # fmt: skip
"""As in the STAC electro-optical extension, version 2."""
GIVEN = "AZIMUTH_BANDS"
"""The tag that holds what a user said that the bands are, in their order, with commas."""

_NOTHING = re.compile(
    r"optical (?:thickness|depth)|\baot\b|\bqa\b|quality|\bscl\b|\budm\d?\b|\bmask\b|probabilit|"
    r"classification"
)
"""What speaks of a band that is no colour, whatever other words are beside it."""
_WORDS = (
    (re.compile(r"red ?-?edge ?-?_?(?:3|078|783|vre3)|\b(?:re|vre) ?-?3\b"), "rededge078"),
    (re.compile(r"red ?-?edge ?-?_?(?:2|075|740|vre2)|\b(?:re|vre) ?-?2\b"), "rededge075"),
    (re.compile(r"red ?-?edge|vegetation red|\b(?:re|vre) ?-?1\b"), "rededge071"),
    (re.compile(r"lwir ?-?_?12|(?:thermal|\btirs?).*2\b"), "lwir12"),
    (re.compile(r"lwir|thermal|\btir"), "lwir11"),
    (
        re.compile(r"swir[ _-]?(?:2|22)\b|(?:short ?-?wave|shortwave) ?-?infra ?-?red[ _-]?(?:2|22)\b"),
        "swir22",
    ),
    (re.compile(r"swir|short ?-?wave ?-?infra ?-?red|\bmid(?:dle)? ?-?infra ?-?red|\bmir\b"), "swir16"),
    (re.compile(r"\bnir ?08|narrow nir|nir narrow|\bnir ?-?_?a\b"), "nir08"),
    (re.compile(r"water vapou?r|\bnir ?09|(?:\bnir|near ?-?infra ?-?red) ?-?_?2\b|\bn2\b"), "nir09"),
    (re.compile(r"\bnir|near ?-?infra ?-?red|infra ?-?red"), "nir"),
    (re.compile(r"coastal|aerosol|ultra ?-?blue|deep ?-?blue"), "coastal"),
    (re.compile(r"cirrus"), "cirrus"),
    (re.compile(r"panchromatic|\bpan\b"), "pan"),
    (re.compile(r"\bgreen ?-?(?:05|i|1)\b"), "green05"),
    (re.compile(r"\bblue\b"), "blue"),
    (re.compile(r"\bgreen\b"), "green"),
    (re.compile(r"\byellow\b"), "yellow"),
    (re.compile(r"\bred\b"), "red"),
)
_LETTERS = {
    "r": "red", "g": "green", "b": "blue", "n": "nir", "c": "coastal", "y": "yellow", "re": "rededge071",
    "n1": "nir", "n2": "nir09", "p": "pan",
}  # fmt: skip
"""What a description means that is a letter alone, or BAND_ and a letter, as Maxar's metadata have it."""
_NANOMETRES = (
    (400, 450, "coastal"), (450, 515, "blue"), (515, 540, "green05"), (540, 590, "green"),
    (590, 625, "yellow"), (625, 690, "red"),
    (690, 725, "rededge071"), (725, 760, "rededge075"), (760, 800, "rededge078"), (800, 855, "nir"),
    (855, 900, "nir08"), (900, 960, "nir09"), (1360, 1390, "cirrus"), (1550, 1750, "swir16"),
    (2050, 2350, "swir22"), (10_300, 11_300, "lwir11"), (11_500, 12_500, "lwir12"),
)  # fmt: skip
_COLOUR_NAMES = {"red", "green", "blue", "nir", "pan", "coastal", "yellow", "rededge"}
_INSTEAD = {
    "nir": ("nir08",),
    "green": ("green05",),
    "nir08": ("nir",),
    "rededge": ("rededge071", "rededge075", "rededge078"),
}
"""A band that may stand in for one that is not there."""


def common_name(description: str) -> str | None:
    """The common name that a band's description says in words or by its wavelength: "Red (665 nm)", "swir16".

    A code ("B04") says none by itself: that hangs on the sensor (`band_names`).
    """
    text = " ".join(re.sub(r"[_/|]+", " ", description.lower()).split())
    plain = text.replace(" ", "")
    if plain in COMMON_NAMES:
        return plain
    if _NOTHING.search(text):
        return None
    if (letter := _LETTERS.get(text.removeprefix("band ").strip())) is not None:
        return letter
    for pattern, name in _WORDS:
        if pattern.search(text):
            return name
    found = re.search(r"(\d{3,5}(?:\.\d+)?) ?(?:nm|nanomet)", text)
    return _by_wavelength(float(found[1])) if found else None


def band_names(source: rasterio.DatasetReader, hint: str | None = None) -> tuple[str | None, ...]:
    """The common name of each band of an open raster; None where nothing says it.

    What a user said of the raster goes first. Else it comes from the band's description, its tags or its
    wavelength in the metadata, its code ("B4", "SR_B4") where the sensor is told or all sensors that have
    the file's codes agree, the order of the sensor's product of so many bands, or its colour in the file.
    `hint` is the name that may tell the sensor and the code, in place of the file's own.
    """
    if (given := _given(source)) is not None:
        return given
    text, codes, known = _codes(source, hint)
    names = [
        common_name(said or "")
        or _from_tags(source.tags(at))
        or (None if code is None or not known else role_of(code, known))
        for at, (said, code) in enumerate(zip(source.descriptions, codes, strict=True), start=1)
    ]
    if not any(names):
        names = list(_listed(source) or _by_order(source, text) or names)
    # A file of three bytes is called red, green and blue by whatever wrote it: a code says more than that.
    names = [
        name or (_colour(source, at) if code is None else None)
        for at, (name, code) in enumerate(zip(names, codes, strict=True), start=1)
    ]
    return tuple(name if name and name not in names[:at] else None for at, name in enumerate(names))


def unclear(source: rasterio.DatasetReader) -> str | None:
    """What of an open raster's codes means one thing on one sensor and another on the next; None for none."""
    if _given(source) is not None:
        return None
    _, codes, known = _codes(source, None)
    pairs = zip(source.descriptions, codes, strict=True)
    found = [
        words
        for said, code in pairs
        if code is not None and common_name(said or "") is None and (words := differing(code, known))
    ]
    return f"{found[0]}: name the sensor, as in name_bands sensor='Landsat 8'" if found else None


def find_band(names: tuple[str | None, ...], wanted: str) -> int | None:
    """The number, from 1, of the band of that common name or of one that may stand in for it."""
    for name in (wanted, *_INSTEAD.get(wanted, ())):
        if name in names:
            return names.index(name) + 1
    return None


def _given(source: rasterio.DatasetReader) -> tuple[str | None, ...] | None:
    """What a user said that the bands are (`named`); None where nobody said it."""
    said = source.tags().get(GIVEN)
    names = (said or "").split(",")
    if said is None or len(names) != source.count:
        return None
    return tuple(name or None for name in names)


def _codes(
    source: rasterio.DatasetReader, hint: str | None
) -> tuple[str, list[Code | None], tuple[Sensor, ...]]:
    """What may tell the sensor, each band's code, and the sensors that the codes may be of."""
    name = Path(source.name).name if hint is None else hint
    codes = [code_in(text) if text else None for text in source.descriptions]
    if source.count == 1 and codes[0] is None:
        # A product's file holds one band, and its name says which: LC08_..._SR_B4.TIF, ..._B04_10m.jp2.
        codes = [code_in(Path(name).stem)]
    about = [str(value) for key, value in source.tags().items() if not key.startswith("AZIMUTH_")]
    text = " ".join([name, *about])
    said = [(each or "").lower() for each in source.descriptions]
    if all(re.fullmatch(rf"band[ _]?{at}", each) for at, each in enumerate(said, start=1)):
        # Names that only count the bands are put in by whatever wrote the file, and mean no sensor's code.
        codes = codes if sensor_of(text) is not None else [None] * source.count
    there = [each for each in codes if each is not None]
    return text, codes, candidates(there, text) if there else ()


def _by_order(source: rasterio.DatasetReader, text: str) -> tuple[str | None, ...] | None:
    """The bands by their place, where the sensor is told and has a product of so many."""
    if any(each.name == "alpha" for each in source.colorinterp) or any(source.descriptions):
        return None
    sensor = sensor_of(text)
    order = None if sensor is None else sensor.order(source.count)
    return None if order is None else tuple(name or None for name in order)


def _listed(source: rasterio.DatasetReader) -> tuple[str | None, ...] | None:
    """The bands that STAC's fields list in the file's tags, in order."""
    for key, value in source.tags().items():
        if key.lower() == "eo" and value.startswith("bands="):
            value = value.removeprefix("bands=")  # GDAL ends a key at its colon
        elif key.lower() not in ("eo:bands", "bands", "eo_bands"):
            continue
        try:
            listed = json.loads(value)
        except ValueError:
            continue
        if isinstance(listed, list) and len(listed) == source.count:
            return tuple(_of_stac(each) for each in listed)
    return None


def _of_stac(band: Any) -> str | None:
    if not isinstance(band, dict):
        return common_name(str(band))
    for key in ("eo:common_name", "common_name", "description", "name"):
        if (name := common_name(str(band.get(key) or ""))) is not None:
            return name
    return _from_tags(band)


def _from_tags(tags: Mapping[str, Any]) -> str | None:
    plain = {key.lower().replace("eo:", ""): value for key, value in tags.items()}
    for key in ("common_name", "band_name", "bandname", "color", "colour"):
        if (name := common_name(str(plain.get(key) or ""))) is not None:
            return name
    for key in ("wavelength", "central_wavelength", "centralwavelength", "center_wavelength"):
        try:
            length = float(plain.get(key, ""))
        except (TypeError, ValueError):
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
