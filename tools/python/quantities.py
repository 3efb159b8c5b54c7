"""Units of measurement: read from what people write, and spelled out again.

Pint knows the units, with exact fractions for their sizes (its own definitions follow the SI brochure and
NIST SP 811). The text of a unit is taken apart here and never evaluated, so that none can be an expression.
An acre is the international one, 4,046.8564224 m² (Federal Register 85 FR 62698, in force since 2023).
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from typing import Any

from tools.base import ToolError

_NAME = r"[A-Za-zµμΩΩÅ°%'\"′″][A-Za-zµμΩΩÅ°_]*"
_TERM = re.compile(rf"\s*(?:({_NAME})\s*(?:(?:\^|\*\*)?\s*(-?\d))?(?!\d)|(1)(?!\d))\s*")
_LONGEST = 80
_ACRE = "azimuth_acre"
_WHOLE = {
    "c": "degree_Celsius", "degc": "degree_Celsius", "deg_c": "degree_Celsius", "°c": "degree_Celsius",
    "degree_c": "degree_Celsius", "degrees_c": "degree_Celsius", "celsius": "degree_Celsius",
    "degrees_celsius": "degree_Celsius", "degree_celsius": "degree_Celsius", "centigrade": "degree_Celsius",
    "f": "degree_Fahrenheit", "degf": "degree_Fahrenheit", "deg_f": "degree_Fahrenheit",
    "°f": "degree_Fahrenheit", "degree_f": "degree_Fahrenheit", "degrees_f": "degree_Fahrenheit",
    "fahrenheit": "degree_Fahrenheit", "degrees_fahrenheit": "degree_Fahrenheit",
    "degree_fahrenheit": "degree_Fahrenheit", "degrees_kelvin": "kelvin", "°k": "kelvin",
}  # fmt: skip
"""Texts that are a temperature when they are the whole unit; within one, C is the coulomb."""
_ALIASES = {
    "acre": _ACRE, "acres": _ACRE, "ac": _ACRE, "sqm": "meter^2", "sqkm": "kilometer^2", "sqmi": "mile^2",
    "sqft": "foot^2", "cbm": "meter^3", "kmh": "kilometer_per_hour", "nm": "nanometer",
    "naut_mi": "nautical_mile", "nmi": "nautical_mile", "NM": "nautical_mile", "sm": "mile",
    "kts": "knot", "'": "arcminute", "′": "arcminute", '"': "arcsecond", "″": "arcsecond", "°": "degree",
    "deg": "degree", "us_gallon": "gallon", "us_gallons": "gallon",
    "uk_gallon": "imperial_gallon", "uk_gallons": "imperial_gallon", "us_foot": "survey_foot",
    "Å": "angstrom", "seconds_of_arc": "arcsecond", "minutes_of_arc": "arcminute",
}  # fmt: skip
_COMMON = (
    "meter kilometer centimeter millimeter micrometer nanometer mile yard foot inch nautical_mile fathom "
    "hectare acre square_kilometer liter gallon second minute hour day week month year knot "
    "kilometer_per_hour mile_per_hour degree radian arcminute arcsecond kilogram gram tonne pound ounce "
    "celsius fahrenheit kelvin pascal hectopascal bar atmosphere joule kilowatt_hour watt hertz gigahertz "
    "byte kilobyte megabyte gigabyte percent dB dBm"
).split()
_SPOKEN = {"degree_Celsius": "°C", "degree_Fahrenheit": "°F", "kelvin": "K", "decibel": "dB"}
_PLURALS = {"foot": "feet", "inch": "inches", "survey foot": "survey feet", "henry": "henries"}


@cache
def registry() -> Any:
    """Pint's registry, reckoning in fractions. Loading it takes half a second, so only where it is needed."""
    import pint

    units: Any = pint.UnitRegistry(non_int_type=Fraction, autoconvert_offset_to_baseunit=True)
    units.define(f"{_ACRE} = 4046.8564224 * meter ** 2")
    return units


def unit_of(text: str) -> Any:
    """The Pint unit that a text names: `km/h`, `sq ft`, `kg m^-3`, `degrees C`, `nautical miles`.

    Raises ToolError naming the part that is no unit, with the nearest that is.
    """
    if (temperature := _WHOLE.get(_joined(text.casefold()))) is not None:
        return registry().Unit(temperature)
    if not text.strip() or len(text) > _LONGEST:
        raise ToolError(f"{text[:40]!r} is not a unit; write one such as km, m/s, hectares or degrees C.")
    unit, sign = registry().Unit(""), 1
    for part in re.split(r"(/|(?<!\*)\*(?!\*))", _plain(text)):
        if part in ("/", "*"):
            sign = -1 if part == "/" else 1
            continue
        for name, power in _terms(part, text):
            unit = unit * _named(name, text) ** (sign * power)
    return unit


