"""What values are wanted of a text: a list of fields, or a JSON schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from tools.base import ToolError
from tools.langchain.finding import folded
from tools.phrases import listed, one_line

Kind = Literal["number", "integer", "boolean", "text", "date", "place", "coordinates", "any"]

MAX_FIELDS = 50
_MAX_NAME = 80
_KINDS: dict[str, Kind] = {
    "number": "number", "float": "number", "integer": "integer", "int": "integer", "count": "integer",
    "text": "text", "string": "text", "word": "text", "date": "date", "day": "date", "place": "place",
    "location": "place", "coordinates": "coordinates", "position": "coordinates", "boolean": "boolean",
    "yes/no": "boolean", "truth": "boolean",
}  # fmt: skip
_BY_NAME: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("coordinates", frozenset({"coordinates", "coordinate", "position", "latlon", "lonlat"})),
    ("date", frozenset({"date", "day", "acquired", "when", "acquisition"})),
    ("place", frozenset({"place", "location", "city", "country", "where", "site", "town", "region"})),
)
_UNITS = {
    "m": "m", "km": "km", "km2": "km2", "m2": "m2", "ha": "hectare", "pct": "%", "percent": "%", "s": "s",
    "h": "h", "min": "minute", "hours": "h", "days": "day", "c": "degC", "deg": "degree", "kg": "kg",
    "t": "t", "mm": "mm", "cm": "cm", "ms": "m/s", "kmh": "km/h", "knots": "knot", "nm": "nm", "hpa": "hPa",
    "mw": "MW", "ntu": "NTU",
}  # fmt: skip
"""The last part of a name, such as area_km2, with the unit that it means."""
_TYPES: dict[str, Kind] = {
    "number": "number", "integer": "integer", "boolean": "boolean", "string": "text", "object": "coordinates"
}  # fmt: skip
_FORMATS: dict[str, Kind] = {
    "date": "date",
    "date-time": "date",
    "place": "place",
    "coordinates": "coordinates",
}
_KEYWORDS = {"type", "format", "unit", "description", "title", "enum", "minimum", "maximum"}
_TOP = {"type", "properties", "required", "title", "description", "$schema", "additionalProperties"}
_WRITTEN = re.compile(
    r"^(?P<name>[^:()\[\]]*[^:()\[\]\s])\s*+(?:[(\[](?P<unit>[^)\]]{1,30})[)\]])?\s*+(?::\s*+(?P<rest>.+))?$"
)


@dataclass(frozen=True)
class Wanted:
    """A value that is looked for."""

    name: str
    kind: Kind
    unit: str | None = None
    enum: tuple[str | float, ...] = ()
    low: float | None = None
    high: float | None = None
    aliases: tuple[str, ...] = ()
    """Other words for it, from the schema's title."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the text may call it, folded; the unit at the end of a name is none of its words."""
        found = []
        for name in (self.name, *self.aliases):
            words = folded(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).split()
            if len(words) > 1 and words[-1] in _UNITS:
                words = words[:-1]
            found.append(" ".join(words))
        return tuple(dict.fromkeys(each for each in found if each))

    def schema(self) -> dict[str, Any]:
        """The JSON schema that its value must meet."""
        kinds: dict[Kind, dict[str, Any]] = {
            "number": {"type": "number"}, "integer": {"type": "integer"}, "boolean": {"type": "boolean"},
            "text": {"type": "string"}, "place": {"type": "string"}, "any": {"type": ["number", "string"]},
            "date": {"type": "string", "format": "date"},
            "coordinates": {
                "type": "object",
                "properties": {
                    "lon": {"type": "number", "minimum": -180, "maximum": 180},
                    "lat": {"type": "number", "minimum": -90, "maximum": 90},
                },
                "required": ["lon", "lat"],
            },
        }  # fmt: skip
        limits = {"minimum": self.low, "maximum": self.high, "enum": list(self.enum) or None}
        return kinds[self.kind] | {key: value for key, value in limits.items() if value is not None}


def wanted_fields(fields: list[str]) -> list[Wanted]:
    """Fields as people write them: `date`, `cloud cover (%)`, `area: number km2`. Raises ToolError."""
    found = [_field(text) for text in fields]
    if len({each.name for each in found}) < len(found):
        raise ToolError(
            f"A field is named twice in {listed([one_line(each.name) for each in found])}; name each once."
        )
    return found


