"""Documents that are put together: a value or a text as what a file of that ending holds, and what it is."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from tools.base import ToolError
from tools.phrases import listed, number_of, one_line


def json_text(content: Any) -> tuple[str, str]:
    """Any JSON value, its keys in their order; a text is read as JSON. Raises ToolError."""
    value = _parsed(content) if isinstance(content, str) else content
    return f"{_dumped(value)}\n", _kind_of(value)


def geojson_text(content: Any) -> tuple[str, str]:
    """GeoJSON as it is given, every geometry of which can be read. Raises ToolError."""
    from shapely.geometry import shape

    value = _parsed(content) if isinstance(content, str) else content
    kind = value.get("type") if isinstance(value, dict) else None
    features = value.get("features") if kind == "FeatureCollection" else [value]
    if not isinstance(kind, str) or not isinstance(features, list):
        raise ToolError("That is no GeoJSON: it needs a type, such as FeatureCollection with features.")
    for number, each in enumerate(features, 1):
        is_feature = isinstance(each, dict) and each.get("type") == "Feature" and "geometry" in each
        plain = each["geometry"] if is_feature else each if kind != "FeatureCollection" else None
        if not is_feature and not isinstance(plain, dict):
            raise ToolError(f"That is no GeoJSON: feature {number} is no Feature with a geometry.")
        if plain is None:
            continue
        try:
            shape(plain)
        except Exception as error:  # whatever shapely says of it
            raise ToolError(
                f"That is no GeoJSON: the geometry of feature {number} cannot be read."
            ) from error
    return f"{_dumped(value)}\n", f"GeoJSON, {number_of(len(features), 'feature')}"


def csv_text(content: Any) -> tuple[str, str]:
    """A CSV's text as it is given, or records under one header line. Raises ToolError."""
    if isinstance(content, str):
        lines = content.rstrip("\n").count("\n")
        return content, f"CSV as given, {number_of(lines, 'line')} under the first"
    if not isinstance(content, list) or not content or not all(isinstance(each, dict) for each in content):
        raise ToolError('A CSV is written of a list of records, such as [{"id": 1}], or of its text.')
    names = list(dict.fromkeys(str(key) for each in content for key in each))
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_harmless(each) for each in names])
    for each in content:
        writer.writerow([_harmless(_cell(each.get(name))) for name in names])
    return file.getvalue(), f"CSV, {number_of(len(content), 'row')} of {listed(names, 20)}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else _dumped(value)


def _harmless(text: str) -> str:
    """A cell that a spreadsheet does not run."""
    from tools.data.exports import is_formula

    return f"'{text}" if is_formula(text) else text


def plain_text(content: Any) -> tuple[str, str]:
    """A text as it is given. Raises ToolError for anything else."""
    if not isinstance(content, str):
        raise ToolError("A text file is written of text; a .json takes any value.")
    return content, f"text, {number_of(len(content.splitlines()), 'line')}"


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ToolError(f"The content is no JSON{where}; give the value itself, or its text.") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _dumped(value: Any) -> str:
    try:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, indent=1 if isinstance(value, (dict, list)) else None
        )
    except (ValueError, RecursionError, TypeError) as error:
        raise ToolError(
            "The content is no JSON: it holds a number that is none, or is nested too deep."
        ) from error


def _kind_of(value: Any) -> str:
    if isinstance(value, dict):
        keys = listed([one_line(each)[:40] for each in value], 20)
        return (
            f"a JSON object with {number_of(len(value), 'key')}: {keys}" if value else "an empty JSON object"
        )
    if isinstance(value, list):
        fields = list(dict.fromkeys(str(key) for each in value if isinstance(each, dict) for key in each))
        of = f" with {listed([one_line(each)[:40] for each in fields], 20)}" if fields else ""
        return f"a JSON list of {number_of(len(value), 'value')}{of}"
    return "a JSON value"
