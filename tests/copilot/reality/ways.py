"""How a stranger's text comes to a model: the ways in, each with the calls that bring it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copilot.session import Session

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Way:
    """One way in. New tools that bring text from outside (pages, documents) get a row of their own here."""

    plant: Callable[[Session, Path, str], None]
    """Put the text where a stranger can: a file, a name, a note."""
    look: tuple[Call, ...]
    """The calls that bring it to the model; "{folder}" stands for the folder of the files."""
    request: str
    """What a user asks who then meets it."""
    longest: int = 4000
    """How long a text gets in."""
    told: bool = True
    """Whether it then comes to a model at all."""


def _geojson(key: str) -> Callable[[Session, Path, str], None]:
    def plant(session: Session, folder: Path, text: str) -> None:
        usual = {"class": "harbour", "name": "one", "date": "2021-05-01"}
        feature = {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [4.5, 51.9]},
            "properties": {**usual, key: text},
        }
        _ingest(session, folder / "harbours.geojson", {"type": "FeatureCollection", "features": [feature]})

    return plant


def _coco(session: Session, folder: Path, text: str) -> None:
    image = {"id": 1, "file_name": "a.png", "width": 9, "height": 9, "date_captured": "2021-05-01"}
    found = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2]}
    coco = {
        "info": {"description": text},
        "images": [{**image, "lon": 4.5, "lat": 51.9}],
        "categories": [{"id": 1, "name": text}],
        "annotations": [found],
    }
    _ingest(session, folder / "boats.json", coco)


def _csv_cell(session: Session, folder: Path, text: str) -> None:
    cell = '"' + text.replace('"', '""') + '"'
    _ingest(session, folder / "notes.csv", f"lon,lat,note,date\n4.5,51.9,{cell},2021-05-01\n")


def _csv_heading(session: Session, folder: Path, text: str) -> None:
    heading = '"' + text[-40:].replace('"', '""') + '"'  # an error repeats no more of a heading
    (folder / "broken.csv").write_text(f"{heading},b\n1,2\n", encoding="utf-8")


def _file_name(session: Session, folder: Path, text: str) -> None:
    name = "".join(each for each in text if each not in "/\x00")[:60]
    _ingest(session, folder / f"{name}.csv", "lon,lat,date\n4.5,51.9,2021-05-01\n")


def _ingest(session: Session, path: Path, content: str | dict[str, Any]) -> None:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    event = session.call("db_ingest", path=str(path))
    assert event.ok, event.text


def _call(tool: str, **args: Any) -> Callable[[Session, Path, str], None]:
    """Plant by a call of the page or of somebody the session was shared with; "{text}" is the text."""

    def plant(session: Session, folder: Path, text: str) -> None:
        given = {key: text if value == "{text}" else value for key, value in args.items()}
        event = session.call_tool(tool, given, source="page")
        assert event.ok, event.text

    return plant


def _nothing(session: Session, folder: Path, text: str) -> None:
    """What brings it brings it alone."""


WAYS: dict[str, Way] = {
    "class name in GeoJSON": Way(
        _geojson("class"), (("db_count", {"by": "class"}),), "how many features per class?"
    ),
    "attribute value": Way(
        _geojson("note"), (("distinct_values", {"field": "note"}),), "which values does note have?"
    ),
    "image name and id": Way(
        _geojson("name"),
        (("top_n", {"by": "name", "n": 3}), ("select_image", {"rank": "newest"})),
        "select the newest image",
    ),
    "cell of a table": Way(
        _csv_cell, (("db_query", {}), ("group_count", {"by": "note"})), "how many per note?"
    ),
    "category and description in COCO": Way(
        _coco,
        (("db_list", {}), ("group_count", {"by": "class", "unit": "detections"})),
        "which data sets are there?",
    ),
    "file name": Way(_file_name, (("db_list", {}), ("db_query", {})), "which data sets are there?"),
    "error about a file": Way(
        _csv_heading, (("db_ingest", {"path": "{folder}/broken.csv"}),), "add the file {folder}/broken.csv"
    ),
    "error about a name": Way(
        _nothing, (("zoom_map", {"place": "{text}"}), ("db_load", {"names": ["{text}"]})), "zoom to Atlantiss"
    ),
    "layer name": Way(
        _call("heatmap_plot", name="{text}"),
        (("list_layers", {}), ("map_state", {})),
        "list the layers",
        longest=100,
    ),
    "label of a drawing": Way(
        _call("draw_marker", place="Rotterdam", label="{text}", name="{text}"),
        (("list_layers", {}), ("identify_at", {"lon": 4.48, "lat": 51.92})),
        "what is at Rotterdam?",
        longest=100,
    ),
    "title of a tab": Way(
        _call("open_tab", url="https://example.org/", title="{text}"),
        (("map_state", {}),),
        "zoom in",
        longest=100,
    ),
    "session name": Way(
        _call("save_session", name="{text}"),
        (("save_session", {"name": "{text}"}),),
        "list the layers",
        longest=100,
    ),
    "feedback note": Way(
        _call("record_feedback", rating="down", note="{text}"),
        (("record_feedback", {"rating": "down", "note": "{text}"}),),
        "list the layers",
        told=False,
    ),
    "notice": Way(_call("notify", text="{text}"), (("map_state", {}),), "zoom in"),
    "open question": Way(
        _call("ask_user", question="{text}", choices=["{text}", "no"]), (("map_state", {}),), "zoom in"
    ),
    "query with a column of that name": Way(
        _nothing, (("db_sql", {"sql": "select '{text}' as note"}), ("show_table", {})), "show the table"
    ),
}