def wanted_of_schema(schema: dict[str, Any]) -> tuple[list[Wanted], frozenset[str]]:
    """(the properties of a JSON schema of one flat object, those required). Raises ToolError.

    A property has a type, and may have a format (date, place, coordinates), a unit, an enum, limits and a
    title.
    """
    unknown = sorted(str(key) for key in schema if key not in _TOP)
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties or schema.get("type", "object") != "object":
        raise ToolError('The schema is of no object; write {"type": "object", "properties": {"date": …}}.')
    if unknown:
        raise ToolError(
            f"The schema has {unknown[0][:30]!r}, which is not read; it takes type, properties, required."
        )
    if len(properties) > MAX_FIELDS:
        raise ToolError(f"The schema has {len(properties)} properties; {MAX_FIELDS} are the most.")
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(each, str) for each in required):
        raise ToolError("required is a list of the properties' names.")
    if strangers := [each for each in required if each not in properties]:
        raise ToolError(f"required names {strangers[0][:30]!r}, which is no property of the schema.")
    return [_property(str(name), about) for name, about in properties.items()], frozenset(required)


def _field(text: str) -> Wanted:
    match = _WRITTEN.match(" ".join(text.split()))
    if match is None or not folded(match["name"]) or len(match["name"]) > _MAX_NAME:
        raise ToolError(
            f"{text[:40]!r} is no field; write a name such as date, cloud cover (%) or area: number km2."
        )
    name, unit, rest = match["name"].strip(), match["unit"], (match["rest"] or "").strip()
    kind_word, _, behind = rest.partition(" ")
    kind = _KINDS.get(kind_word.casefold())
    if rest and kind is None:
        raise ToolError(
            f"There is no kind of value {kind_word[:30]!r}; there are {listed(sorted(set(_KINDS)), 20)}."
        )
    unit = behind.strip() or unit or _unit_in(name)
    if unit is not None and kind in (None, "integer"):
        kind = "number" if kind is None else kind
    return Wanted(name, kind or _kind_of(name), unit if kind in ("number", "integer") else None)


def _property(name: str, about: Any) -> Wanted:
    if not folded(name) or len(name) > _MAX_NAME:
        raise ToolError(
            f"{name[:40]!r} is no name of a property; write one with letters, such as cloud_cover."
        )
    if not isinstance(about, dict):
        raise ToolError(
            f'The property {name[:40]!r} is not described; write {{"type": "number"}} or the like.'
        )
    if unknown := sorted(str(key) for key in about if key not in _KEYWORDS):
        raise ToolError(
            f"The property {name[:40]!r} has {unknown[0][:30]!r}, which is not read; it takes "
            f"{listed(sorted(_KEYWORDS))}."
        )
    form, kind_name = about.get("format"), about.get("type", "string")
    if (
        not isinstance(kind_name, str)
        or kind_name not in _TYPES
        or (form is not None and form not in _FORMATS)
    ):
        raise ToolError(
            f"The property {name[:40]!r} has a type or format that is not read; types are "
            f"{listed(_TYPES)}, formats {listed(_FORMATS)}."
        )
    kind = _FORMATS[form] if form is not None else _TYPES[kind_name]
    if kind == "text" and "enum" not in about:
        guess = _kind_of(name)
        kind = guess if guess in ("date", "place") else "text"
    enum, unit, title = about.get("enum", []), about.get("unit"), about.get("title")
    low, high = (_limit(name, about, key) for key in ("minimum", "maximum"))
    if not isinstance(enum, list) or not all(isinstance(each, (str, int, float)) for each in enum):
        raise ToolError(f"The enum of {name[:40]!r} is a list of texts or numbers.")
    if not all(each is None or (isinstance(each, str) and each.strip()) for each in (unit, title)):
        raise ToolError(f"The unit and the title of {name[:40]!r} are texts.")
    if kind in ("number", "integer") and unit is None:
        unit = _unit_in(name)
    return Wanted(name, kind, unit, tuple(enum), low, high, (title,) if title else ())


def _limit(name: str, about: dict[str, Any], key: str) -> float | None:
    value = about.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise ToolError(f"The {key} of {name[:40]!r} is a number.")
    return value


def _unit_in(name: str) -> str | None:
    """The unit that a name ends with: km2 in `area_km2`."""
    words = folded(name).split()
    return _UNITS.get(words[-1]) if len(words) > 1 else None


def _kind_of(name: str) -> Kind:
    words = set(folded(name).split())
    return next((kind for kind, known in _BY_NAME if words & known), "any")
