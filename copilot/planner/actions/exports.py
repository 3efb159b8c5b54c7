"""Taking results home."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from copilot.antecedents import SELECTION, made_last
from copilot.planner.asking import Ask, Reject
from copilot.planner.clauses import Clause
from copilot.planner.here import turns_to_the_catalogue
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
    artifact = clause.first("artifact")
    named = str(artifact.value) if artifact is not None else _made_last(clause, situation, formats)
    if named.startswith("raster-"):
        title = next(each["name"] for each in situation.state["artifacts"] if each["id"] == named)
        situation.notes.append(f"{title} is a file already: {named}.")
        return
    if not named and not situation.loaded and any(name in _OF_ROWS for name in formats or ["export_csv"]):
        raise Ask(
            "Nothing is loaded that could be exported. Which data set do you mean?",
            sorted(situation.datasets)[:8],
            lacks_data=True,
        )
    for name in formats or ["export_geojson" if named.startswith(_SHAPED) else "export_csv"]:
        yield Call(name, {"table": named} if named and name in _OF_ROWS else {})


def _made_last(clause: Clause, situation: Situation, formats: Sequence[str]) -> str:
    """The id of what is named, else of what was made last; nothing where that is the selection."""
    for each in reversed(situation.state["artifacts"]):
        if len(each["name"]) > _SHORTEST and re.search(rf"\b{re.escape(each['name'])}\b", clause.text, re.I):
            return str(each["id"])
    if turns_to_the_catalogue(clause.text):
        return ""
    brought = situation.brought_last()
    if brought is not None and brought["id"] == situation.state["artifacts"][-1]["id"]:
        return str(brought["id"])
    calls = [
        pair
        for turn in situation.past
        for pair in zip([each.tool for each in turn.calls], turn.data, strict=False)
    ]
    calls += [(each.tool, {}) for each in situation.planned]
    made = made_last(calls, {each["id"] for each in situation.state["artifacts"]})
    if made is None or made.kind == SELECTION:
        return ""
    # A table and a chart have no shapes to be written: those of the images are meant.
    shaped = {"export_geojson", "export_geoparquet"} & set(formats)
    return "" if shaped and made.kind in ("table", "figure") else made.ref


_SHORTEST = 2
"""A name of no more letters is any word."""
_SHAPED = ("vector-", "detections-")


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


_OF_ROWS = ("export_csv", "export_geojson", "export_geoparquet", "export_xlsx")

ACTIONS = {
    "export": export,
    "export_map": export_map,
    "export_script": _session_as("export_script"),
    "export_notebook": _session_as("export_notebook"),
}
SELECTING = frozenset({"export"})
