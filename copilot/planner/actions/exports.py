"""Taking results home."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from copilot.planner.asking import Ask, Reject
from copilot.planner.clauses import Clause
from copilot.planner.situation import Call, Situation


def export(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The selection as files of the formats named, else as CSV."""
    formats = list(dict.fromkeys(span.value for span in clause.of("format")))
    if not formats and (other := _OTHER_FORMATS.search(clause.text)):
        raise Reject(
            f"I can't write {other[0].strip()}. The selection goes out as CSV, Excel, GeoJSON or GeoParquet, the map as "
            "PNG or HTML, and the session as a Python script or a notebook."
        )
    if any(name.startswith("export_map") for name in formats) or _the_map(clause, formats):
        yield from export_map(clause, situation)
        return
    if not situation.loaded and any(name in _OF_ROWS for name in formats or ["export_csv"]):
        raise Ask(
            "Nothing is loaded that could be exported. Which data set do you mean?",
            sorted(situation.datasets)[:8],
            lacks_data=True,
        )
    artifact = clause.first("artifact")
    for name in formats or ["export_csv"]:
        yield Call(name, {"table": artifact.value} if artifact and name == "export_csv" else {})


_OTHER_FORMATS = re.compile(
    r"\b(?:pdf|docx?|word(?: document)?|power ?point|pptx?|slides?|kml|kmz|shape ?files?|shp|gpkg|geopackage|coco|yolo|voc|pascal|latex|xml|tiff?|geotiffs?|mp4|video|dxf|dwg)\b",
    re.I,
)


def export_map(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The map as a picture or a page."""
    chosen = next(
        (span.value for span in clause.of("format") if span.value.startswith("export_map")), "export_map:png"
    )
    yield Call("export_map", {"format": chosen.split(":")[1]})


def _the_map(clause: Clause, formats: list[str]) -> bool:
    return not formats and bool(re.search(r"\bmap\b", clause.text, re.I))


def _session_as(tool: str) -> Callable[[Clause, Situation], Iterator[Call]]:
    def run(clause: Clause, situation: Situation) -> Iterator[Call]:
        yield Call(tool)

    return run


_OF_ROWS = ("export_csv", "export_geojson", "export_geoparquet")

ACTIONS = {
    "export": export,
    "export_map": export_map,
    "export_script": _session_as("export_script"),
    "export_notebook": _session_as("export_notebook"),
}
SELECTING = frozenset({"export"})
