"""What a product's metadata says of its radiometry: Landsat MTL, Sentinel-2 MTD, Sentinel-1 calibration."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

import numpy as np
from numpy.typing import NDArray

from data.raster.errors import RasterError

MAX_BYTES = 32 * 1024**2
_SENTINEL_2_BANDS = (
    "B01", "B02", "B03", "B04", "B05", "B06", "B07", "B08", "B8A", "B09", "B10", "B11", "B12",
)  # fmt: skip
"""By the band ids of MTD_MSIL1C.xml, from 0."""


@dataclass(frozen=True)
class Linear:
    """value = gain * DN + offset."""

    gain: float
    offset: float


@dataclass(frozen=True)
class Landsat:
    """The rescaling of a Landsat Level-1 product, by band: "4", "6_VCID_1", "10"."""

    spacecraft: str
    sun_elevation_deg: float | None
    radiance: Mapping[str, Linear]
    """W/(m² sr µm)"""
    reflectance: Mapping[str, Linear]
    """Planetary reflectance before the sun's height is taken into account."""
    thermal: Mapping[str, tuple[float, float]]
    """K1, W/(m² sr µm), and K2, kelvin."""
    surface: bool = False
    """A Level-2 product: its pixels are surface reflectance already."""


@dataclass(frozen=True)
class Sentinel2:
    """The rescaling of a Sentinel-2 product: reflectance = (DN + offset) / quantification."""

    quantification: float
    offsets: Mapping[str, float]
    """By band, "B04"; 0 before processing baseline 04.00."""
    surface: bool = False

    def linear(self, band: str) -> Linear:
        """How a band's numbers become reflectance."""
        return Linear(1 / self.quantification, self.offsets[band] / self.quantification)


@dataclass(frozen=True)
class Sentinel1:
    """The calibration vectors of a Sentinel-1 product, for one polarisation."""

    polarisation: str
    lines: NDArray[np.float64]
    """(n,) image rows."""
    pixels: NDArray[np.float64]
    """(m,) image columns."""
    tables: Mapping[str, NDArray[np.float64]]
    """(n, m) of "sigma0", "beta0" and "gamma0": what DN is divided by before it is squared."""


Metadata = Landsat | Sentinel2 | Sentinel1


def read_metadata(path: Path) -> Metadata:
    """Read a metadata file by what is in it. Raises RasterError for one that is none of the three."""
    if path.stat().st_size > MAX_BYTES:
        raise RasterError(
            f"The metadata file is larger than {MAX_BYTES // 1024**2} MiB, as none of a product is."
        )
    text = path.read_bytes().decode("utf-8", errors="replace").lstrip("\ufeff \n\r\t")
    if text.startswith("<"):
        return _from_xml(text)
    if text.startswith("{"):
        try:
            return landsat(dict(_leaves(json.loads(text))))
        except (json.JSONDecodeError, RecursionError):
            raise RasterError("The metadata file begins as JSON and is none.") from None
    return landsat(dict(_mtl_lines(text)))


def landsat(flat: Mapping[str, str]) -> Landsat:
    """The rescaling out of an MTL's keys, "GROUP.KEY" or "KEY". Raises RasterError when there is none.

    Landsat 8 Data Users Handbook (USGS LSDS-1574), section 5, for all of Landsat since Collection 1.
    """
    groups: dict[str, str] = {}
    for key, value in flat.items():
        group, _, name = key.rpartition(".")
        # A Level-2 file repeats the keys for surface values; those of Level 1 are the ones that count here.
        if "LEVEL2" not in group or name not in groups:
            groups[name] = value
    reflectance = _linear(groups, "REFLECTANCE")
    radiance = _linear(groups, "RADIANCE")
    if not reflectance and not radiance:
        raise RasterError(
            "The metadata file is no Landsat MTL with RADIANCE_MULT_BAND_1 and the like, no Sentinel-2 MTD "
            "and no Sentinel-1 calibration file."
        )
    thermal = {}
    for name, value in groups.items():
        if name.startswith("K1_CONSTANT_BAND_"):
            band = name.removeprefix("K1_CONSTANT_BAND_")
            thermal[band] = (_number(value, name), _number(groups.get(f"K2_CONSTANT_BAND_{band}"), name))
    sun = groups.get("SUN_ELEVATION")
    surface = any(word in groups.get("PROCESSING_LEVEL", "") for word in ("L2SP", "L2SR"))
    return Landsat(
        groups.get("SPACECRAFT_ID", "Landsat").replace("_", " ").title(),
        None if sun is None else _number(sun, "SUN_ELEVATION"),
        radiance,
        reflectance,
        thermal,
        surface,
    )


