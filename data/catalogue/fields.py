"""The names a filter, an order or a grouping may use, and the SQL each stands for in a data set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from data.catalogue.base import CatalogueError
from data.catalogue.dialect import Dialect, Params
from data.schema import DatasetInfo

Kind = Literal["number", "text", "time"]

COLUMN_KINDS: dict[str, Kind] = {
    "image_num": "number",
    "image_id": "text",
    "dataset": "text",
    "kind": "text",
    "name": "text",
    "sensor": "text",
    "modality": "text",
    "gsd_m": "number",
    "cloud_pct": "number",
    "acquired": "time",
    "split": "text",
    "country": "text",
    "place": "text",
    "event": "text",
    "lon": "number",
    "lat": "number",
    "west": "number",
    "south": "number",
    "east": "number",
    "north": "number",
    "width_px": "number",
    "height_px": "number",
    "bands": "text",
    "detections": "number",
}
"""Columns that can be filtered, ordered and grouped by; `footprint`, `path`, `quicklook` can only be read."""

READ_ONLY_COLUMNS = ("footprint", "path", "quicklook", "properties")
PROPERTY_PREFIX = "properties."


@dataclass(frozen=True)
class Expr:
    """A field in one data set: SQL text and what it yields."""

    sql: str
    kind: Kind


def property_key(field: str) -> str:
    """The key of `properties` that a field means: "population" and "properties.population" are one."""
    return field.removeprefix(PROPERTY_PREFIX)


def field_kind(info: DatasetInfo, field: str) -> Kind | None:
    """What kind of values a field has in a data set; None when it has no such field.

    Columns come before properties.
    """
    if field in COLUMN_KINDS:
        return COLUMN_KINDS[field]
    kind = dict(info.properties).get(property_key(field))
    if kind is None:
        return None
    return "number" if kind == "number" else "text"


def field_expr(info: DatasetInfo, field: str, dialect: Dialect, params: Params) -> Expr | None:
    """The SQL of a field in a data set; None when it has no such field."""
    kind = field_kind(info, field)
    if kind is None:
        return None
    if field == "dataset":
        return Expr(dialect.text(params.add(info.name)), kind)
    if field in COLUMN_KINDS:
        return Expr(field, kind)
    key = property_key(field)
    if kind == "number":
        return Expr(dialect.property_number(info, key, params), kind)
    return Expr(dialect.property_text(info, key, params), kind)


def common_kind(infos: Iterable[DatasetInfo], field: str) -> Kind | None:
    """The one kind that holds a field's values over several data sets: text where they differ."""
    kinds = {kind for info in infos if (kind := field_kind(info, field)) is not None}
    if len(kinds) > 1:
        return "text"
    return kinds.pop() if kinds else None


def unknown_field(field: str, infos: Iterable[DatasetInfo], also: tuple[str, ...] = ()) -> CatalogueError:
    """The error for a field that no data set has, with the nearest one."""
    known = [*COLUMN_KINDS, *also, *dict.fromkeys(key for info in infos for key, _ in info.properties)]
    near = get_close_matches(field, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}."
    return CatalogueError(f"There is no column {field!r}; {hint}")
