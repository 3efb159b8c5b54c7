"""Narrow the selection by a column or a property: sensor, cloud cover, resolution, split and the like."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import Field
from rapidfuzz import fuzz, process

from data.vocabulary import words
from data.vocabulary.words import spelled
from state.model import Attribute, State
from tools.base import Step, ToolError, World, tool
from tools.database.dates import day_of
from tools.noting import note
from tools.phrases import listed, number
from tools.selection import narrowed

OPERATORS = {
    "=": "=", "==": "=", "eq": "=", "is": "=", "equals": "=",
    "!=": "!=", "<>": "!=", "≠": "!=", "ne": "!=", "not": "!=", "is not": "!=",
    "<": "<", "lt": "<", "less than": "<", "below": "<", "under": "<",
    "<=": "<=", "=<": "<=", "≤": "<=", "lte": "<=", "le": "<=", "at most": "<=",
    ">": ">", "gt": ">", "greater than": ">", "more than": ">", "above": ">", "over": ">",
    ">=": ">=", "=>": ">=", "≥": ">=", "gte": ">=", "ge": ">=", "at least": ">=",
    "in": "in", "one of": "in",
    "contains": "contains", "has": "contains", "like": "contains",
}  # fmt: skip
"""What a comparison may be called, and its name in the state."""

FIELD_NAMES = {
    "cloud": "cloud_pct", "clouds": "cloud_pct", "cloud cover": "cloud_pct", "cloudiness": "cloud_pct",
    "cloud percent": "cloud_pct",
    "gsd": "gsd_m", "resolution": "gsd_m", "ground sampling distance": "gsd_m", "resolution m": "gsd_m",
    "date": "acquired", "datetime": "acquired", "time": "acquired", "acquisition date": "acquired",
    "acquired at": "acquired",
    "satellite": "sensor", "platform": "sensor", "instrument": "sensor",
    "id": "image_id", "image": "image_id", "filename": "name", "file name": "name",
    "longitude": "lon", "latitude": "lat", "width": "width_px", "height": "height_px",
    "disaster": "event", "objects": "detections", "object count": "detections",
    "detection count": "detections",
}  # fmt: skip
"""What people call the catalogue's columns."""

FILTER_FIELDS = (
    "sensor", "modality", "gsd_m", "cloud_pct", "split", "country", "place", "event", "acquired",
    "detections", "name", "image_id", "dataset", "kind", "bands", "width_px", "height_px",
    "lon", "lat", "west", "south", "east", "north",
)  # fmt: skip
_MOST_VALUES = 400
"""Of a text field with more values than this, the value is taken as it came."""

Value = str | int | float | list[str] | list[int] | list[float]
_MOST_EXACT = 2**53
"""Whole numbers beyond this share a double with their neighbours."""


@tool("database", changes_state=True)
def filter_attribute(
    state: State,
    world: World,
    *,
    field: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100,
            description="sensor, cloud_pct, gsd_m, split, country … or a property.",
        ),
    ],
    op: Annotated[str, Field(max_length=20, description="= != < <= > >= in contains")],
    value: Annotated[Value, Field(description="A value, or a list of them for in.")],
) -> Step:
    """Keep what meets one comparison on a column or property, replacing the earlier one of its kind.

    Example: copilot call filter_attribute field=cloud_pct op="<=" value=10

    Asked as: cloud cover below 10 percent | only WorldView-2 | resolution better than half a metre | from the
    training split | taken by Gaofen | gsd under 1 m | hardly any clouds | event is Hurricane Harvey |
    destroyed buildings only | sensor is Sentinel-2 | off nadir less than 20 degrees
    """
    operator = OPERATORS.get(" ".join(op.lower().replace("_", " ").split()))
    if operator is None:
        raise ToolError(f"There is no comparison {op!r}; there are = != < <= > >= in contains.")
    name, kind = known_field(field, world)
    attribute = Attribute(name, operator, _checked(name, kind, operator, value, world))
    others = (each for each in state.database.filters.attributes if (each.field, each.op) != (name, operator))
    said = f"{name} {operator} {spoken(attribute.value)}."
    return narrowed(state, world, said, attributes=tuple(sorted((*others, attribute))))


def field_named(word: str) -> str:
    """A column's name for what people call it; a property's bare key; else the word itself."""
    names = (" ".join(word.lower().replace("_", " ").split()), words.key(word))
    known = (FIELD_NAMES[each] for each in names if each in FIELD_NAMES)
    return next(known, word.strip().removeprefix("properties."))


def known_field(field: str, world: World) -> tuple[str, str]:
    """A field's name, and its kind: number, text or time. Raises ToolError with the nearest names."""
    name = field_named(field)
    for each in (name, name.lower(), words.key(name).replace(" ", "_"), words.key(name).replace(" ", "")):
        if (kind := world.catalogue.field_type(each)) is not None:
            return each, kind
    if spelled(field) in ("confidence", "length m", "class name"):
        raise ToolError(f"{field!r} belongs to detections, not to images; db_sql reads the detections view.")
    known = [
        *FILTER_FIELDS,
        *FIELD_NAMES,
        *(key for info in world.catalogue.datasets() for key, _ in info.properties),
    ]
    near = list(dict.fromkeys(field_named(each) for each in get_close_matches(name, known, n=2)))
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {listed(FILTER_FIELDS[:10], 10)}."
    raise ToolError(f"No column or property is called {field!r}. {hint}")