def _mtl_lines(text: str) -> Iterator[tuple[str, str]]:
    group: list[str] = []
    for line in text.splitlines():
        key, sign, value = (part.strip() for part in line.partition("="))
        if key == "GROUP":
            group.append(value)
        elif key == "END_GROUP":
            group = group[:-1]
        elif sign:
            yield ".".join([*group[-1:], key]), value.strip('"')


def _leaves(value: Any, group: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, dict):
                yield from _leaves(each, str(key))
            else:
                yield f"{group}.{key}", str(each)


def _linear(keys: Mapping[str, str], what: str) -> dict[str, Linear]:
    head = f"{what}_MULT_BAND_"
    return {
        name.removeprefix(head): Linear(
            _number(value, name), _number(keys.get(name.replace("_MULT_", "_ADD_")), name)
        )
        for name, value in keys.items()
        if name.startswith(head)
    }


def _number(value: str | None, name: str) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise RasterError(f"The metadata file gives {name[:60]} as {str(value)[:40]!r}, which is no number.")
    return number


def _from_xml(text: str) -> Metadata:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root = fromstring(text.encode("utf-8"))
    except (ParseError, DefusedXmlException, ValueError):
        raise RasterError("The metadata file begins as XML and is broken.") from None
    name = root.tag.rpartition("}")[2]
    if name == "calibration":
        return _sentinel_1(root)
    if "User_Product" in name:
        return _sentinel_2(root, "Level-2A" in name)
    if name == "LANDSAT_METADATA_FILE":
        return landsat(
            {f"{group.tag}.{leaf.tag}": (leaf.text or "").strip() for group in root for leaf in group}
        )
    raise RasterError(
        f"The metadata file is XML of {name[:60]!r}, not of Sentinel-1 calibration, Sentinel-2 or Landsat."
    )


def _sentinel_2(root: Element, surface: bool) -> Sentinel2:
    """Sentinel-2 Products Specification Document (S2-PDGS-TAS-DI-PSD), since baseline 04.00 with offsets."""
    one, many = (
        ("BOA_QUANTIFICATION_VALUE", "BOA_ADD_OFFSET")
        if surface
        else ("QUANTIFICATION_VALUE", "RADIO_ADD_OFFSET")
    )
    quantification = _number(root.findtext(f".//{one}"), one)
    if quantification <= 0:
        raise RasterError(
            f"The metadata file gives {one} as {quantification:g}; it divides, so it is above 0."
        )
    offsets = dict.fromkeys(_SENTINEL_2_BANDS, 0.0)
    for each in root.iterfind(f".//{many}"):
        band = each.get("band_id", "")
        if band.isdecimal() and int(band) < len(_SENTINEL_2_BANDS):
            offsets[_SENTINEL_2_BANDS[int(band)]] = _number(each.text, many)
    return Sentinel2(quantification, offsets, surface)


def _sentinel_1(root: Element) -> Sentinel1:
    """Radiometric Calibration of S-1 Level-1 Products Generated by the S-1 IPF (ESA-EOPG-CSCOP-TN-0002)."""
    vectors = root.findall(".//calibrationVector")
    names = {"sigma0": "sigmaNought", "beta0": "betaNought", "gamma0": "gamma"}
    try:
        lines = np.array([float(each.findtext("line", "nan")) for each in vectors])
        columns = [np.array((each.findtext("pixel") or "").split(), float) for each in vectors]
        rows = {
            key: [np.array((each.findtext(tag) or "").split(), float) for each in vectors]
            for key, tag in names.items()
            if vectors and vectors[0].findtext(tag)
        }
    except ValueError:
        raise RasterError("The calibration file holds words where numbers belong.") from None
    if not vectors or not rows or not all(len(each) == len(columns[0]) > 0 for each in columns):
        raise RasterError("The calibration file has no calibration vectors of equal length.")
    pixels = columns[0]
    # Vectors may name other pixels than the first does: all are brought to those of the first.
    if any(len(line) != len(pixels) for table in rows.values() for line in table):
        raise RasterError("The calibration file has vectors whose values and pixels differ in number.")
    tables = {
        key: np.array([np.interp(pixels, own, line) for own, line in zip(columns, table, strict=True)])
        for key, table in rows.items()
    }
    order = np.argsort(lines, kind="stable")
    if not (np.diff(pixels) > 0).all() or not (np.diff(lines[order]) > 0).all():
        raise RasterError("The calibration file names a pixel or a line twice.")
    if not all(np.isfinite(table).all() and (table > 0).all() for table in tables.values()):
        raise RasterError("The calibration file holds values that are not above 0.")
    polarisation = root.findtext(".//polarisation") or ""
    return Sentinel1(polarisation, lines[order], pixels, {key: table[order] for key, table in tables.items()})