def spelled(unit: Any, value: Fraction | float = 2) -> str:
    """A unit as a value has it: `nautical miles`, `km/h`, `m²`, `°C`; nothing for a plain number."""
    parts = {str(name): int(power) for name, power in getattr(unit, "_units", unit).items()}
    if list(parts.values()) == [1]:
        return _word(next(iter(parts)), value)
    above = [_powered(name, power) for name, power in parts.items() if power > 0]
    below = [_powered(name, -power) for name, power in parts.items() if power < 0]
    return "/".join((" ".join(above) or "1", *below)) if parts else ""


def precise(value: Fraction | float) -> str:
    """A number with its thousands marked and 12 significant digits, of whole numbers all."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return f"{value.numerator:,}"
    return f"{float(value):,.12g}"


def _plain(text: str) -> str:
    """The text with powers as ^n and products as * and /."""
    for written, meant in (
        ("⁻", "^-"),
        ("²", "^2"),
        ("³", "^3"),
        ("¹", "1"),
        ("·", "*"),
        ("×", "*"),
        ("⋅", "*"),
    ):
        text = text.replace(written, meant)
    text = text.replace("^-^", "^-")
    text = re.sub(r"\bper\b", "/", text, flags=re.IGNORECASE)
    text = re.sub(rf"\b(?:square|sq\.?)\s+({_NAME})", r"\1^2", text, flags=re.IGNORECASE)
    text = re.sub(rf"\b(?:cubic|cu\.?)\s+({_NAME})", r"\1^3", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<!\s)\s+squared\b", "^2", text, flags=re.IGNORECASE)
    return re.sub(r"(?<!\s)\s+cubed\b", "^3", text, flags=re.IGNORECASE)


def _terms(part: str, whole: str) -> list[tuple[str, int]]:
    """The names of a product with their powers; words that are one name together are joined."""
    if (joined := _joined(part)) and re.fullmatch(r"[A-Za-z_]+", joined) and "_" in joined and _known(joined):
        return [(joined, 1)]
    found, at = [], 0
    while at < len(part):
        match = _TERM.match(part, at)
        if match is None or match.end() == at:
            raise ToolError(f"{whole!r} is not a unit; write one such as km, m/s^2, hectares or degrees C.")
        if match[1]:
            found.append((match[1], int(match[2] or 1)))
        at = match.end()
    if not part.strip():
        raise ToolError(f"The unit {whole!r} lacks a part; write one such as km/h.")
    return found


def _named(name: str, whole: str) -> Any:
    known = _known(name)
    if known is None:
        near = get_close_matches(name.casefold(), _COMMON, n=1)
        hint = f" Did you mean {near[0]}?" if near else " Units are written such as km, acres, knots or m/s."
        within = "" if name == whole.strip() else f" in {whole!r}"
        raise ToolError(f"There is no unit {name!r}{within}.{hint}")
    base, _, power = known.partition("^")
    return registry().Unit(base) ** int(power or 1)


def _known(name: str) -> str | None:
    """The registry's own name of a unit as it is written, else in small letters; None when there is none."""
    for written in (name, name.lower()):
        if written in _ALIASES:
            return _ALIASES[written]
        # An empty tuple, and a prefix without a unit, are what Pint has for no name.
        if any(unit for _, unit, _ in registry().parse_unit_name(written)):
            return written
    return None


def _joined(text: str) -> str:
    return "_".join(text.split())


def _word(name: str, value: Fraction | float) -> str:
    """One unit's name in full, of so many: `1 acre`, `2 acres`."""
    if name in _SPOKEN:
        return _SPOKEN[name]
    said = "acre" if name == _ACRE else name.replace("_", " ")
    said = re.sub(r"(met|lit)er\b", r"\1re", said)
    if value == 1 or said.endswith(("s", "z", "Hg", "percent")):
        return said
    first, per, rest = said.partition(" per ")
    return f"{_PLURALS.get(first, f'{first}s')}{per}{rest}"


def _powered(name: str, power: int) -> str:
    said = "acre" if name == _ACRE else str(registry().get_symbol(name))
    mark = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(power))
    return said if power == 1 else f"{said}{mark}"