def _checked(field: str, kind: str, op: str, value: Value, world: World) -> str | float | tuple[Any, ...]:
    """The value as the state keeps it. Raises ToolError when it does not fit the field or the comparison."""
    if op == "in":
        values = value if isinstance(value, list) else _parts(value)
        if not values:
            raise ToolError(f"{field} in needs at least one value, such as value=a,b.")
        checked: tuple[Any, ...] = tuple(sorted({_one(field, kind, op, each, world) for each in values}))
        return checked
    if isinstance(value, list):
        if len(value) != 1:
            raise ToolError(f"{field} {op} takes one value, not {len(value)}; op=in takes a list.")
        value = value[0]
    one: str | float = _one(field, kind, op, value, world)
    return one


def exact(value: str | float) -> int | None:
    """A whole number as it is written, however long; None for any other value."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    text = value.strip()
    return int(text) if re.fullmatch(r"[+-]?\d{1,40}", text) else None


def _parts(value: str | float) -> list[str] | list[float] | list[int]:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else [value]


def _one(field: str, kind: str, op: str, value: str | float, world: World) -> Any:
    if op == "contains":
        return value if isinstance(value, str) else f"{value:g}"
    if kind == "number":
        return _number(field, value)
    if kind == "time":
        return _time(field, value, last=op in ("<=", ">"))
    if isinstance(value, (int, float)):
        return float(value)
    return _known_value(field, value, world) if op in ("=", "!=", "in") else value


def _number(field: str, value: str | float) -> float:
    if (whole := exact(value)) is not None and abs(whole) > _MOST_EXACT:
        raise ToolError(
            f"{field} is compared as a double, which cannot tell {whole} from its neighbours; db_sql, and "
            "filter_rows on a table of the rows, compare whole numbers exactly."
        )
    try:
        number = float(value.strip().rstrip("%").strip() if isinstance(value, str) else value)
    except ValueError:
        raise ToolError(f"{field} holds numbers, and {value!r} is none; give one such as 10.") from None
    if not math.isfinite(number):
        raise ToolError(f"{field} holds finite numbers, and {value!r} is none; give one such as 10.")
    return number


def _time(field: str, value: str | float, *, last: bool) -> str:
    text = f"{value:g}" if isinstance(value, float) else value.strip()
    if "T" not in text and ":" not in text:
        return day_of(text, last=last).isoformat()
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        raise ToolError(
            f"{field} holds times, and {value!r} is none; write 2018-05-31 or 2018-05-31T12:00:00."
        ) from None


def _known_value(field: str, value: str, world: World) -> str:
    """A value as the catalogue spells it. Raises ToolError with those there are."""
    if field == "country" and (code := _country_code(value, world)):
        return code  # known without reading every data set
    known = _values(field, world)
    if value in known or not known or len(known) >= _MOST_VALUES:
        return value
    by_key = {_squeezed(each): each for each in known}
    if (key := _squeezed(value)) in by_key:
        return by_key[key]
    near = process.extractOne(key, by_key, scorer=fuzz.ratio, score_cutoff=85)
    if near is not None:
        return by_key[near[2]]
    raise ToolError(f"No {field} is {value!r}; the catalogue has {listed(known, 12)}.")


def _values(field: str, world: World) -> Sequence[str]:
    infos = world.catalogue.datasets()
    if field == "sensor":
        return sorted({each for info in infos for each in info.sensors})
    if field == "modality":
        return sorted({each for info in infos for each in info.modalities})
    if field == "dataset":
        return [info.name for info in infos]
    if field in ("image_id", "name"):
        return ()
    return [str(each) for each in world.catalogue.values(field, None, _MOST_VALUES)]


def _country_code(name: str, world: World) -> str:
    """The ISO code of a country's name or of itself; empty for what is neither."""
    if len(name) == 2:
        codes = {place.country for place in world.gazetteer.places("country")}
        return name.upper() if name.upper() in codes else ""
    found = world.gazetteer.resolve(name)
    if found.best is None or found.best.kind != "country":
        return ""
    if found.corrected:
        note(f"{name!r} was read as {found.best.label}.")
    return found.best.country or ""


def _squeezed(text: str) -> str:
    return spelled(text).replace(" ", "")


def spoken(value: str | float | Sequence[Any]) -> str:
    """A filter's value as a sentence says it."""
    if isinstance(value, (tuple, list)):
        return listed([spoken(each) for each in value])
    return number(value) if isinstance(value, (int, float)) else str(value)


TOOLS = (filter_attribute,)
