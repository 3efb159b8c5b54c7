"""The sensors whose files come here: what tells them, their bands by code, and by place in their products.

The table is `sensors.toml`, each sensor with its source. A code alone ("B4") is the near infrared of
Landsat 5 and the red of Landsat 8 and Sentinel-2: it means a role where the sensor is told, where the codes
of the whole file belong to one sensor only, or where all that they may belong to agree.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from data.raster.errors import RasterError

_TABLE = Path(__file__).with_name("sensors.toml")
_CODE = re.compile(
    r"(?<![a-z0-9])(?P<landsat>s[rt][ _]?)?b(?:and)?[ _-]?(?P<zero>0?)(?P<number>\d{1,2}a?)(?![a-z0-9])"
)
_OLDER = {"1", "2", "3", "4", "5", "7"}


@dataclass(frozen=True)
class Sensor:
    """One sensor, or several whose bands are the same."""

    name: str
    said: re.Pattern[str]
    """What tells it, in lower case text."""
    codes: Mapping[str, str]
    """Role by code without leading zeros: "4", "8a"."""
    orders: tuple[tuple[str, ...], ...]
    """Roles by the place of the band, "" for one without, of products of so many bands."""

    def order(self, count: int) -> tuple[str, ...] | None:
        """The roles of a product of so many bands; None where it has none such."""
        return next((each for each in self.orders if len(each) == count), None)


@dataclass(frozen=True)
class Code:
    """A band's code as a file spells it."""

    number: str
    """Without leading zeros: "4", "8a"."""
    padded: bool = False
    """Spelt with a zero, as Sentinel-2's are and Landsat's never: "B04"."""
    landsat: str = ""
    """"sr" or "st", before the codes of Landsat's surface products."""


@lru_cache(maxsize=1)
def sensors() -> tuple[Sensor, ...]:
    """The table."""
    plain = tomllib.loads(_TABLE.read_text(encoding="utf-8"))["sensor"]
    return tuple(
        Sensor(
            each["name"],
            re.compile("|".join(each["said"])),
            each["codes"],
            tuple(tuple(order) for order in each["orders"]),
        )
        for each in plain
    )


def sensor_of(text: str) -> Sensor | None:
    """The sensor that a file's name or tags speak of; None for none."""
    low = text.lower()
    return next((each for each in sensors() if each.said.search(low)), None)


def sensor_named(text: str) -> Sensor:
    """The sensor that a user names. Raises RasterError with those that are known."""
    found = sensor_of(text) or next(
        (each for each in sensors() if each.name.casefold() == text.strip().casefold()), None
    )
    if found is None:
        known = ", ".join(each.name for each in sensors())
        raise RasterError(f"No sensor {text[:40]!r} is known by its bands; there are {known}.")
    return found


def code_in(text: str) -> Code | None:
    """The code that a band's description or a file's name holds: "B4", "SR_B4", "Band 4", "..._B04_10m"."""
    plain = re.sub(r"[._]+", "_", text.lower()).replace("_", " ")
    found = _CODE.search(plain)
    if found is None:
        return None
    return Code(found["number"], bool(found["zero"]), (found["landsat"] or "").strip(" _"))


def candidates(codes: Sequence[Code], text: str) -> tuple[Sensor, ...]:
    """The sensors that a file's codes may belong to; one where its name or tags (`text`) tell it."""
    told = sensor_of(text)
    if told is not None:
        return (told,)
    numbers = {each.number for each in codes}
    known = [each for each in sensors() if each.codes and numbers <= set(each.codes)]
    of_landsat = "landsat" in text.lower() or any(each.landsat for each in codes)
    if any(each.padded for each in codes):
        known = [each for each in known if each.name == "Sentinel-2"]
    elif of_landsat:
        known = [each for each in known if each.name.startswith("Landsat")]
        surface = {each.number for each in codes if each.landsat == "sr"}
        thermal = {each.number for each in codes if each.landsat == "st"}
        if "6" in surface or "10" in thermal:
            known = [each for each in known if each.name == "Landsat 8-9"]
        elif "6" in thermal or surface == _OLDER:
            # The surface products of the older Landsats skip band 6, which is thermal.
            known = [each for each in known if each.name != "Landsat 8-9"]
    elif len(numbers) > 7:
        whole = [each for each in known if numbers == set(each.codes)]
        known = whole or known
    return tuple(known)


def role_of(code: Code, known: Sequence[Sensor]) -> str | None:
    """What a code is on every sensor that it may be of; None where they differ, or know none."""
    roles = {each.codes.get(code.number) for each in known}
    return roles.pop() if len(roles) == 1 else None


def differing(code: Code, known: Sequence[Sensor]) -> str | None:
    """`B4 is red on Sentinel-2 and Landsat 8-9, and nir on Landsat 7`; None where all agree."""
    roles: dict[str, list[str]] = {}
    for each in known:
        if (role := each.codes.get(code.number)) is not None:
            roles.setdefault(role, []).append(each.name)
    if len(roles) < 2:
        return None
    parts = [f"{role} on {' and '.join(names)}" for role, names in roles.items()]
    return f"B{code.number.upper()} is {', '.join(parts[:-1])} and {parts[-1]}"
