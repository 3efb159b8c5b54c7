"""Arguments for any tool, drawn from what a session holds: handles, columns, numbers in their ranges."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq

from copilot.session import Session
from tests.tools.prepared import example
from tools.base import Tool
from tools.toolbox import toolbox

WRONG: tuple[Any, ...] = (
    None, True, -1, 0, 10**30, 1e308, math.nan, math.inf, "", " ", "\x00", "\ud800",
    "'; DROP TABLE images; --",
    "<script>alert(1)</script>", "../../etc/passwd", "/etc/passwd", "file:///etc/passwd",
    "=cmd|' /C calc'!A0",
    "{{7*7}}", "%s%n", "ø" * 5000, "1" * 4000, "(" * 2000, "١٢", "🛰", "a\u202eb",
    "raster-000000", "table-ffffff",
    "no such column", [], {}, [None], [[]], ["a"] * 101, [1, 2], [math.nan] * 4, [0, 50, 10, 40], [1e9] * 4,
    {"type": "Polygon"}, [[[[[[1]]]]]], b"bytes",
)  # fmt: skip
PLACES = ("Rotterdam", "Pittsburgh, PA", "Lagos", "Lyon", "Singapore", "Fiji", "Qwertyville", "Delft")
COLOURS = ("red", "#00ff88", "steelblue", "orange")
WORDS = ("harbour", "first try", "Überblick", "ships", "a-b_c", "2018", "water")
CLASSES = ("ship", "plane", "vehicle", "vessels", "building", "water", "small-vehicle", "Cargo Ship")
DATES = ("2018-05-01", "2019-12-31", "2020", "2021-07", "2018-05-20")
FIELDS = ("dataset", "class", "country", "sensor", "year", "month", "season", "gsd_m", "cloud_pct", "split")
EXPRESSIONS = ("(b4 - b3) / (b4 + b3)", "b1 * 2", "where(b1 > 100, 1, 0)", "2 + 3 * sqrt(16)")
POLYGON = {
    "type": "Polygon",
    "coordinates": [[[4.3, 51.9], [4.5, 51.9], [4.5, 52.1], [4.3, 52.1], [4.3, 51.9]]],
}


@dataclass
class Drawn:
    """Draws calls for one session."""

    session: Session
    random: Random
    ids: Mapping[str, str]
    """Ids of the examples in the docstrings: the ones that stand for them here."""
    wrong_share: float = 0.15
    files: Sequence[Path] = ()
    columns_of: dict[str, list[str]] = field(default_factory=dict)

    def call(self, tool: Tool) -> dict[str, Any]:
        """Arguments for one call: its example's, some of them drawn anew, now and then a wrong one."""
        given = self.example(tool)
        schema = tool.schema.get("properties", {})
        chosen = self.random.random()
        if chosen > 0.25:  # a quarter of the calls are the example's, as it is
            share = 0.15 if chosen < 0.75 else 0.5
            for name in schema:
                if (name in given and self.random.random() < share) or (
                    name not in given and self.random.random() < share / 3
                ):
                    value = self.value(name, schema[name], given)
                    if value is not _LEAVE:
                        given[name] = value
        if schema and self.random.random() < self.wrong_share:
            given[self.random.choice(sorted(schema))] = self.random.choice(WRONG)
        return given

    def example(self, tool: Tool) -> dict[str, Any]:
        """The arguments of the docstring's example, with ids that the session has."""
        import shlex

        words = shlex.split(example(tool))[3:]
        return {key: self._meant(text) for key, text in (word.split("=", 1) for word in words)}

    def _meant(self, text: str) -> Any:
        for stood, stands in self.ids.items():
            text = text.replace(stood, stands)
        if text.startswith("table-"):
            return self.handle("table") or text
        try:
            return json.loads(text)
        except ValueError:
            return text

    def handle(self, kind: str) -> str | None:
        """One of the session's artifacts of that kind; None where there is none."""
        found = [each.id for each in self.session.state.artifacts if each.kind == kind]
        return self.random.choice(found) if found else None

    def value(self, name: str, schema: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
        """A value that an argument may well take; _LEAVE where nothing better than what stands is known."""
        named = self._by_name(name, given)
        if named is not _LEAVE and self.random.random() < 0.9:
            return named
        options = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
        return self._of(name, self.random.choice(options), schema, given) if options else _LEAVE

    def _by_name(self, name: str, given: Mapping[str, Any]) -> Any:
        state = self.session.state
        if name in ("table", "raster", "vector", "document", "detections", "figure"):
            return self.handle(name) or _LEAVE
        if name in ("layer", "layer_id", "left", "right", "drawing"):
            return self._one([each.id for each in state.map.layers])
        if name in ("image", "image_id") and self.random.random() < 0.3:
            return self._one([f"fair1m:{number}.tif" for number in range(5)])
        if name in ("color", "colour"):
            return self.random.choice(COLOURS)
        if name in ("place", "near", "around"):
            return self.random.choice(PLACES)
        if name == "lon":
            return round(self.random.uniform(4.3, 4.6), 4)
        if name == "lat":
            return round(self.random.uniform(51.8, 52.1), 4)
        if name == "bbox":
            west, south = self.random.uniform(-10, 10), self.random.uniform(40, 55)
            return [west, south, west + self.random.uniform(0.01, 5), south + self.random.uniform(0.01, 5)]
        if name == "geometry":
            return POLYGON
        if name in ("start", "end", "date", "until"):
            return self.random.choice(DATES)
        if name in ("names", "datasets"):
            return self.random.sample(["fair1m", "fmow", "xview1", "xview3", "bigearthnet"], 2)
        if name in ("class_name", "classes"):
            one = self.random.choice(CLASSES)
            return [one] if name == "classes" else one
        if name in ("name", "title", "label", "note", "text", "query"):
            return self.random.choice(WORDS)
        if name in ("field", "column", "by", "x", "y", "on", "value", "group", "sort_by"):
            return self._one(self._columns(given))
        if name in ("columns", "fields", "order_by", "values") and isinstance(given.get(name), list):
            known = self._columns(given)
            return self.random.sample(known, min(2, len(known))) if known else _LEAVE
        if name == "limit":
            return self.random.choice((1, 5, 20))
        return _LEAVE

    def _one(self, among: Sequence[Any]) -> Any:
        return self.random.choice(among) if among else _LEAVE

    def _columns(self, given: Mapping[str, Any]) -> list[str]:
        """Columns of the table or the features that a call names; else the catalogue's fields."""
        handle = next((given[key] for key in ("table", "vector", "detections") if key in given), None)
        if not isinstance(handle, str) or "-" not in handle:
            return list(FIELDS)
        if handle not in self.columns_of:
            self.columns_of[handle] = self._read_columns(handle)
        return self.columns_of[handle]

    def _read_columns(self, handle: str) -> list[str]:
        try:
            path = self.session.engine.artifacts(self.session.id).find(handle)
            if path is not None and path.suffix == ".parquet":
                return [name for name in pq.read_schema(path).names if name != "geometry"]
            if path is not None and path.suffix == ".geojson":
                first = json.loads(path.read_text(encoding="utf-8"))["features"][0]
                return list(first["properties"])
        except Exception:  # what cannot be read has no columns
            return []
        return []

    def _of(
        self, name: str, option: Mapping[str, Any], schema: Mapping[str, Any], given: Mapping[str, Any]
    ) -> Any:
        kind, random = option.get("type"), self.random
        if "enum" in option:
            return random.choice(option["enum"])
        if kind == "boolean":
            return random.random() < 0.5
        if kind in ("integer", "number"):
            return self._number(option, given.get(name), whole=kind == "integer")
        if kind == "string":
            form = option.get("format") or schema.get("format")
            if form in ("raster", "vector", "document", "detections", "table"):
                return self.handle(form) or _LEAVE
            return _LEAVE if name in given else random.choice(WORDS)
        if kind == "array":
            inner = option.get("items", {})
            if inner.get("format") in ("raster", "vector", "document"):
                found = [self.handle(inner["format"]) for _ in range(2)]
                return [each for each in found if each] or _LEAVE
            if inner.get("type") in ("number", "integer") and name in given:
                return given[name]
        return _LEAVE

    def _number(self, option: Mapping[str, Any], stands: Any, *, whole: bool) -> Any:
        low = option.get("minimum", option.get("exclusiveMinimum"))
        high = option.get("maximum", option.get("exclusiveMaximum"))
        if isinstance(stands, int | float) and not isinstance(stands, bool):
            near = stands * self.random.choice((0.5, 0.9, 1.1, 2))
        else:
            near = self.random.choice((1, 2, 3, 10, 50, 0.5))
        if low is not None:
            near = max(near, low + (0 if "minimum" in option else 1e-3))
        if high is not None:
            near = min(near, high)
        return round(near) if whole else round(float(near), 4)


class _Leave:
    """Nothing better is known."""


_LEAVE = _Leave()


def tools() -> tuple[Tool, ...]:
    """Every tool."""
    return tuple(toolbox())
